"""Each attempt, and its confidence against the threshold."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from daemon import wire
from tui.drawing import scale
from tui.panels import curve
from tui.panels.codes import COLLAPSES, EFFECTS, KEYS, PLACES, STANDINGS
from tui.panels.writing import Part, said, wrapped
from tui.requests import OUTCOMES, name_of
from tui.tones import Tone, Toned
from tui.words import counted, lasted, money

_CURVE_ROWS: Final = 4


def lines(record: wire.Record, width: int) -> list[Content]:
    """One after another."""
    if not record.attempts:
        return [said(Toned("nobody was asked", "muted"))]
    told: list[Content] = []
    for attempt in record.attempts:
        told += _attempt(attempt, width)
    return told


def _attempt(attempt: wire.Attempt, width: int) -> list[Content]:
    place = PLACES.get(attempt.place or "", Toned("·", "muted"))
    role = f"  as {attempt.role}" if attempt.role else ""
    name = Toned(name_of(attempt), "strong")
    told = [said(place, " ", name, Toned(role, "muted"), "  ", OUTCOMES[attempt.outcome], _why(attempt))]
    told += wrapped(_facts(attempt), width, "  ")
    if attempt.confidence is not None:
        told.append(_confidence(attempt, width))
        if attempt.standing in STANDINGS:
            told += wrapped(f"{attempt.family or 'all kinds'}: {STANDINGS[attempt.standing]}", width, "  ")
    told += curve.lines(attempt, width, _CURVE_ROWS)
    if attempt.collapse is not None:
        whole = f", {attempt.whole:.2f} of it all" if attempt.whole is not None else ""
        told += wrapped(f"{COLLAPSES.get(attempt.collapse, attempt.collapse)}{whole}", width, "  ", "warn")
    if attempt.effect is not None and attempt.keys is not None:
        does, needs = EFFECTS.get(attempt.effect, attempt.effect), KEYS.get(attempt.keys, attempt.keys)
        told += wrapped(f"its call {does}, and needs {needs}", width, "  ")
    if attempt.none_fits is not None:
        told += wrapped(f"that no tool fits is {attempt.none_fits:.0%} likely", width, "  ")
    if attempt.score is not None:
        told.append(
            said(f"  scored {attempt.score:.2f}", Toned(f"  side {attempt.side}" if attempt.side else "", "muted"))
        )
    return told


def _why(attempt: wire.Attempt) -> Part:
    return Toned(f" {attempt.error}", "bad") if attempt.error else ""


def _facts(attempt: wire.Attempt) -> str:
    facts = [lasted(attempt.took_ms)]
    if attempt.began_ms is not None:
        facts.append(f"began at {lasted(attempt.began_ms)}")
    if attempt.first_token_ms is not None:
        facts.append(f"first word after {lasted(attempt.first_token_ms)}")
    facts.append(f"{attempt.prompt_tokens} → {counted(attempt.completion_tokens, 'token')}")
    if (
        attempt.first_token_ms is not None
        and attempt.took_ms > attempt.first_token_ms
        and attempt.completion_tokens > 1
    ):
        facts.append(f"{(attempt.completion_tokens - 1) * 1000 / (attempt.took_ms - attempt.first_token_ms):.0f}/s")
    if attempt.device:
        facts.append(f"{attempt.engine} on {attempt.device}")
    if attempt.place != "device":
        facts.append("price not known" if attempt.cost_usd is None else money(attempt.cost_usd))
    return " · ".join(facts)


def _confidence(attempt: wire.Attempt, width: int) -> Content:
    confidence, threshold = attempt.confidence or 0.0, attempt.threshold
    tone: Tone = "warn" if attempt.passed is False else "good"
    parts: list[Part] = ["  sure ", Toned(scale(confidence, threshold, max(10, min(40, width - 36))), tone)]
    parts.append(Toned(f" {confidence:.2f}", tone))
    if threshold is not None:
        verdict = "not enough" if attempt.passed is False else "enough"
        parts.append(Toned(f" of ┃ {threshold:.2f}, {verdict}", "muted"))
    return said(*parts)
