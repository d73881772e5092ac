"""Lines of the daemon's log as rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual.content import Content

from daemon import wire
from tui.panels.writing import fact, said, wrapped
from tui.tones import Tone, Toned
from tui.words import clock, day

LEVELS: Final = ("info", "warning", "error")
"""From which one on lines are shown, in the order in which a key walks through them."""
_RANKS: Final = ("debug", "info", "warning", "error", "critical")
_TONES: Final[dict[str, Tone]] = {"warning": "warn", "error": "bad", "critical": "bad"}


def wanted(lines: Iterable[wire.LogLine], level: str, words: str) -> list[wire.LogLine]:
    """Those of that level or worse that hold the words, the newest first."""
    least = _RANKS.index(level)
    sought = words.lower().split()
    return [
        line
        for line in reversed(list(lines))
        if _rank(line) >= least and all(word in f"{line.logger} {line.text}".lower() for word in sought)
    ]


def _rank(line: wire.LogLine) -> int:
    return _RANKS.index(line.level) if line.level in _RANKS else len(_RANKS)


def row(line: wire.LogLine) -> tuple[Toned, ...]:
    """As a row of the table."""
    tone = _TONES.get(line.level, "plain")
    short = line.logger.removeprefix("nearloop.")
    first = line.text.partition("\n")[0]
    return (Toned(clock(line.at), "muted"), Toned(line.level, tone), Toned(short, "muted"), Toned(first, tone))


def detail(line: wire.LogLine | None, width: int) -> list[Content]:
    """All of it, for so many cells."""
    if line is None:
        return []
    lines = [said(Toned(line.level, _TONES.get(line.level, "plain")), "  ", Toned(day(line.at), "muted"))]
    lines += fact("from", line.logger, width)
    for each in line.text.splitlines():
        lines += wrapped(each, width, tone="plain")
    return lines
