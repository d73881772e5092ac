"""What changes, as lines to show and as hunks to keep; no token and no key stands in either."""

from __future__ import annotations

import difflib
import re
from typing import Final

from msgspec import Struct

_TOKEN: Final = re.compile(r"nl_[A-Za-z0-9_-]{20,}")
_KEY: Final = re.compile(r"((?:key|token|secret|password)\w*[\"']?\s*[:=]\s*[\"']?)[^\s\"',]{8,}", re.IGNORECASE)
MASK: Final = "nl_…"


class Hunk(Struct, frozen=True):
    """Lines `start` to `end` of the text before, replaced by `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def masked(text: str) -> str:
    """Without our tokens."""
    return _TOKEN.sub(MASK, text)


def shown(before: str, after: str, name: str) -> list[str]:
    """A diff to read. Keys of other services on lines around a change are masked as well."""
    old, new = masked(before).splitlines(), masked(after).splitlines()
    lines = difflib.unified_diff(old, new, f"{name} (now)", f"{name} (then)", lineterm="", n=2)
    return [line if line.startswith("+") else _KEY.sub(r"\1…", line) for line in lines]


def hunks(before: str, after: str) -> tuple[Hunk, ...]:
    """What was put in and taken out."""
    old, new = masked(before).splitlines(keepends=True), masked(after).splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(Hunk(a, b, tuple(new[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal")


def applied(before: str, changes: tuple[Hunk, ...]) -> str:
    """The text after its hunks, masked."""
    lines = masked(before).splitlines(keepends=True)
    for hunk in reversed(changes):
        lines[hunk.start : hunk.end] = hunk.lines
    return "".join(lines)
