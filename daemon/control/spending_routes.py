"""The control API's money: what was spent, by whom and where, and what may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import msgspec
from litestar import Request as HttpRequest
from litestar import get, put
from litestar.params import FromQuery
from litestar.types import ControllerRouterHandler

from daemon.ages import moment
from daemon.callers import Callers, bearer, require
from daemon.errors import BadRequest, BadSettings
from daemon.money import keeping
from daemon.money.days import day_of
from daemon.money.purses import Purses
from daemon.records import Store
from daemon.settings import CLIENT_NAME, Settings, SettingsFile, Spent
from daemon.wire import NewLimit, SpendingLimit, SpendingReport, Sums
from providers.prices import NANO

Http = HttpRequest[Any, Any, Any]


def spending_routes(
    purses: Purses, store: Store, callers: Callers, file: SettingsFile, take_in: Callable[[Settings], None]
) -> list[ControllerRouterHandler]:
    """/nearloop/v1/spending. take_in: is given new settings."""

    async def shown(by: str, since: str | None) -> SpendingReport:
        if by not in keeping.BY:
            raise BadRequest(f"spending is told by: {', '.join(keeping.BY)}", "by")
        first = _first_day(since, purses)
        rows = rows_of(await store.spending(by, first))
        found = tuple(sorted(rows, key=lambda each: (-each.cost_usd, each.name) if by != "day" else (0.0, each.name)))
        whole = rows_of(("", kind, sums) for _, kind, sums in await store.spending("provider", first))
        return SpendingReport(
            by=by,  # type: ignore[arg-type]  # looked at above
            since=first.isoformat(),
            whole=whole[0] if whole else Sums(""),
            rows=found,
            limits=limits_of(purses),
            today_usd=purses.spent_nano("day") / NANO,
            month_usd=purses.spent_nano("month") / NANO,
        )

    @get("/nearloop/v1/spending")
    async def spending(
        request: Http, by: FromQuery[str] = "provider", since: FromQuery[str | None] = None
    ) -> SpendingReport:
        require(callers.identify(bearer(request.headers)), "read:records")
        return await shown(by, since)

    @put("/nearloop/v1/spending", status_code=200)
    async def limit(request: Http) -> SpendingReport:
        require(callers.identify(bearer(request.headers)), "admin")
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewLimit)
            usual = Spent()
            spent = msgspec.convert(
                {
                    "day_usd": wanted.day_usd,
                    "month_usd": wanted.month_usd,
                    "warn_at": usual.warn_at if wanted.warn_at is None else wanted.warn_at,
                },
                Spent,
            )
        except msgspec.ValidationError as error:
            raise BadRequest(
                f"a limit is {{scope, name, day_usd, month_usd, warn_at}}, in USD, from 0 on or null: {error}"
            ) from error
        except msgspec.DecodeError as error:
            raise BadRequest("a limit is {scope, name, day_usd, month_usd, warn_at}") from error
        if (wanted.scope == "all") == bool(wanted.name):
            raise BadRequest("a limit of all has no name, and any other has one", "name")
        if wanted.name and not CLIENT_NAME.fullmatch(wanted.name) and wanted.scope != "project":
            raise BadRequest("no provider and no client has such a name", "name")
        try:
            take_in(file.limit_spending(wanted.scope, wanted.name, spent))
        except BadSettings as error:
            raise BadRequest(str(error)) from error
        return await shown("provider", None)

    return [spending, limit]


def _first_day(since: str | None, purses: Purses) -> date:
    """Today's, without a word; a month's first day; else that of a moment."""
    now = purses.now
    if since in (None, "today"):
        return day_of(now)
    if since == "month":
        return day_of(now).replace(day=1)
    return day_of(moment(since or "", now, "since"))


def limits_of(purses: Purses) -> tuple[SpendingLimit, ...]:
    """As they stand now."""
    return tuple(
        SpendingLimit(
            each.scope,
            each.name,
            each.period,
            each.limit_nano / NANO,
            each.spent_nano / NANO,
            each.until,
            each.warn_at,
            each.near,
            each.reached,
        )
        for each in purses.standings
    )


def rows_of(found: Iterable[tuple[str, str, keeping.Sums]]) -> list[Sums]:
    """One for each name, from sums that are apart by place and billing. Money is summed before it is divided."""
    parts: dict[str, list[tuple[str, str, keeping.Sums]]] = {}
    for name, kind, sums in found:
        place, _, billing = kind.partition(" ")
        parts.setdefault(name, []).append((place, billing, sums))
    return [_row(name, some) for name, some in parts.items()]


def _row(name: str, parts: list[tuple[str, str, keeping.Sums]]) -> Sums:
    def calls(*billings: str) -> int:
        return sum(sums.calls for _, billing, sums in parts if billing in billings)

    beyond = [sums for place, _, sums in parts if place != "device"]
    every = [sums for _, _, sums in parts]
    here = [sums for place, _, sums in parts if place == "device"]
    return Sums(
        name=name,
        calls=sum(each.calls for each in every),
        cost_usd=sum(each.nano for each in beyond) / NANO,
        priced=calls("known", "told"),
        told=calls("told"),
        plan=calls("plan"),
        unpriced=calls("unknown"),
        free=calls("none"),
        reckoned=sum(each.reckoned for each in every),
        lost=sum(each.lost for each in every),
        lost_usd=sum(each.lost_nano for each in every) / NANO,
        prompt_tokens=sum(each.prompt for each in every),
        cached_tokens=sum(each.cached for each in every),
        stored_tokens=sum(each.stored + each.stored_long for each in every),
        completion_tokens=sum(each.written for each in every),
        answers=sum(each.answers for each in here),
        local_s=round(sum(each.took_ms - each.aside_ms for each in here) / 1000, 3),
        aside_s=round(sum(each.aside_ms for each in here) / 1000, 3),
        joules=round(sum(each.joules for each in here), 3),
        measured=sum(each.measured for each in here),
        saved_usd=sum(each.saved_nano for each in here) / NANO,
        compared=sum(each.compared for each in here),
    )
