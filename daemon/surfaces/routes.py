"""All client routes: one handler a codec, and what protocols have besides."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

from daemon.protocols.registry import PROTOCOLS
from daemon.surfaces.answering import answering
from daemon.surfaces.registry import SURFACES
from daemon.surfaces.served import Served


def routes(served: Served) -> list[ControllerRouterHandler]:
    """Of all protocols."""
    handlers = [answering(codec, served) for codec in PROTOCOLS.values()]
    return [*handlers, *(route for surface in SURFACES for route in surface(served))]
