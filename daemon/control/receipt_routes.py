"""The control API's receipts: what left, whether their chain holds, and what that proves."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime
from typing import Annotated, Any, Final

from litestar import Request as HttpRequest
from litestar import get
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.types import ControllerRouterHandler

from daemon.ages import age, moment
from daemon.callers import Callers, bearer, require
from daemon.clock import Clock
from daemon.errors import NotFound, StoreError
from daemon.receipts.checking import check
from daemon.receipts.files import links
from daemon.receipts.folding import newest, numbered
from daemon.receipts.proof import prove
from daemon.receipts.store import Receipts
from daemon.records import Store, before
from daemon.wire import LocalProof, Receipt, ReceiptChain
from daemon.wire import Receipts as Shown

MAX_RECEIPTS: Final = 1000
Http = HttpRequest[Any, Any, Any]


def receipt_routes(receipts: Receipts, store: Store, callers: Callers, clock: Clock) -> list[ControllerRouterHandler]:
    """/nearloop/v1/receipts and /nearloop/v1/prove-local."""

    def allow(request: Http) -> None:
        require(callers.identify(bearer(request.headers)), "read:records")

    @get("/nearloop/v1/receipts")
    async def shown(
        request: Http,
        since: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=MAX_RECEIPTS)] = 50,
    ) -> Shown:
        allow(request)
        start = before(clock.now(), age(since, "since")) if since else None
        await receipts.flush()
        try:
            return Shown(await asyncio.to_thread(newest, receipts.folder, start, limit))
        except OSError as error:
            raise _unreadable(error) from error

    @get("/nearloop/v1/receipts/chain")
    async def chain(request: Http) -> ReceiptChain:
        allow(request)
        await receipts.flush()
        try:
            return await asyncio.to_thread(check, receipts.folder)
        except OSError as error:
            raise _unreadable(error) from error

    @get("/nearloop/v1/receipts/{number:int}")
    async def one(request: Http, number: FromPath[int]) -> Receipt:
        allow(request)
        await receipts.flush()
        try:
            found = await asyncio.to_thread(numbered, receipts.folder, number)
        except OSError as error:
            raise _unreadable(error) from error
        if found is None:
            raise NotFound(f"there is no receipt {number}: `nearloop receipts list` shows those there are")
        return found

    @get("/nearloop/v1/prove-local")
    async def proof(request: Http, since: FromQuery[str]) -> LocalProof:
        allow(request)
        now = clock.now()
        start = moment(since, now, "since")
        await receipts.flush()
        records = await store.receipts(start)
        try:
            return await asyncio.to_thread(_proven, receipts, records, start, now)
        except OSError as error:
            raise _unreadable(error) from error

    return [shown, chain, one, proof]


def _proven(receipts: Receipts, records: tuple[tuple[str, Receipt], ...], start: datetime, now: datetime) -> LocalProof:
    """As `nearloop prove-local` says it."""
    chain = check(receipts.folder)
    return prove(start, now, chain, links(receipts.folder), records, os.getpid())


def _unreadable(error: OSError) -> StoreError:
    return StoreError(f"the receipts can't be read ({error.strerror}): check the folder's permissions")
