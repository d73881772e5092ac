"""Small pictures for records."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.pictures.carried import data_url
from daemon.pictures.thumbnails import HELD, SIDE, Thumbnails, made_small
from edge_models.vision.ipc import Painted
from edge_models.vision.limits import BROKEN, Unseeable
from providers.contract import File, Image, Request
from tests.fakes.clock import HeldClock
from tests.fakes.sights import picture, result, shown, sight, unseen

FIRST = "messages[0].parts[1]"


class Painter:
    """Makes `small: DATA` of each picture, and counts."""

    def __init__(self) -> None:
        self.painted: list[tuple[bytes, int | None, str | None]] = []

    async def bytes_of(self, url: str) -> bytes:
        if not url.startswith("data:"):
            raise Unseeable(BROKEN)
        return url.encode()

    async def paint(self, data: bytes, *, max_side: int | None = None, form: str | None = None) -> Painted:
        self.painted.append((data, max_side, form))
        return Painted(1, b"small", "jpeg", 160, 120)


def numbered(number: int) -> Request:
    return shown("x", Image(data_url(str(number).encode(), "png"), sight=sight()))


async def test_pictures_that_were_looked_at_have_one() -> None:
    """As a JPEG of 160 pixels; files, what nobody could look at, and what can't be painted have none."""
    painter = Painter()
    request = shown(
        "x", picture(), unseen(), File("data:application/pdf;base64,", sight=sight()), after=(result(picture()),)
    )
    away = shown("x", Image("https://pictures.test/a.png", sight=sight()))

    assert await Thumbnails(painter, HeldClock()).of(request) == {FIRST: b"small", "messages[1].parts[0].0": b"small"}
    assert [(side, form) for _, side, form in painter.painted] == [(SIDE, "jpeg")]  # the same picture twice
    assert await Thumbnails(painter, HeldClock()).of(away) == {}


async def test_they_are_made_once_and_forgotten() -> None:
    """A conversation comes back whole; an hour later, or when records are deleted, nothing is left."""
    painter, clock = Painter(), HeldClock()
    held = Thumbnails(painter, clock)

    await held.of(numbered(1))
    await held.of(numbered(1))
    assert len(painter.painted) == 1

    held.forget_older(timedelta())
    await held.of(numbered(1))
    assert len(painter.painted) == 2

    clock.advance(3601)
    await held.of(numbered(1))
    assert len(painter.painted) == 3


async def test_so_many_are_held() -> None:
    """The oldest go first."""
    painter = Painter()
    held = Thumbnails(painter, HeldClock())

    for number in range(HELD + 1):
        await held.of(numbered(number))
    await held.of(numbered(HELD))
    assert len(painter.painted) == HELD + 1
    await held.of(numbered(0))
    assert len(painter.painted) == HELD + 2


def test_what_is_kept_is_small() -> None:
    """No picture's or file's own bytes are kept, and no word that was seen; addresses stay."""
    request = shown(
        "x",
        picture(words="canary"),
        unseen(),
        File("data:application/pdf;base64,Y2FuYXJ5", name="a.pdf"),
        Image("https://a.test/b"),
    )

    kept = made_small(request, {FIRST: b"small"}).messages[0].parts

    assert kept[1:] == (
        Image(data_url(b"small", "jpeg")),
        Image("data:image/png;base64,"),
        File("data:application/pdf;base64,", name="a.pdf"),
        Image("https://a.test/b"),
    )


@pytest.mark.slow
async def test_the_real_eyes_make_them() -> None:
    """A JPEG within 160 pixels, of pixels alone."""
    pytest.importorskip("rapidocr")
    from PIL import Image as Pillow

    from daemon.pictures.service import Pictures
    from edge_models.vision.process import EyesProcess
    from tests.fakes.drawn import note, saved

    service = Pictures(EyesProcess(), HeldClock(), 60.0, 10, 24 << 20)
    try:
        drawn = Image(data_url(saved(note(["Dear Mrs Miller,"])), "png"), sight=sight())
        (small,) = (await Thumbnails(service, HeldClock()).of(shown("x", drawn))).values()
    finally:
        service.close()
    from io import BytesIO

    opened = Pillow.open(BytesIO(small))
    assert (opened.format, max(opened.size)) == ("JPEG", SIDE)
