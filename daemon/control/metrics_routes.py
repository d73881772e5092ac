"""The daemon's metrics, at the address where Prometheus looks for them."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from litestar import Request as HttpRequest
from litestar import Response, route
from litestar.types import ControllerRouterHandler

from daemon.callers import Callers, bearer, require
from daemon.metrics.counting import Metrics
from daemon.metrics.exposition import CONTENT_TYPES, Format, written

Http = HttpRequest[Any, Any, Any]
_OFFERED: Final[dict[str, Format]] = {"text/plain": "text", "application/openmetrics-text": "openmetrics"}


def metrics_routes(metrics: Metrics, callers: Callers) -> list[ControllerRouterHandler]:
    """/metrics."""

    @route("/metrics", http_method=["GET", "HEAD"])
    async def all_of_them(request: Http) -> Response[bytes]:
        require(callers.identify(bearer(request.headers)), "read:records")
        wanted = request.accept.best_match(list(_OFFERED), default="text/plain")
        format = _OFFERED.get(wanted or "", "text")
        text = await asyncio.to_thread(written, metrics.readings(), format)
        return Response(text, headers={"content-type": CONTENT_TYPES[format], "cache-control": "no-store"})

    return [all_of_them]
