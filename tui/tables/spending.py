"""Limits of what may be spent in clouds: as bars, in words, and typed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from textual.content import Content

from daemon import wire
from tui.drawing import scale
from tui.panels.writing import cell, said
from tui.tones import Tone, Toned
from tui.words import counted, money

Scope = Literal["all", "provider", "project", "client"]
WARN_AT: Final = 0.8
"""The settings' own, where nothing else is said."""
MOST_USD: Final = 1_000_000
"""Of a limit, as the settings take it."""
_NAME: Final = 12
_SUM: Final = 10
_BAR: Final = (8, 40)
"""Cells of a bar, at least and at most."""
_PERIODS: Final[dict[str, str]] = {"day": "today", "month": "this month"}


class Whose(NamedTuple):
    """Whose limit. name: empty for all."""

    scope: Scope = "all"
    name: str = ""

    @property
    def told(self) -> str:
        """In words."""
        return "in all clouds" if self.scope == "all" else f"{_BY[self.scope]} {self.name}"


_BY: Final[dict[str, str]] = {"provider": "at", "project": "for the project", "client": "by the client"}


def share(limit: wire.SpendingLimit) -> float:
    """Of it that is spent; all of a limit of 0."""
    return limit.spent_usd / limit.limit_usd if limit.limit_usd else 1.0


def tone(limit: wire.SpendingLimit) -> Tone:
    """How bad it is."""
    return "bad" if limit.reached else "warn" if limit.near else "good"


def of(report: wire.SpendingReport, whose: Whose) -> list[wire.SpendingLimit]:
    """One scope's limits, of a day first."""
    found = [each for each in report.limits if (each.scope, each.name) == whose]
    return sorted(found, key=lambda each: each.period)


def bars(report: wire.SpendingReport, width: int, others: int) -> list[Content]:
    """Today and this month in all clouds, with a limit or without; then so many limits of others, the nearest first."""
    whole = {each.period: each for each in of(report, Whose())}
    lines = []
    for period, usd in (("day", report.today_usd), ("month", report.month_usd)):
        limit = whole.get(period)  # type: ignore[call-overload]  # by a period
        lines.append(bar(_PERIODS[period], limit, width) if limit else _unlimited(_PERIODS[period], usd))
    rest = sorted((each for each in report.limits if each.scope != "all"), key=lambda each: -share(each))
    lines += [bar(each.name, each, width, f" a {each.period}") for each in rest[:others]]
    if rest[others:]:
        more = counted(len(rest) - others, "more limit")
        lines.append(said(Toned(f"and {more}: `nearloop limit` shows all", "muted")))
    return lines


def bar(name: str, limit: wire.SpendingLimit, width: int, period: str = "") -> Content:
    """How one stands: `work  $1.24 ━━━━───┃── of $5.00 a day, 25 %, until 00:00`. The stroke is where the user is told."""
    state = ", reached: this machine answers" if limit.reached else ", near" if limit.near else ""
    until = f"{limit.until.astimezone():%H:%M}" if limit.period == "day" else f"{limit.until.astimezone():%d %b}"
    after = f" of {money(limit.limit_usd)}{period}, {min(999, 100 * share(limit)):.0f} %{state}, until {until}"
    cells = max(_BAR[0], min(_BAR[1], width - _NAME - _SUM - len(after) - 1))
    drawn = scale(share(limit), limit.warn_at, cells)
    return said(
        Toned(cell(name, _NAME - 1) + " ", "muted"),
        Toned(money(limit.spent_usd).rjust(_SUM), "strong"),
        Toned(f" {drawn}", tone(limit)),
        Toned(after, "plain" if not limit.near else tone(limit)),
    )


def _unlimited(name: str, usd: float) -> Content:
    return said(
        Toned(name.ljust(_NAME), "muted"),
        Toned(money(usd).rjust(_SUM), "strong"),
        Toned(" no limit; L sets one", "muted"),
    )


def written(limits: Sequence[wire.SpendingLimit]) -> dict[str, str]:
    """As they are typed."""
    found: dict[str, str] = {each.period: f"{each.limit_usd:.12g}" for each in limits}
    if (warn_at := next((each.warn_at for each in limits), WARN_AT)) != WARN_AT:
        found["warn_at"] = f"{100 * warn_at:.12g}"
    return found


def limit_of(whose: Whose, typed: dict[str, str]) -> wire.NewLimit | str:
    """What was typed; or what is wrong with it."""
    day, month = (_number(typed[key].removeprefix("$").strip()) if key in typed else None for key in ("day", "month"))
    if any(usd is not None and not 0 <= usd <= MOST_USD for usd in (day, month)):
        return "USD is an amount from 0 on, such as 2.50, or nothing: no limit"
    part = _number(typed["warn_at"].removesuffix("%").strip()) if "warn_at" in typed else None
    if part is not None and not 0 < part <= 100:
        return "the warning comes at a share above 0 and up to 100 %, or nothing: 80 %"
    return wire.NewLimit(whose.scope, whose.name, day, month, None if part is None else part / 100)


def _number(words: str) -> float:
    """-1: it is none."""
    try:
        number = float(words.replace(",", "."))
    except ValueError:
        return -1.0
    return number if math.isfinite(number) else -1.0


def may(limit: wire.NewLimit) -> str:
    """`$5.00 a day, $50.00 a month`."""
    named = ((limit.day_usd, "day"), (limit.month_usd, "month"))
    return (
        ", ".join(f"{money(usd)} a {period}" for usd, period in named if usd is not None) or "as much as is asked for"
    )
