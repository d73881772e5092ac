"""What many requests come to: where they were answered, how fast, for how much, and what was kept from leaving."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from daemon import wire
from tui.requests import answer_of, name_of
from tui.sieve import is_local

_RULES: Final = {
    "auto-pictures": "had pictures to look at",
    "auto-skip-local": "would have taken too long here",
    "model-named": "asked for by name",
    "model-cloud": "the cloud was asked for",
}


class Tally(Struct, frozen=True):
    """Sums over requests. local: answered here; left: something of it went out. masked: values that were replaced in what
    left; kept: values for which requests stayed. here_per_s, beyond_per_s: tokens in a second, the median of attempts.
    joules: None: the machine doesn't tell. reasons: why requests went beyond this machine. models: who answered how many;
    clients: who asked; the most first.
    """

    requests: int
    answered: int
    local: int
    left: int
    masked: int
    kept: int
    tokens: int
    here_per_s: float | None
    beyond_per_s: float | None
    p50_ms: float | None
    p95_ms: float | None
    joules: float | None
    reasons: dict[str, int]
    models: dict[str, int]
    clients: dict[str, int]


class Stretch(Struct, frozen=True):
    """The requests of a short time."""

    requests: int = 0
    local: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None


def tally(records: Sequence[wire.Record]) -> Tally:
    """All of them together."""
    answered = [record for record in records if record.outcome == "answered"]
    took = [record.took_ms for record in answered]
    attempts = [attempt for record in records for attempt in record.attempts]
    joules = [record.ledger.joules for record in records if record.ledger.joules is not None]
    return Tally(
        requests=len(records),
        answered=len(answered),
        local=sum(is_local(record) for record in records),
        left=sum(record.egress != "none" for record in records),
        masked=sum(sum(receipt.masks.values()) for record in records for receipt in record.receipts),
        kept=sum(_kept(record) for record in records),
        tokens=sum(record.ledger.completion_tokens for record in records),
        here_per_s=quantile([pace for each in attempts if each.place == "device" and (pace := _pace(each))], 0.5),
        beyond_per_s=quantile([pace for each in attempts if each.place != "device" and (pace := _pace(each))], 0.5),
        p50_ms=quantile(took, 0.5),
        p95_ms=quantile(took, 0.95),
        joules=sum(joules) if joules else None,
        reasons=_counted(why for record in records if (why := reason(record)) is not None),
        models=_counted(
            name_of(answer) for record in records if (answer := answer_of(record)) and record.outcome == "answered"
        ),
        clients=_counted(record.client or "anyone" for record in records),
    )


def reason(record: wire.Record) -> str | None:
    """Why it was answered beyond this machine; None: it wasn't."""
    answer = answer_of(record)
    if answer is None or record.outcome != "answered" or answer.place in ("device", None):
        return None
    here = [attempt for attempt in record.attempts if attempt.place == "device"]
    if any(attempt.passed is False for attempt in here):
        return "a draft was not sure enough"
    if any(attempt.outcome != "answered" for attempt in here):
        return "this machine's model failed"
    if record.decision is None:
        return "not known"
    if record.decision.route is not None:
        return f"recipe: {record.decision.route.decision or record.decision.route.recipe}"
    return _RULES.get(record.decision.rule, record.decision.rule)


def stretches(records: Iterable[wire.Record], until: datetime, each: timedelta, count: int) -> list[Stretch]:
    """The last `count` stretches of time, the newest last. They begin at whole multiples of `each`, so that what was drawn
    once doesn't change its place.
    """
    length_s = each.total_seconds()
    last = int(until.timestamp() // length_s)
    groups: list[list[wire.Record]] = [[] for _ in range(count)]
    for record in records:
        index = count - 1 - (last - int(record.at.timestamp() // length_s))
        if 0 <= index < count:
            groups[index].append(record)
    return [_stretch(group) for group in groups]


def quantile(values: Sequence[float], part: float) -> float | None:
    """The value that so many of them don't exceed (nearest rank); None of none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def _stretch(group: list[wire.Record]) -> Stretch:
    if not group:
        return Stretch()
    took = [record.took_ms for record in group if record.outcome == "answered"]
    return Stretch(len(group), sum(map(is_local, group)), quantile(took, 0.5), quantile(took, 0.95))


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _kept(record: wire.Record) -> int:
    if record.clearance is None or record.clearance.reach != "device":
        return 0
    return sum(finding.count for finding in record.clearance.findings if finding.treatment == "stay")


def _pace(attempt: wire.Attempt) -> float | None:
    """Tokens in a second after the first one."""
    if attempt.first_token_ms is None or attempt.completion_tokens < 2 or attempt.took_ms <= attempt.first_token_ms:
        return None
    return (attempt.completion_tokens - 1) * 1000 / (attempt.took_ms - attempt.first_token_ms)
