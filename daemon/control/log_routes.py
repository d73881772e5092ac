"""The control API's log: what the daemon said of itself since it started."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from litestar import Request as HttpRequest
from litestar import get
from litestar.params import QueryParameter
from litestar.types import ControllerRouterHandler

from daemon.callers import Callers, bearer, require
from daemon.log_ring import CAPACITY, LogRing
from daemon.wire import Log

Http = HttpRequest[Any, Any, Any]


def log_routes(ring: LogRing, callers: Callers, file: Path) -> list[ControllerRouterHandler]:
    """/nearloop/v1/log. file: where a detached daemon writes the same."""

    @get("/nearloop/v1/log")
    async def log(request: Http, limit: Annotated[int, QueryParameter(ge=1, le=CAPACITY)] = 200) -> Log:
        require(callers.identify(bearer(request.headers)), "admin")
        lines = ring.last(limit)
        return Log(lines, lines[0].number - 1 if lines else 0, str(file))

    return [log]
