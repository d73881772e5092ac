"""What a request comes to, in the few words of a table."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from daemon import wire
from tui.drawing import meter
from tui.picture import Running
from tui.tones import Tone, Toned
from tui.words import clock, lasted, money, short, size

OUTCOMES: Final = {
    "answered": Toned("✓", "good"),
    "cancelled": Toned("◌", "muted"),
    "refused": Toned("⊘", "warn"),
    "failed": Toned("✗", "bad"),
}
EGRESS: Final = {
    "none": Toned("⌂ stayed", "good"),
    "masked": Toned("◐ masked", "warn"),
    "open": Toned("○ open", "bad"),
    "pending": Toned("… unsure", "warn"),
}
"""How far the words went. The mark says it too: a house, half covered, uncovered."""
NOTHING: Final = Toned("–", "muted")


def answer_of(record: wire.Record) -> wire.Attempt | None:
    """The attempt whose words the client got, else the last one."""
    if not record.attempts:
        return None
    return record.attempts[-1 if record.given is None else record.given]


def name_of(attempt: wire.Attempt) -> str:
    """Who it was: `local/small`."""
    return f"{attempt.provider}/{attempt.model}"


def answered_by(record: wire.Record) -> Toned:
    """Who, or why nobody."""
    if record.outcome in ("refused", "failed"):
        return Toned(record.error or record.outcome, "bad")
    answer = answer_of(record)
    if answer is None:
        return NOTHING
    return Toned(name_of(answer), "good" if answer.place == "device" else "plain")


def sureness(record: wire.Record) -> Toned:
    """The confidence of what answered, or of the draft that was not sure enough: `▰▰▰▱▱ .82`."""
    last = next((each for each in reversed(record.attempts) if each.confidence is not None), None)
    if last is None or last.confidence is None:
        return NOTHING
    tone: Tone = "warn" if last.passed is False else "good"
    return Toned(f"{meter(last.confidence)} {_hundredths(last.confidence)}", tone)


def _hundredths(confidence: float) -> str:
    return f"{confidence:.2f}".removeprefix("0") if confidence < 0.995 else "1.0"


def tokens(record: wire.Record) -> Toned:
    """In and out: `212→48`."""
    ledger = record.ledger
    if not ledger.prompt_tokens and not ledger.completion_tokens:
        return NOTHING
    return Toned(f"{short(ledger.prompt_tokens)}→{short(ledger.completion_tokens)}")


def cost(record: wire.Record) -> Toned:
    """What it cost; `?` if a call's price is not known."""
    ledger = record.ledger
    if ledger.unpriced:
        return Toned(f"{money(ledger.cost_usd)}+?" if ledger.cost_usd else "?", "warn")
    return Toned(money(ledger.cost_usd), "plain" if ledger.cost_usd else "muted")


def chosen_by(record: wire.Record) -> Toned:
    """The rule, or the recipe's decision."""
    decision = record.decision
    if decision is None:
        return NOTHING
    if decision.route is not None:
        return Toned(f"{decision.route.recipe}/{decision.route.decision or '–'}", "muted")
    return Toned(decision.rule, "muted")


def row(record: wire.Record) -> tuple[Toned, ...]:
    """A record as a row of the table of requests."""
    return (
        OUTCOMES[record.outcome],
        Toned(clock(record.at), "muted"),
        Toned(record.client or "anyone", "plain" if record.client else "muted"),
        Toned(record.model),
        answered_by(record),
        sureness(record),
        EGRESS[record.egress],
        tokens(record),
        cost(record),
        Toned(lasted(record.took_ms)),
        chosen_by(record),
        Toned(record.protocol, "muted"),
        Toned(record.project or "–", "muted"),
        Toned(record.id, "muted"),
    )


def running_row(running: Running, now: datetime) -> tuple[Toned, ...]:
    """A request that is being answered, as such a row."""
    left = Toned(f"↗ {size(running.left_bytes)}", "warn") if running.to else Toned("⌂ so far", "muted")
    return (
        Toned("●", "accent"),
        Toned(clock(running.at), "muted"),
        Toned(running.client or "anyone", "plain" if running.client else "muted"),
        NOTHING,
        Toned(f"asking {running.to} …" if running.to else "running …", "accent"),
        NOTHING,
        left,
        NOTHING,
        NOTHING,
        Toned(lasted(max(0.0, (now - running.at).total_seconds() * 1000)), "accent"),
        NOTHING,
        Toned(running.protocol, "muted"),
        NOTHING,
        Toned(running.id, "muted"),
    )
