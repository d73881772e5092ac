"""How panels write: words with tones, in columns."""

from __future__ import annotations

from textual.content import Content

from tui.tones import STYLES, Toned
from tui.words import plain

Part = str | Toned


def said(*parts: Part) -> Content:
    """One line. Words of others are made plain here."""
    toned = (part if isinstance(part, Toned) else Toned(part) for part in parts)
    return Content.assemble(*((plain(each.words), STYLES[each.tone]) for each in toned))


def cell(words: str, width: int) -> str:
    """Words in a column: cut, or filled up."""
    words = plain(words)
    return words.ljust(width) if len(words) <= width else words[: width - 1] + "…"


def wrapped(words: str, width: int, indent: str = "") -> list[Content]:
    """A sentence over as many lines as it needs, muted."""
    lines, line = [], ""
    for word in plain(words).split(" "):
        if line and len(indent) + len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [said(indent, Toned(each, "muted")) for each in [*lines, line] if each]
