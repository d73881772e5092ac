"""What waits for the user's word, as rows, and all that is known of one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from textual.content import Content

from daemon import wire
from tui.drawing import meter
from tui.panels.writing import said
from tui.tones import Tone, Toned
from tui.words import lasted

SOON_S: Final = 15.0
"""What ends in less is shown as urgent."""
ANSWERS: Final = (
    ("y", "let it leave, this once"),
    ("m", "let it leave with aliases in its place"),
    ("s", "let it leave, also for the rest of this client's session"),
    ("A", "let it leave, for good for this client"),
    ("n", "keep it on this machine"),
)
"""Key, and what it says."""


def left_s(approval: wire.Approval, now: datetime) -> float:
    """How long one may still answer."""
    return max(0.0, (approval.until - now).total_seconds())


def to(approval: wire.Approval) -> str:
    """Who would get it: `work/big-model`."""
    return f"{approval.provider}/{approval.model}" if approval.model else approval.provider


def what(approval: wire.Approval) -> str:
    """`a request`, or the tool call that it is."""
    return "request" if approval.kind == "request" else f"call of {approval.tool}"


def finds(approval: wire.Approval) -> str:
    """`2 EMAIL_ADDRESS, 1 PERSON`."""
    counts: dict[str, int] = {}
    for find in approval.finds:
        counts[find.label] = counts.get(find.label, 0) + find.count
    return ", ".join(f"{count} {label}" for label, count in counts.items())


def row(approval: wire.Approval, now: datetime) -> tuple[Toned, ...]:
    """One, with the time that is left."""
    return (
        _left(approval, now),
        Toned(what(approval)),
        Toned(approval.client or "anyone", "plain" if approval.client else "muted"),
        Toned(to(approval), "warn"),
        Toned(finds(approval), "strong"),
        Toned(approval.project or "–", "muted"),
    )


def _left(approval: wire.Approval, now: datetime) -> Toned:
    left, whole = left_s(approval, now), (approval.until - approval.at).total_seconds()
    tone: Tone = "bad" if left < SOON_S else "warn"
    return Toned(f"{meter(left / whole if whole > 0 else 0.0)} {lasted(1000 * int(left)):>6}", tone)


def lines(approval: wire.Approval, now: datetime, width: int) -> list[Content]:
    """What would leave, word for word where it is known, what would stand in its place, and how to answer."""
    who = approval.client or "a program without a token"
    of = f"{'A request' if approval.kind == 'request' else f'A call of {approval.tool}'} for "
    told = [
        said(of, Toned(to(approval), "warn"), Toned(f"  asked by {who}", "muted")),
        said(_left(approval, now), Toned(" left; then it stays here", "muted")),
    ]
    for find in approval.finds:
        told += [said(""), *_find(find)]
    told.append(said(""))
    for key, does in ANSWERS:
        if key != "m" or approval.may_mask:
            told.append(said(Toned(f"  {key}  ", "accent"), Toned(does, "muted")))
    return told


def _find(find: wire.HeldFind) -> Iterator[Content]:
    yield said(Toned(f"{find.count} {find.label}", "strong"), Toned(f"  in {find.path}", "muted"))
    words = find.words or ()
    shown = max(len(words), len(find.masked))
    for place in range(shown):
        parts = [Toned("  "), Toned(words[place] if place < len(words) else "…", "bad")]
        if place < len(find.masked):
            parts += [Toned("  ◐ ", "muted"), Toned(find.masked[place], "good")]
        yield said(*parts)
    if find.count > shown:
        yield said(Toned(f"  and {find.count - shown} more", "muted"))
