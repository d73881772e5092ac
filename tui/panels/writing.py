"""How panels write: words with tones, in columns."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from tui.tones import STYLES, Tone, Toned
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


def wrapped(words: str, width: int, indent: str = "", tone: Tone = "muted") -> list[Content]:
    """A sentence over as many lines as it needs."""
    lines, line = [], ""
    for word in plain(words).split(" "):
        if line and len(indent) + len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [said(indent, Toned(each, tone)) for each in [*lines, line] if each]


NAME: Final = 10
"""How wide the names of facts are."""


def fact(name: str, words: str, width: int, tone: Tone = "plain") -> list[Content]:
    """A name, and what it is, over as many lines as that needs."""
    lines = wrapped(words, width, " " * NAME, tone) or [said("")]
    return [said(Toned(name.ljust(NAME), "muted"), Toned(str(lines[0]).strip(), tone)), *lines[1:]]
