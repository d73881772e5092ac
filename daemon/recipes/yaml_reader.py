"""YAML to a tree, for files that nobody vouches for.

Events are read one by one, never a whole document at once, so that depth, size and repetition are bounded before anything
is built. Aliases are refused: a recipe needs none, and nine lines of them make a billion values. Tags are refused too.
Plain scalars are read by YAML 1.2's core schema, in which `no`, `on` and `1:30` are words: YAML 1.1 turns Norwegian into
false. Two keys of the same name are an error, where most readers let the last one win in silence.
"""

from __future__ import annotations

import re
from typing import Final

import yaml

from daemon.recipes.nodes import MAX_DEPTH, Items, Node, Scalar, Table
from daemon.recipes.problems import BadRecipe, Place, Problem

MAX_NODES: Final = 100_000
"""Upstream's largest file has 3,100."""

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT: Final = re.compile(r"[-+]?[0-9]+")
_BASED: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}


def read_yaml(text: str) -> Node:
    """The tree of a document. Raises BadRecipe."""
    loader = _LOADER(text)
    try:
        return _Builder().build(loader)
    except yaml.MarkedYAMLError as error:
        raise BadRecipe((_syntax(error, text),)) from error
    except yaml.reader.ReaderError as error:
        raise BadRecipe((_unreadable(error, text),)) from error
    finally:
        loader.dispose()


def resolve(written: str) -> str | int | float | bool | None:
    """What a plain scalar means in YAML 1.2."""
    if written in _WORDS:
        return _WORDS[written]
    if _INT.fullmatch(written):
        return int(written) if len(written) <= _DIGITS else float("inf")
    if _BASED.fullmatch(written):
        return int(written, 0) if len(written) <= _DIGITS else float("inf")
    if _FLOAT.fullmatch(written):
        return float(written)
    if _SPECIAL.fullmatch(written):
        return float("nan" if "n" in written.lower()[:2] else "inf")
    return written


_DIGITS: Final = 100
"""Longer numbers are too large anyway, and Python's int() of them takes quadratic time."""


class _Builder:
    """Makes the tree of events, without recursion."""

    def __init__(self) -> None:
        self._open: list[tuple[Table | Items, _Key | None]] = []
        self._count = 0
        self._root: Node | None = None

    def build(self, loader: yaml.SafeLoader) -> Node:
        documents = 0
        while loader.check_event():
            event: yaml.Event = loader.get_event()  # type: ignore[no-untyped-call]
            match event:
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise _bad("two-documents", event, "a second document begins here", "keep one in a file")
                case yaml.AliasEvent():
                    raise _bad("alias", event, "aliases (`*name`) are not read", "write the value out")
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._start(event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    node, _ = self._open.pop()
                    self._put(node, event)
                case _:
                    pass
        if self._root is None:
            raise BadRecipe((Problem(code="empty", message="the file is empty", remedy="start with `routing:`"),))
        return self._root

    def _start(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        self._counted(event)
        if len(self._open) >= MAX_DEPTH:
            raise _bad("too-deep", event, f"this is more than {MAX_DEPTH} levels deep", "nest less")
        if self._open:
            node, key = self._open[-1]
            if isinstance(node, Table) and key is None:
                raise _bad("bad-key", event, "a key must be a word", "write a plain key")
        if isinstance(event, yaml.MappingStartEvent):
            self._open.append((Table(_place(event)), None))
        else:
            self._open.append((Items([], _place(event)), None))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._counted(event)
        if self._open:
            node, key = self._open[-1]
            if isinstance(node, Table) and key is None:
                self._key(node, event)
                return
        self._put(Scalar(resolve(event.value) if event.implicit[0] else event.value, _place(event)), event)

    def _key(self, node: Table, event: yaml.ScalarEvent) -> None:
        if event.value in node.values:
            first = node.places[event.value].line
            remedy = f"it stands in line {first} already: keep one"
            raise _bad("duplicate-key", event, "this key is there twice", remedy, event.value)
        if event.value == "<<" and event.implicit[0]:
            raise _bad("merge", event, "merging (`<<`) is not read", "write the keys out")
        self._open[-1] = (node, _Key(event.value, _place(event)))

    def _put(self, value: Node, event: yaml.Event) -> None:
        if not self._open:
            self._root = value
            return
        node, key = self._open[-1]
        if isinstance(node, Items):
            node.values.append(value)
        else:
            assert key
            node.set(key.word, value, key.place)
            self._open[-1] = (node, None)

    def _counted(self, event: yaml.NodeEvent) -> None:
        self._count += 1
        if self._count > MAX_NODES:
            raise _bad("too-large", event, f"this file has more than {MAX_NODES} values", "make it smaller")
        if getattr(event, "anchor", None):
            raise _bad("anchor", event, "anchors (`&name`) are not read", "write the value out where it is used")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise _bad("tag", event, "tags (`!name`) are not read", "leave it out")


class _Key:
    """A key that waits for its value."""

    __slots__ = ("place", "word")

    def __init__(self, word: str, place: Place) -> None:
        self.word = word
        self.place = place


def _place(event: yaml.Event) -> Place:
    mark = event.start_mark
    assert mark  # read from text, all have one
    return Place(mark.line + 1, mark.column + 1)


def _bad(code: str, event: yaml.Event, message: str, remedy: str, key: str = "") -> BadRecipe:
    return BadRecipe((Problem(code=code, place=_place(event), key=key[:60], message=message, remedy=remedy),))


def _syntax(error: yaml.MarkedYAMLError, text: str) -> Problem:
    lines = text.splitlines() or [""]
    mark = error.problem_mark or error.context_mark
    place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
    if place.line > len(lines):
        place = Place(len(lines), len(lines[-1]) + 1)
    line = lines[place.line - 1]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        message, remedy = "a tab stands where YAML wants blanks", "indent with blanks"
    else:
        message, remedy = f"this is not YAML: {error.problem or 'it breaks off'}", "look at indentation and quotes here"
    return Problem(code="syntax", place=place, message=message, remedy=remedy)


def _unreadable(error: yaml.reader.ReaderError, text: str) -> Problem:
    before = text[: error.position] if isinstance(error.position, int) else ""
    place = Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
    return Problem(code="unreadable", place=place, message="a character here can't stand in YAML", remedy="delete it")
