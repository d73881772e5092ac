"""A control API's sums of money, made of the records that it has."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from msgspec.structs import replace

from daemon import wire


def summed(
    records: Iterable[wire.Record], today: date, by: str = "provider", since: str | None = None
) -> wire.SpendingReport:
    """As `GET /nearloop/v1/spending` answers: each attempt is a call. since: today, month or so many days (7d)."""
    first = today
    if since == "month":
        first = today.replace(day=1)
    elif since not in (None, "today"):
        first = today - timedelta(days=int(since.removesuffix("d")))
    rows: dict[str, wire.Sums] = {}
    whole = wire.Sums("")
    for record in records:
        if record.at.astimezone().date() < first:
            continue
        for attempt in record.attempts:
            name = _name(record, attempt, by)
            rows[name] = _more(rows.get(name, wire.Sums(name)), record, attempt)
            whole = _more(whole, record, attempt)
    found = tuple(sorted(rows.values(), key=lambda each: (-each.cost_usd, each.name)))
    return wire.SpendingReport(by, first.isoformat(), whole, found, (), whole.cost_usd, whole.cost_usd)  # type: ignore[arg-type]


def _name(record: wire.Record, attempt: wire.Attempt, by: str) -> str:
    names = {
        "provider": attempt.provider,
        "model": f"{attempt.provider}/{attempt.model}",
        "client": record.client,
        "project": record.project,
        "session": record.session,
        "day": record.at.date().isoformat(),
    }
    return names[by] or ""


def _more(sums: wire.Sums, record: wire.Record, attempt: wire.Attempt) -> wire.Sums:
    here = attempt.place == "device"
    unknown = not here and attempt.cost_usd is None and attempt.completion_tokens > 0
    answered = here and record.outcome == "answered" and attempt is record.attempts[-1]
    return replace(
        sums,
        calls=sums.calls + 1,
        cost_usd=sums.cost_usd + (attempt.cost_usd or 0.0),
        priced=sums.priced + (attempt.cost_usd is not None),
        unpriced=sums.unpriced + unknown,
        free=sums.free + here,
        prompt_tokens=sums.prompt_tokens + attempt.prompt_tokens,
        completion_tokens=sums.completion_tokens + attempt.completion_tokens,
        answers=sums.answers + answered,
        local_s=sums.local_s + (attempt.took_ms / 1000 if answered else 0.0),
    )
