"""Names in code, masked: how often Python still parses, whether edits of it fit, how long it takes.

On files of Python's own library, whose names are those of a language's, and of installed packages, of which many are not.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import sysconfig
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.boundary.clear import clear
from daemon.boundary.judge import Clearance
from daemon.boundary.restorer import Index, Restorer
from daemon.boundary.vault import Vault
from daemon.errors import Refused
from daemon.recipes.signals import Signals
from daemon.signals.base import Asked
from daemon.signals.code.names import CodeNames
from daemon.signals.code_names import NamesInCode
from daemon.signals.parts import Parts
from providers.cleared import Place
from providers.contract import Message, Request, Text
from providers.texts import fields

CHARS = 40_000
CHARS_PER_TOKEN = 4


def sources(limit: int) -> list[str]:
    """Of files that parse, by chance but always the same ones."""
    folders = [Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib")]
    paths = sorted(path for folder in folders for path in folder.rglob("*.py") if 500 < path.stat().st_size < CHARS)
    random.Random(5).shuffle(paths)
    found: list[str] = []
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="ignore")
        if "\r" not in text and _parses(text):
            found.append(text)
        if len(found) == limit:
            break
    return found


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    texts = sources(40 if asked.quick else 1_000)
    family = NamesInCode(Signals(), Parts(guard=True, reduce=frozenset({"code"})))
    parsed = fit = refused = edits = names = 0
    took = {"found": 0.0, "masked": 0.0}
    CodeNames().find(texts[0])
    seeded = random.Random(7)
    for text in texts:
        fenced = f"```python\n{text}\n```"
        request = Request(id="0" * 16, model="cloud", messages=(Message("user", (Text(fenced),)),), protocol="bench")
        began = time.thread_time()
        seen = family.look(Asked(request, fields(request)))
        took["found"] += time.thread_time() - began
        spans = tuple(span for each in seen for span in each.spans)
        began = time.thread_time()
        try:
            passage = clear(request, Clearance("masked", spans), Place.CLOUD, Vault(b"k" * 32))
        except Refused:
            refused += 1
            continue
        took["masked"] += time.thread_time() - began
        (part,) = passage.cleared.request.messages[0].parts
        assert isinstance(part, Text)
        names += len(passage.aliases)
        parsed += _parses(part.text.removeprefix("```python\n").removesuffix("\n```"))
        lines, original, index = part.text.split("\n"), fenced.split("\n"), Index(passage.aliases)
        for _ in range(3):
            start = seeded.randrange(len(lines))
            restorer = Restorer(index)
            search = "\n".join(lines[start : start + 5])
            edits += 1
            fit += restorer.feed(search) + restorer.finish() == "\n".join(original[start : start + 5])
    tokens = sum(map(len, texts)) / CHARS_PER_TOKEN / 1000
    done = len(texts) - refused
    print(f"{len(texts)} files, {names / done:.0f} names each; {refused} not masked")
    print(f"parse: {parsed / done:.2%} of {done}; edits that fit: {fit / edits:.2%} of {edits}")
    print(", ".join(f"{what} {1000 * seconds / tokens:.2f} ms/1k tokens" for what, seconds in took.items()))


if __name__ == "__main__":
    main()
