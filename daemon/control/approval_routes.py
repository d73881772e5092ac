"""The control API of what waits for the user's word, and of what was let pass.

The very words of what waits are told to nobody but the admin token, which is in a file of the user's; a client's token with
the scope `admin` sees what would stand in their place.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import Request as HttpRequest
from litestar import get, post
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from daemon.boundary.approvals import Approvals
from daemon.boundary.holds import Hold, Holds, State
from daemon.callers import Caller, Callers, bearer, require
from daemon.errors import BadRequest
from daemon.settings import ADMIN
from daemon.wire import Approval, ApprovalNews, Approved, HeldFind, NewAnswer, NewApproval
from daemon.wire import Approvals as Waiting

Http = HttpRequest[Any, Any, Any]


def approval_routes(approvals: Approvals, holds: Holds, callers: Callers) -> list[ControllerRouterHandler]:
    """Those below /nearloop/v1/approvals."""

    def admin(request: Http) -> Caller:
        caller = callers.identify(bearer(request.headers))
        require(caller, "admin")
        return caller

    @get("/nearloop/v1/approvals")
    async def waiting(request: Http) -> Waiting:
        admin(request)
        return Waiting(tuple(shown(hold, words=False) for hold in holds.waiting))

    @get("/nearloop/v1/approvals/{id:str}")
    async def one(request: Http, id: FromPath[str]) -> Approval:
        caller = admin(request)
        return shown(holds.find(id), words=caller.name == ADMIN)

    @post("/nearloop/v1/approvals/{id:str}", status_code=200)
    async def answer(request: Http, id: FromPath[str]) -> Approval:
        admin(request)
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewAnswer)
        except msgspec.DecodeError as error:
            raise BadRequest(
                "an answer is {answer, scope}: allow, mask or deny, and once, session or project"
            ) from error
        return shown(await holds.answer(id, wanted.answer, wanted.scope), words=False)

    @post("/nearloop/v1/approvals", status_code=201)
    async def approve(request: Http) -> Approved:
        admin(request)
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewApproval)
        except msgspec.DecodeError as error:
            raise BadRequest("an approval is {record, scope}, with the scope once or project") from error
        return Approved(await asyncio.to_thread(approvals.allow, wanted.record, wanted.scope))

    return [waiting, one, answer, approve]


def shown(hold: Hold, words: bool) -> Approval:
    """One that waits. words: whether who asks may read them."""
    question = hold.question
    return Approval(
        id=hold.id,
        kind=question.kind,
        record=question.record,
        at=hold.at,
        until=hold.until,
        finds=tuple(
            HeldFind(find.label, find.count, find.path, find.masked, find.words if words else None)
            for find in question.finds
        ),
        client=question.client,
        session=question.session,
        project=question.project,
        provider=question.provider,
        model=question.model,
        tool=question.tool,
        may_mask=question.may_mask,
    )


def news(hold: Hold, state: State) -> ApprovalNews:
    """For who watches: that it is there, and what classes it is about."""
    classes: dict[str, int] = {}
    for find in hold.question.finds:
        classes[find.label] = classes.get(find.label, 0) + find.count
    return ApprovalNews(hold.id, hold.question.kind, state, hold.until, hold.question.provider, classes)
