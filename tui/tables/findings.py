"""The doctor's findings as rows, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from daemon import wire
from tui.panels.writing import fact, said, wrapped
from tui.tones import Tone, Toned
from tui.words import counted

_MARKS: Final[dict[str, Toned]] = {
    "error": Toned("✗ broken", "bad"),
    "warning": Toned("! look", "warn"),
    "info": Toned("· know", "accent"),
    "ok": Toned("✓ well", "good"),
}
"""The worst first."""


def sorted_by_severity(found: Sequence[wire.Diagnosis]) -> list[wire.Diagnosis]:
    """In the order of the checks within each."""
    order = list(_MARKS)
    return sorted(found, key=lambda each: order.index(each.severity))


def row(found: wire.Diagnosis) -> tuple[Toned, ...]:
    """As a row of the table."""
    tone: Tone = "muted" if found.severity == "ok" else "plain"
    return (_MARKS[found.severity], Toned(found.check, "muted"), Toned(found.text, tone), Toned(found.remedy, "muted"))


def detail(found: wire.Diagnosis | None, width: int) -> list[Content]:
    """All of it, and what to do, for so many cells."""
    if found is None:
        return []
    lines = [said(_MARKS[found.severity], "  ", Toned(found.check, "muted"))]
    lines += wrapped(found.text, width, tone="plain")
    return [*lines, *fact("remedy", found.remedy, width, "accent")] if found.remedy else lines


def summary(found: Sequence[wire.Diagnosis]) -> list[Toned]:
    """How many of which: `1 broken · 2 to look at · 14 well`."""
    count = {severity: sum(each.severity == severity for each in found) for severity in _MARKS}
    parts = []
    if count["error"]:
        parts.append(Toned(f"{count['error']} broken · ", "bad"))
    if count["warning"]:
        parts.append(Toned(f"{count['warning']} to look at · ", "warn"))
    if count["info"]:
        parts.append(Toned(f"{counted(count['info'], 'thing')} to know · ", "accent"))
    return [*parts, Toned(f"{count['ok']} well", "good")]
