"""What the signals saw, with bars; those that matched first, those that could not look last."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from daemon import wire
from tui.drawing import scale
from tui.panels.writing import cell, said
from tui.tones import Toned

_NAME: Final = 22
_LABEL: Final = 20


def lines(record: wire.Record, width: int) -> list[Content]:
    """A line for each."""
    if not record.seen:
        return [said(Toned("no signal was asked", "muted"))]
    room = max(6, min(30, width - _NAME - _LABEL - 17))
    ordered = sorted(
        record.seen, key=lambda seen: (seen.error is not None, not matched(seen), -seen.score, seen.signal, seen.name)
    )
    return [_line(seen, room) for seen in ordered]


def matched(seen: wire.Seen) -> bool:
    """Whether its rule held. Older records don't say it: what has a score is taken for that."""
    return seen.error is None and (seen.score > 0 if seen.matched is None else seen.matched)


def _line(seen: wire.Seen, room: int) -> Content:
    name = seen.signal if seen.name == seen.signal else f"{seen.signal} {seen.name}"
    if seen.error is not None:
        return said(cell(name, _NAME), " ", Toned(f"could not look: {seen.error}", "warn"))
    label = seen.label or ""
    if seen.places:
        label = f"{label} ×{seen.places}".strip()
    held = matched(seen)
    return said(
        Toned(cell(name, _NAME), "plain" if held else "muted"),
        " ",
        Toned(scale(seen.score, None, room), "accent" if held else "muted"),
        Toned(f" {seen.score:4.2f}  ", "plain" if held else "muted"),
        Toned(cell(label, _LABEL), "muted"),
        Toned(f"{seen.took_ms:5.1f} ms", "muted"),
    )
