"""What a day cost in a house with every kind of price, for screens that show it."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import replace

from daemon import wire
from tests.fakes.played_daemon import PlayedDaemon

TODAY = datetime(2026, 1, 3, tzinfo=UTC)
MONTH = datetime(2026, 2, 1, tzinfo=UTC)

LOCAL = wire.Sums(
    "local", 43, free=43, prompt_tokens=9_100, completion_tokens=2_060, answers=41, local_s=187.0, aside_s=3.2, joules=12_400.0,
    measured=40, saved_usd=0.0123, compared=38,
)  # fmt: skip
WORK = wire.Sums(
    "work", 12, 1.9012, priced=11, told=3, unpriced=1, reckoned=1, lost=2, lost_usd=0.0041, prompt_tokens=212_000,
    cached_tokens=30_100, stored_tokens=2_000, completion_tokens=48_300,
)  # fmt: skip
FLAT = wire.Sums("flat", 7, plan=7, prompt_tokens=18_000, completion_tokens=3_900)
WHOLE = replace(
    WORK, name="", calls=62, plan=7, free=43, prompt_tokens=239_100, completion_tokens=54_260, answers=41, local_s=187.0,
    aside_s=3.2, joules=12_400.0, measured=40, saved_usd=0.0123, compared=38,
)  # fmt: skip
LIMITS = (
    wire.SpendingLimit("all", "", "day", 5.0, 1.9012, TODAY, 0.8, False, False),
    wire.SpendingLimit("provider", "work", "day", 2.0, 1.9012, TODAY, 0.8, True, False),
    wire.SpendingLimit("project", "medical", "month", 1.5, 1.5, MONTH, 0.5, True, True),
)


def report(
    by: str = "provider", since: str = "today", limits: tuple[wire.SpendingLimit, ...] = LIMITS
) -> wire.SpendingReport:
    """A cloud with a price and one call without, a plan, and this machine."""
    rows = {
        "provider": (WORK, FLAT, LOCAL),
        "client": (replace(WORK, name="zed"), replace(FLAT, name="aider"), replace(LOCAL, name="")),
        "model": tuple(replace(each, name=f"{each.name}/m") for each in (WORK, FLAT, LOCAL)),
        "day": (replace(LOCAL, name="2026-01-01"), replace(WORK, name="2026-01-02")),
    }.get(by, ())
    first = "2026-01-01" if since == "month" else "2026-01-02"
    return wire.SpendingReport(by, first, WHOLE, rows, limits, 1.9012, 31.4)  # type: ignore[arg-type]


def play(daemon: PlayedDaemon) -> None:
    """Have it answer so."""
    daemon.answers["GET spending"] = lambda query: report(query.get("by", "provider"), query.get("since", "today"))


def nothing(daemon: PlayedDaemon) -> None:
    """Nobody was asked yet."""
    daemon.answers["GET spending"] = wire.SpendingReport("provider", "2026-01-02", wire.Sums(""), (), (), 0.0, 0.0)
