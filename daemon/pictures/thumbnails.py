"""Small pictures of those that a request carried, for records whose words are kept: made anew of pixels, and nothing else.

They are made by the eyes' process, as all that decodes pictures is. The last ones are held, since a conversation comes back
whole with each turn.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from datetime import timedelta
from typing import Final, Literal, Protocol

from msgspec.structs import replace

from daemon.clock import Clock, Moment
from daemon.pictures.carried import data_url
from daemon.pictures.memory import KEPT_S
from edge_models.vision.ipc import Painted
from edge_models.vision.limits import Unseeable
from providers.contract import File, Image, Request
from providers.texts import carried, with_carried

SIDE: Final = 160
"""Pixels, of the longer side."""
HELD: Final = 256
"""Some 2 MB."""


class Painter(Protocol):
    """What makes pictures anew: `daemon.pictures.service.Pictures`."""

    async def bytes_of(self, url: str) -> bytes: ...

    async def paint(
        self, data: bytes, *, max_side: int | None = None, form: Literal["jpeg", "png"] | None = None
    ) -> Painted: ...


class Thumbnails:
    """Those of late."""

    def __init__(self, painter: Painter, clock: Clock) -> None:
        self._painter = painter
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._held: OrderedDict[bytes, tuple[Moment, bytes]] = OrderedDict()

    async def of(self, request: Request) -> dict[str, bytes]:
        """By the path of each picture that was looked at: a JPEG. What can't be made small has none."""
        found: dict[str, bytes] = {}
        for path, part in carried(request):
            if isinstance(part, Image) and part.sight is not None:
                try:
                    found[path] = await self._of(part.url)
                except Unseeable:
                    continue
        return found

    async def _of(self, url: str) -> bytes:
        """Raises Unseeable."""
        key = hashlib.blake2b(url.encode("utf-8", "surrogatepass"), key=self._secret, digest_size=32).digest()
        came, small = self._held.get(key, (None, b""))
        if came is None or came.age_s >= KEPT_S:
            small = (await self._painter.paint(await self._painter.bytes_of(url), max_side=SIDE, form="jpeg")).data
            self._held[key] = (Moment(self._clock), small)
        self._held.move_to_end(key)
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        return small

    def forget_older(self, span: timedelta) -> None:
        """What was made longer ago."""
        for key in [key for key, (came, _) in self._held.items() if came.age_s >= span.total_seconds()]:
            del self._held[key]


def made_small(request: Request, thumbnails: Mapping[str, bytes]) -> Request:
    """The request as it is kept: a thumbnail for each picture that has one, and no content of any other picture or file."""

    def small(path: str, part: Image | File) -> Image | File:
        if path in thumbnails:
            return replace(part, url=data_url(thumbnails[path], "jpeg"), sight=None)
        if part.url[:5].lower() == "data:":
            return replace(part, url=part.url.partition(",")[0] + ",", sight=None)
        return replace(part, sight=None)

    return with_carried(request, {path: small(path, part) for path, part in carried(request)})
