"""Anthropic's count of a prompt's tokens."""

from __future__ import annotations

from typing import Any

from litestar import Request as HttpRequest
from litestar import Response, post
from litestar.types import ControllerRouterHandler

from daemon.protocols import anthropic
from daemon.surfaces.arriving import arrived
from daemon.surfaces.counting import count
from daemon.surfaces.served import Served
from providers.wire import anthropic as wire


def routes(served: Served) -> list[ControllerRouterHandler]:
    """The one address. The header `x-nearloop-count` says how it was counted."""

    @post(f"{anthropic.PATH}/count_tokens", name="count_tokens", status_code=200)
    async def count_tokens(request: HttpRequest[Any, Any, Any]) -> Response[wire.TokenCount]:
        caller, envelope = await arrived(request.scope, served)
        counted = await count(anthropic.read_count(await request.body(), envelope), caller, served)
        headers = {"x-nearloop-count": "exact" if counted.exact else "estimate", "request-id": envelope.id}
        return Response(wire.TokenCount(counted.tokens), headers=headers)

    return [count_tokens]
