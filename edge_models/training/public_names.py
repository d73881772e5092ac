"""The list of names in code that are nobody's own: of languages, their libraries and common packages, and English words.

Read from sources of permissive licences that were fetched beforehand; nothing of them but names is kept. A name is held by
its key, small letters without underscores, so that `readLine`, `read_line` and `READ_LINE` are one. What one source alone
says is kept where the source is a language's own library; of packages' names those that several files use.

    python -m edge_models.training.public_names -o assets/names/public.txt.xz KIND:PATH …
"""

from __future__ import annotations

import argparse
import ast
import importlib
import keyword
import lzma
import pkgutil
import re
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_QUOTED: Final = re.compile(r"[\"'`]([A-Za-z_$][\w$|\s.-]{2,})[\"'`]")
_GO: Final = re.compile(r"^(?:func (?:\([^)]*\) )?|type |\t)([A-Z]\w*)|^package (\w+)", re.MULTILINE)
_RUST: Final = re.compile(
    r"\b(?:fn|struct|enum|trait|mod|const|static|type|union|macro_rules!)\s+(\w+)|^\s+([A-Z]\w+)[,({]", re.MULTILINE
)
_CSHARP: Final = re.compile(r"(?:get_|set_|add_|remove_|op_)?([A-Z][A-Za-z0-9]{2,})")
_NOT_PUBLIC: Final = re.compile(
    r"/_?tests?/|/tests?\.|_test\.|/testing/|/node_modules/|/go-[\d.]+/src/(?:cmd|syscall|runtime|vendor|"
    r"debug)/|/internal/|/stdarch/|/bits/|/elf\.h|"
    r"/(?:backtrace|panic_unwind|profiler_builtins|test|proc_macro/src/bridge)/|/(?:_?vendor|locale|migrations|"
    r"contrib/gis)/"
)
"""Parts of sources that nobody calls from outside."""
_LEXERS_WORDS: Final = """
_lua_builtins _mysql_builtins _postgres_builtins _sql_builtins _tsql_builtins c_cpp configs css data dotnet go html
javascript jvm kotlin python ruby rust scripting shell sql
"""
_LEXERS: Final = frozenset(_LEXERS_WORDS.split())
_HIGHLIGHTED_WORDS: Final = """
bash c cpp csharp css dart dockerfile go graphql java javascript json kotlin lua makefile nginx perl powershell
protobuf python r ruby rust scala sql swift typescript xml yaml
"""
_HIGHLIGHTED: Final = frozenset(_HIGHLIGHTED_WORDS.split())
MAX_CHARS: Final = 21
FILES_OF_PACKAGES: Final = 2
"""In so many files a name of a package has to stand."""
ENDINGS: Final = (
    ("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"), ("ly", ""), ("er", ""), ("r", ""),
)  # fmt: skip
NAMES_OF_A_WORD: Final = 6
"""A word is one of programming if so many names have it."""


def key(name: str) -> str:
    """What two spellings of a name have in common."""
    return name.replace("_", "").replace("$", "").lower()


def python(path: Path) -> Iterator[str]:
    """Names that a module or a stub of one defines, its functions' arguments, and its own."""
    yield path.stem
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.ImportFrom() if path.stem == "__init__":
                yield from (alias.asname or alias.name for alias in node.names)


def words_of(text: str) -> Iterator[str]:
    """Every identifier outside of comments."""
    return (found[0] for found in _NAME.finditer(_COMMENT.sub(" ", text)))


def quoted(text: str) -> Iterator[str]:
    """Identifiers in string constants: how syntax highlighters write down a language's words."""
    for found in _QUOTED.finditer(text):
        yield from re.split(r"[|\s.-]+", found[1])


