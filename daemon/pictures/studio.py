"""The studio of the boundary: pictures are painted, and looked at again, by the process that looked at them before."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from daemon.boundary.boxes import Box
from daemon.boundary.painting import Form, Observe, Studio
from daemon.errors import NotPainted
from daemon.pictures.service import Looked
from edge_models.engines.base import EngineError
from edge_models.vision.ipc import Painted
from edge_models.vision.limits import Unseeable
from providers.contract import Request


class Eyes(Protocol):
    """What it takes of `Pictures`."""

    async def look(self, request: Request) -> Looked:
        """Raises nothing."""
        ...

    async def bytes_of(self, url: str) -> bytes:
        """Raises Unseeable."""
        ...

    async def paint(self, data: bytes, boxes: Collection[Box], max_side: int | None, form: Form | None) -> Painted:
        """Raises Unseeable, EngineError."""
        ...


def studio_of(eyes: Eyes, observe: Observe) -> Studio:
    """observe: what reads the words that are seen again."""

    async def look(request: Request) -> Request:
        return (await eyes.look(request)).request

    return Studio(_Painter(eyes), look, observe)


class _Painter:
    def __init__(self, eyes: Eyes) -> None:
        self._eyes = eyes

    async def paint(self, url: str, boxes: tuple[Box, ...], max_side: int, form: Form | None) -> bytes:
        """As the boundary's Painter has it."""
        try:
            return (await self._eyes.paint(await self._eyes.bytes_of(url), boxes, max_side, form)).data
        except (Unseeable, EngineError) as error:
            raise NotPainted("not-painted", "a picture could not be made anew: the request stays here") from error
