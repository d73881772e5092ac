"""The studio of the boundary, as the eyes make it."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from msgspec.structs import replace

from daemon.boundary.boxes import Box
from daemon.boundary.painting import Form
from daemon.errors import NotPainted
from daemon.pictures.service import Looked
from daemon.pictures.studio import studio_of
from daemon.signals.base import Observation
from edge_models.engines.base import EngineError, Unavailable
from edge_models.vision.ipc import Painted
from edge_models.vision.limits import BROKEN, Unseeable
from providers.contract import Image, Message, Request, Sight
from tests.fakes.asking import asking

BOX: Box = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))


class Eyes:
    """Sees one thing in every picture. fails: what painting raises."""

    def __init__(self, fails: Unseeable | EngineError | None = None) -> None:
        self._fails = fails

    async def look(self, request: Request) -> Looked:
        (message,) = request.messages
        parts = tuple(replace(part, sight=Sight(form="png")) for part in message.parts if isinstance(part, Image))
        return Looked(replace(request, messages=(Message("user", parts),)), {}, {})

    async def bytes_of(self, url: str) -> bytes:
        return url.encode()

    async def paint(self, data: bytes, boxes: Collection[Box], max_side: int | None, form: Form | None) -> Painted:
        if self._fails is not None:
            raise self._fails
        return Painted(1, data + f" {len(boxes)} {max_side} {form}".encode(), "png", 1, 1)


async def nothing(request: Request) -> tuple[Observation, ...]:
    return ()


async def test_it_paints_what_it_looked_at() -> None:
    """The bytes are those that the same eyes read of the picture's address."""
    studio = studio_of(Eyes(), nothing)
    looked = await studio.look(asking(messages=(Message("user", (Image("data:x"),)),)))

    assert await studio.painter.paint("data:x", (BOX,), 512, "jpeg") == b"data:x 1 512 jpeg"
    assert looked.messages[0].parts == (Image("data:x", sight=Sight(form="png")),)
    assert studio.observe is nothing


@pytest.mark.parametrize("fails", [Unseeable(BROKEN), Unavailable("gone")])
async def test_what_fails_is_not_painted(fails: Unseeable | EngineError) -> None:
    """Whatever happens to the eyes, the boundary hears that the picture can't leave."""
    with pytest.raises(NotPainted) as refused:
        await studio_of(Eyes(fails), nothing).painter.paint("data:x", (), 512, None)
    assert refused.value.code == "not-painted"
