"""An answer to a question of the playground: how it stands, its words, and what its record says of it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from textual.content import Content

from daemon import wire
from tui.drawing import scale
from tui.panels.writing import said
from tui.requests import EGRESS, answered_by, chosen_by, cost, tokens
from tui.tones import Tone, Toned
from tui.words import counted, lasted

State = Literal["idle", "asking", "ended", "stopped", "failed"]


class Told(Struct):
    """One answer, as it comes. trouble: why there is none. verdict: what its reader said of it. first_s, took_s: since
    it was asked, as seen here.
    """

    model: str
    state: State = "idle"
    words: str = ""
    trouble: str = ""
    record: wire.Record | None = None
    verdict: bool | None = None
    first_s: float | None = None
    took_s: float = 0.0


_MARKS: dict[State, Toned] = {
    "idle": Toned("○", "muted"),
    "asking": Toned("●", "accent"),
    "ended": Toned("✓", "good"),
    "stopped": Toned("◌", "warn"),
    "failed": Toned("✗", "bad"),
}


def head(told: Told) -> Content:
    """Whom it is asked of, and how it stands."""
    times = ""
    if told.state != "idle":
        first = f"first word {lasted(1000 * told.first_s)}, " if told.first_s is not None else ""
        times = f"  {first}{lasted(1000 * told.took_s)}"
    verdict = {True: Toned("  ✓ right", "good"), False: Toned("  ✗ wrong", "bad"), None: Toned("")}[told.verdict]
    return said(_MARKS[told.state], " ", Toned(told.model, "strong"), Toned(times, "muted"), verdict)


def body(told: Told) -> list[Content]:
    """Its words, line by line; or what to do."""
    lines = [said(line) for line in told.words.split("\n")] if told.words else []
    if told.state == "idle":
        return [said(Toned("Ask something below. m asks somebody else, b asks two side by side.", "muted"))]
    if told.state == "stopped":
        lines.append(said(Toned("stopped", "warn")))
    if told.trouble:
        lines.append(said(Toned(told.trouble, "bad")))
    return lines or [said(Toned("…", "muted"))]


def foot(told: Told, width: int) -> list[Content]:
    """Who answered, how sure that was, how far the words went, and what it took; a few lines, once its record is there."""
    record = told.record
    if record is None:
        return []
    told_lines = [said(answered_by(record), "  ", EGRESS[record.egress], Toned("  by ", "muted"), chosen_by(record))]
    told_lines += [_sure(each, width) for each in record.attempts if each.confidence is not None]
    spent = [tokens(record), Toned(" tokens  ", "muted"), cost(record), Toned(f"  {lasted(record.took_ms)}", "muted")]
    told_lines.append(said(*spent))
    masked = sum(sum(receipt.masks.values()) for receipt in record.receipts)
    if masked:
        told_lines.append(said(Toned(f"◐ {counted(masked, 'value')} left as aliases", "warn")))
    return told_lines


def _sure(attempt: wire.Attempt, width: int) -> Content:
    """A draft's confidence against what it needs."""
    sure = attempt.confidence or 0.0
    tone: Tone = "good" if attempt.passed else "warn"
    needed = f" needs {attempt.threshold:.2f}" if attempt.threshold is not None else ""
    room = max(6, min(24, width - 34))
    return said(
        Toned(f"{scale(sure, attempt.threshold, room)} {sure:.2f}", tone),
        Toned(f"{needed}, {attempt.standing or '–'}", "muted"),
    )
