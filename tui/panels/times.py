"""Where the time went, as a waterfall."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from daemon import wire
from tui.drawing import span
from tui.panels.writing import cell, said
from tui.requests import name_of
from tui.tones import Tone, Toned
from tui.words import lasted

_NAME: Final = 24


def lines(record: wire.Record, width: int) -> list[Content]:
    """What came before, then the attempts, each where it began. Older records don't tell that: there one stands after
    another if they can have been so, else all from the left.
    """
    room = max(10, width - _NAME - 12)
    if record.attempts and all(attempt.began_ms is not None for attempt in record.attempts):
        return _placed(record, room)
    whole = record.took_ms
    before = whole - record.waited_ms - sum(attempt.took_ms for attempt in record.attempts)
    in_turn = before >= -0.02 * whole
    told = []
    at = 0.0
    for name, took in (("signals and decision", before), ("waited for its turn", record.waited_ms)):
        if in_turn and took >= 1:
            told.append(_stretch(name, at, at + took, whole, room))
            at += took
    for attempt in record.attempts:
        told.append(_attempt(attempt, at if in_turn else 0.0, whole, room))
        at += attempt.took_ms
    told.append(_stretch("all of it", 0.0, whole, whole, room))
    if not in_turn:
        told.append(said(Toned("some ran side by side: the bars say how long, not when", "muted")))
    return told


def _placed(record: wire.Record, room: int) -> list[Content]:
    begins = [attempt.began_ms or 0.0 for attempt in record.attempts]
    whole = max(record.took_ms, *(begin + each.took_ms for begin, each in zip(begins, record.attempts, strict=True)))
    waited = min(record.waited_ms, min(begins))
    told = []
    for name, begin, end in (
        ("signals and decision", 0.0, min(begins) - waited),
        ("waited for its turn", min(begins) - waited, min(begins)),
    ):
        if end - begin >= 1:
            told.append(_stretch(name, begin, end, whole, room))
    told += [_attempt(attempt, begin, whole, room) for begin, attempt in zip(begins, record.attempts, strict=True)]
    told.append(_stretch("all of it", 0.0, record.took_ms, whole, room))
    return told


def _attempt(attempt: wire.Attempt, begin: float, whole: float, room: int) -> Content:
    """Until the first word it is half as dark."""
    first = attempt.first_token_ms or 0.0
    drawn = span(begin, begin + attempt.took_ms, whole, room)
    cells = int((begin + first) / whole * room) if whole > 0 else 0
    early = drawn[:cells].replace("█", "▒")
    tone: Tone = "good" if attempt.place == "device" else "accent"
    name = Toned(cell(name_of(attempt), _NAME))
    return said(name, " ", Toned(early + drawn[cells:], tone), Toned(f" {lasted(attempt.took_ms):>8}", "muted"))


def _stretch(name: str, begin: float, end: float, whole: float, room: int) -> Content:
    drawn = Toned(span(begin, end, whole, room).replace("█", "─"), "muted")
    return said(Toned(cell(name, _NAME), "muted"), " ", drawn, Toned(f" {lasted(end - begin):>8}", "muted"))
