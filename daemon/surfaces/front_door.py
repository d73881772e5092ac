"""`/`: where clients look whether anybody is there, before they ask for anything."""

from __future__ import annotations

from typing import Any, Final

from litestar import MediaType, route
from litestar import Request as HttpRequest
from litestar.types import ControllerRouterHandler

from daemon.surfaces.served import Served

OLLAMAS: Final = "Ollama is running"
"""Some clients hold these very words for the sign that its API is spoken here."""
OURS: Final = "Nearloop is running"


def routes(_: Served) -> list[ControllerRouterHandler]:
    """The one address. Claude Code looks at it too, with HEAD. It tells nobody anything, so nobody is asked who he is."""

    @route("/", http_method=["GET", "HEAD"], media_type=MediaType.TEXT, name="front-door")
    async def front_door(request: HttpRequest[Any, Any, Any]) -> str:
        return OURS if "text/html" in request.headers.get("accept", "") else OLLAMAS

    return [front_door]