def grouped(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    """What a pattern's groups find in a text."""
    return lambda text: (name for found in pattern.finditer(text) for name in found.groups() if name)


def java(path: Path) -> Iterator[str]:
    """Names of the language's library that the classes of an archive refer to (Java virtual machine specification, 4.4)."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".class"):
                yield from _of_class(archive.read(name))


def _of_class(data: bytes) -> Iterator[str]:
    sizes = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
    (count,), at, number = struct.unpack_from(">H", data, 8), 10, 1
    texts: dict[int, str] = {}
    classes: dict[int, int] = {}
    named: dict[int, int] = {}
    members: list[tuple[int, int]] = []
    while number < count:
        tag = data[at]
        if tag == 1:
            (size,) = struct.unpack_from(">H", data, at + 1)
            texts[number] = data[at + 3 : at + 3 + size].decode("utf-8", "replace")
            at += 3 + size
        else:
            if tag == 7:
                (classes[number],) = struct.unpack_from(">H", data, at + 1)
            elif tag == 12:
                (named[number],) = struct.unpack_from(">H", data, at + 1)
            elif tag in (9, 10, 11):
                owner, name = struct.unpack_from(">HH", data, at + 1)
                members.append((owner, name))
            at += 1 + sizes[tag]
        number += 2 if tag in (5, 6) else 1
    library = {place for place, name in classes.items() if texts[name].startswith(("java/", "javax/"))}
    for place in library:
        yield from re.split(r"[/$]", texts[classes[place]])
    yield from (texts[named[name]] for owner, name in members if owner in library)


def csharp(path: Path) -> Iterator[str]:
    """Names in an assembly's heap of strings (ECMA-335, II.24.2.3)."""
    data = path.read_bytes()
    root = data.index(b"BSJB")
    at = root + 16 + struct.unpack_from("<I", data, root + 12)[0]
    (streams,) = struct.unpack_from("<H", data, at + 2)
    at += 4
    for _ in range(streams):
        offset, size = struct.unpack_from("<II", data, at)
        end = data.index(b"\0", at + 8)
        if data[at + 8 : end] == b"#Strings":
            heap = data[root + offset : root + offset + size].split(b"\0")
            yield from (found[1] for name in heap if (found := _CSHARP.fullmatch(name.decode("utf-8", "replace"))))
        at += 8 + (end - at - 8) // 4 * 4 + 4


def pygments() -> Iterator[str]:
    """Words that the installed highlighter knows of the languages that programs are mostly written in."""
    package = importlib.import_module("pygments.lexers")
    words = importlib.import_module("pygments.lexer").words
    for found in pkgutil.iter_modules(package.__path__):
        if found.name not in _LEXERS:
            continue
        module = importlib.import_module(f"pygments.lexers.{found.name}")
        for value in vars(module).values():
            yield from _listed(value)
            for rules in getattr(value, "tokens", {}).values() if isinstance(value, type) else ():
                for rule in rules:
                    if isinstance(rule, tuple) and isinstance(rule[0], words):
                        yield from (word for word in rule[0].words if isinstance(word, str))


def _listed(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.items():
            yield from _listed(inner)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            if isinstance(inner, str):
                yield inner
            else:
                yield from _listed(inner)


def files(path: Path, *endings: str) -> Iterator[Path]:
    """All files below a folder with one of the endings, but tests."""
    if path.is_file():
        yield path
        return
    for found in sorted(path.rglob("*")):
        if found.is_file() and found.name.endswith(endings) and not _NOT_PUBLIC.search(str(found)):
            yield found


def text_of(path: Path) -> str:
    """A file's text, what can't be read of it left out."""
    return path.read_text(encoding="utf-8", errors="ignore")


READERS: Final[dict[str, Callable[[Path], Iterator[Iterable[str]]]]] = {
    "python": lambda path: (python(each) for each in files(path, ".pyi", ".py")),
    "typescript": lambda path: (words_of(text_of(each)) for each in files(path, ".d.ts")),
    "go": lambda path: (grouped(_GO)(text_of(each)) for each in files(path, ".go")),
    "rust": lambda path: (grouped(_RUST)(text_of(each)) for each in files(path, ".rs")),
    "c": lambda path: (words_of(text_of(each)) for each in files(path, "") if each.suffix in ("", ".h")),
    "java": lambda path: (java(each) for each in files(path, ".jar")),
    "csharp": lambda path: (csharp(each) for each in files(path, ".dll")),
    "highlighter": lambda path: (quoted(text_of(each)) for each in files(path, ".js") if each.stem in _HIGHLIGHTED),
    "words": lambda path: iter([[line for line in text_of(path).splitlines() if line.isalpha() and line.islower()]]),
}
"""What a source is read by. `packages:PATH` is read as python, and of its names those that several files have are kept."""


def without_forms(words: set[str]) -> set[str]:
    """Words without those that are another one with an ending: whoever looks a word up takes the endings off (`stems`)."""
    return {word for word in words if not any(stem in words for stem in stems(word))}


def stems(word: str) -> Iterator[str]:
    """What an English word may be a form of. The reader, daemon/signals/code/public.py, has the same."""
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            yield word[: -len(ending)] + instead


def usable(name: str) -> bool:
    """Whether a name can be one that somebody writes, and is short enough to be one that others know."""
    bare = name.strip("_$")
    return bool(_NAME.fullmatch(name)) and 2 < len(bare) <= MAX_CHARS and not name.startswith("_")


def gathered(sources: Iterable[str]) -> tuple[set[str], set[str], dict[str, int]]:
    """The keys of all names, English words that are none, and how many names each source gave."""
    kept = {key(name) for name in keyword.kwlist}
    words: set[str] = set()
    told: dict[str, int] = {}
    of_words: dict[str, set[str]] = {}
    for source in sources:
        kind, _, place = source.partition(":")
        names: Counter[str] = Counter()
        if kind == "pygments":
            names.update(set(filter(usable, pygments())))
        else:
            for found in READERS["python" if kind == "packages" else kind](Path(place)):
                names.update(set(filter(usable, found)))
        least = FILES_OF_PACKAGES if kind == "packages" else 1
        chosen = {name for name, count in names.items() if count >= least}
        told[f"{kind} {Path(place).name}".strip()] = len(chosen)
        if kind == "words":
            words |= without_forms(chosen)
        else:
            kept |= {key(name) for name in chosen}
            for name in chosen:
                for hump in _HUMPS.findall(name):
                    if len(hump) > 2:
                        of_words.setdefault(hump.lower(), set()).add(key(name))
    kept |= {word for word, names_with in of_words.items() if len(names_with) >= NAMES_OF_A_WORD}
    return kept, words - kept, told


def main() -> None:
    """Read the sources, and write the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("sources", nargs="+", help="KIND:PATH, or `pygments`")
    asked = parser.parse_args()
    names, words, told = gathered(asked.sources)
    text = "\n\n".join("\n".join(sorted(part)) for part in (names, words))
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    asked.out.write_bytes(packed)
    print(f"{len(names)} names, {len(words)} words, {len(packed)} bytes", told)


if __name__ == "__main__":
    main()
