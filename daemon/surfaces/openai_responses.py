"""What OpenAI Responses has besides answers: those that are kept, what was asked for them, and counts of input."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, delete, get, post
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from daemon.callers import bearer, require
from daemon.errors import BadRequest
from daemon.protocols import openai_responses as codec
from daemon.surfaces.arriving import arrived
from daemon.surfaces.counting import count
from daemon.surfaces.served import Served
from daemon.surfaces.turns import Kept
from providers.wire import openai_responses as wire

Http = HttpRequest[Any, Any, Any]
PAGE: Final = 20
MOST: Final = 100
_decode_item: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_text: Final = msgspec.json.Decoder(str).decode


def routes(served: Served) -> list[ControllerRouterHandler]:
    """An answer read again and deleted, its input, and a count. The header `x-nearloop-count` says how it was counted."""
    turns = served.turns

    def client(request: Http) -> str | None:
        caller = served.callers.identify(bearer(request.headers))
        require(caller, "infer:local")
        return caller.name

    @get("/v1/responses/{id:str}", name="response")
    async def response(request: Http, id: FromPath[str]) -> Response[bytes]:
        if request.query_params.get("stream") in ("true", "1"):
            raise BadRequest("stream: an answer that is kept is given whole: leave it out", "stream")
        kept = await turns.find(id, client(request))
        return Response(kept.response, media_type="application/json")

    @delete("/v1/responses/{id:str}", name="response-deleted", status_code=200)
    async def forget(request: Http, id: FromPath[str]) -> wire.Deleted:
        await turns.forget(id, client(request))
        return wire.Deleted(id)

    @get("/v1/responses/{id:str}/input_items", name="response-input")
    async def input_items(request: Http, id: FromPath[str]) -> wire.ItemList:
        conversation = await turns.conversation(id, client(request))
        return page(items_of(conversation), request.query_params)

    @post("/v1/responses/input_tokens", name="response-tokens", status_code=200)
    async def input_tokens(request: Http) -> Response[wire.InputTokens]:
        caller, envelope = await arrived(request.scope, served)
        body = await request.body()
        envelope = await turns.recalled(body, envelope)
        counted = await count(codec.read_count(body, envelope), caller, served)
        headers = {"x-nearloop-count": "exact" if counted.exact else "estimate"}
        return Response(wire.InputTokens(counted.tokens), headers=headers)

    return [response, forget, input_items, input_tokens]


def items_of(conversation: list[Kept]) -> list[dict[str, Any]]:
    """All that was read for the last answer, in order; each item has a name and a status.

    What nobody reads here stays bytes: a number in it may be larger than any of ours.
    """
    listed: list[dict[str, Any]] = []
    for place, turn in enumerate(conversation):
        last = place == len(conversation) - 1
        for number, raw in enumerate(turn.items if last else (*turn.items, *turn.output)):
            item = _decode_item(raw)
            kind = _text(item.get("type")) or "message"
            shown: dict[str, Any] = {"status": "completed", **item, "type": kind}
            shown["id"] = _text(item.get("id")) or f"{'msg' if kind == 'message' else 'item'}_{turn.id}_in_{number}"
            if kind == "message" and (words := _text(item.get("content"))) is not None:
                form = "output_text" if _text(item.get("role")) == "assistant" else "input_text"
                shown["content"] = [{"type": form, "text": words}]
            listed.append(shown)
    return listed


def _text(raw: msgspec.Raw | None) -> str | None:
    """A string; None for whatever else."""
    given = bytes(raw) if raw is not None else b""
    return _decode_text(given) if given.startswith(b'"') else None


def page(items: list[dict[str, Any]], query: Any) -> wire.ItemList:
    """What a query asks for of them: the newest first unless `order=asc`, behind the item `after`. Raises BadRequest."""
    order = query.get("order", "desc")
    if order not in ("asc", "desc"):
        raise BadRequest("order: asc or desc", "order")
    limit = query.get("limit", str(PAGE))
    if not (limit.isdecimal() and len(limit) < 4 and 1 <= int(limit) <= MOST):
        raise BadRequest(f"limit: a number from 1 to {MOST}", "limit")
    ordered = items if order == "asc" else items[::-1]
    if (after := query.get("after")) is not None:
        places = [place for place, item in enumerate(ordered) if item["id"] == after]
        if not places:
            raise BadRequest("after: no item has this id", "after")
        ordered = ordered[places[0] + 1 :]
    shown = ordered[: int(limit)]
    first, last = (shown[0]["id"], shown[-1]["id"]) if shown else (None, None)
    return wire.ItemList(shown, first, last, has_more=len(ordered) > len(shown))
