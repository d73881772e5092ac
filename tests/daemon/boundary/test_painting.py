"""Pictures on their way out: drawn for real, painted by Pillow, looked at again, and read by the real signals."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

import pytest
from msgspec.structs import replace
from PIL import ExifTags
from PIL import Image as Pictures

from daemon import settings
from daemon.boundary.approvals import Approvals
from daemon.boundary.bare import form_of
from daemon.boundary.boxes import Box
from daemon.boundary.clear import Passage, clear
from daemon.boundary.desk import Desk
from daemon.boundary.holds import Holds
from daemon.boundary.painted import NOTHING
from daemon.boundary.painting import Easel, Form, Studio
from daemon.boundary.papers import Papers
from daemon.boundary.policy import Policies
from daemon.boundary.vault import Vault
from daemon.errors import NotPainted, Private, Refused
from daemon.recipes.signals import Signals
from daemon.signals.base import Kind, Observation
from daemon.signals.observe import Observer
from providers.cleared import Place
from providers.contract import Image, Message, Request, Text, ToolResult
from providers.pictures import longest_side
from tests.fakes.asking import asking, without_models
from tests.fakes.clock import HeldClock
from tests.fakes.pictures import Drawn, DrawnEyes, PillowPainter, data_of, drawn, url_of

MAIL: Final = "jane.keller@millbrook.org"
CARD: Final = "4111 1111 1111 1111"
KEY: Final = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
PAGE: Final = drawn(["Invoice 2026-114", f"Please write to {MAIL} for questions", "Thank you for your order"])


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    made = Observer(Signals(), without_models(guard=True, reduce=frozenset({"picture"})))
    yield made
    made.close()


class House:
    """One boundary. written: settings."""

    def __init__(self, observer: Observer, path: Path, written: str = "") -> None:
        approvals = Approvals(path / "approvals.json")
        self.holds = Holds(approvals, HeldClock(), 60.0)
        self.vault = Vault(b"k" * 32)
        self.observer = observer
        self.desk = Desk(Policies(settings.parse(written)), approvals, self.holds, self.vault, ("openai",))
        self.painter = PillowPainter()

    async def leave(self, request: Request, *pages: Drawn, model: str = "gpt-5") -> Passage:
        """As it would for a provider. Raises Private, Refused."""
        eyes = DrawnEyes(*pages or (PAGE,))
        papers = Papers(self.desk, request, await self.observer.observe(request))
        easel = Easel(Studio(self.painter, eyes.look, self.observer.observe), papers, self.vault)
        clearance = await papers.clearance("openai", model)
        painted = await easel.painted(request, clearance, "openai", lambda each: longest_side(model, each))
        return clear(request, clearance, Place.CLOUD, self.vault, "openai", painted)


@pytest.fixture
def house(observer: Observer, tmp_path: Path) -> House:
    return House(observer, tmp_path)


def shown(passage: Passage) -> list[bytes]:
    """The files of the pictures that leave."""
    found = []
    for message in passage.cleared.request.messages:
        for part in message.parts:
            for inner in part.parts if isinstance(part, ToolResult) else (part,):
                if isinstance(inner, Image):
                    assert inner.sight is None
                    found.append(data_of(inner.url))
    return found


def with_picture(part: Image, said: str = "Summarise this", **more: object) -> Request:
    return asking(messages=(Message("user", (Text(said), part)),), **more)


async def test_a_value_is_painted_over_and_the_rest_can_be_read(house: House) -> None:
    """What leaves has no letter of the address any more, and every letter of the other lines."""
    passage = await house.leave(with_picture(PAGE.part()))
    (file,) = shown(passage)
    left = DrawnEyes(PAGE).read(file).text

    assert not set(MAIL) - set(" ") & set(left.splitlines()[1][16 : 16 + len(MAIL)])
    assert left.splitlines()[0] == "Invoice 2026-114"
    assert left.splitlines()[2] == "Thank you for your order"
    assert passage.cleared.masks == {"EMAIL_ADDRESS": 1}
    assert form_of(file) == "png"


async def test_pictures_without_findings_are_made_anew(house: House) -> None:
    """Who took it and where, comments and what stands behind the end don't leave; its pixels do."""
    page = drawn(["A quiet page"])
    told = Pictures.Exif()
    told[ExifTags.Base.Artist] = "canary-5F2A"
    data = page.data("JPEG", exif=told, comment=b"canary-5F2A", quality=95) + b"canary-5F2A"
    part = Image(url_of(data, "jpeg"), sight=replace(page.sight, form="jpeg"))
    passage = await house.leave(with_picture(part), page)
    (file,) = shown(passage)

    assert b"canary" in data
    assert b"canary" not in file
    assert form_of(file) == "jpeg"
    assert DrawnEyes(page).read(file).text == "A quiet page"
    assert passage.cleared.masks == {}
    assert house.painter.asked == [((), 2048, None)]


@pytest.mark.parametrize(("model", "detail", "side"), [("claude-sonnet-4-5", None, 1568), ("gpt-5", "low", 512)])
async def test_it_is_no_larger_than_who_is_asked_looks_at(
    house: House, model: str, detail: str | None, side: int
) -> None:
    """By model and by the client's word; what is small stays as it is."""
    large = drawn(["A quiet page " * 12], size=32)
    passage = await house.leave(with_picture(replace(large.part(), detail=detail)), large, model=model)
    (file,) = shown(passage)

    assert large.picture.width > side
    assert max(Pictures.open(io.BytesIO(file)).size) == side

    passage = await house.leave(with_picture(replace(PAGE.part(), detail=None)), model=model)
    assert Pictures.open(io.BytesIO(shown(passage)[0])).size == PAGE.picture.size


async def test_what_was_found_in_words_is_painted_in_pictures(house: House) -> None:
    """A value that no signal finds in the picture, since OCR took a letter for another, is known from the text."""
    page = drawn(["Sent to jane.keller at mi11brook.org, as always, on Monday"])
    request = with_picture(page.part(), "Why does jane.keller@millbrook.org write?")
    misread = drawn(["Sent to jane.keIler@miIlbrook org, as always, on Monday"])
    passage = await house.leave(request, page)
    assert passage.cleared.masks == {"EMAIL_ADDRESS": 1}

    part = replace(
        misread.part(), sight=replace(misread.sight, text="Sent to jane.keIler@mi1lbrook.org, as always, on Monday")
    )
    passage = await house.leave(with_picture(part, "Why does jane.keller@millbrook.org write?"), misread)
    assert passage.cleared.masks == {"EMAIL_ADDRESS": 2}


async def test_every_line_of_every_picture(house: House) -> None:
    """A value is painted over wherever it stands, in lines of the same picture and in others."""
    first = drawn([f"Write to {MAIL} for questions", "and a line between", f"from {MAIL} with kind regards"])
    second = drawn(
        ["Another page that has other words in it, and more of them", f"which tells of {MAIL} in the end, again"]
    )
    request = asking(messages=(Message("user", (Text("look"), first.part(), second.part())),))
    passage = await house.leave(request, first, second)

    for page, file in zip((first, second), shown(passage), strict=True):
        assert "jane" not in DrawnEyes(page).read(file).text
        assert "millbrook" not in DrawnEyes(page).read(file).text
    assert passage.cleared.masks == {"EMAIL_ADDRESS": 3}


async def test_what_was_found_in_a_picture_is_masked_in_words(house: House) -> None:
    """The same value beside it has an alias."""
    passage = await house.leave(with_picture(PAGE.part(), f"Is {MAIL} yours?"))
    (text, _) = passage.cleared.request.messages[0].parts

    assert isinstance(text, Text)
    assert MAIL not in text.text
    assert passage.cleared.masks == {"EMAIL_ADDRESS": 2}


@pytest.mark.parametrize("angle", [-8, 5])
async def test_pages_that_lie_askew(house: House, angle: float) -> None:
    """Boxes are turned as their lines are."""
    page = drawn(["Some words before", f"and a card {CARD} to pay with at the end"], angle=angle)
    (file,) = shown(await house.leave(with_picture(page.part()), page))

    assert not set("4111 1111 1111 1111") & set(DrawnEyes(page).read(file).text.splitlines()[1][11:30]) - {" "}


async def test_pictures_in_results_of_tools(house: House) -> None:
    """A screenshot that a tool took is one as well."""
    page = drawn([f"export TOKEN={KEY}", "ls"], kinds={"code_screenshot": 0.9})
    result = Message("tool", (ToolResult("c1", (Text("taken"), page.part())),))
    passage = await house.leave(asking(messages=(Message("user", (Text("look"),)), result)), page)
    (file,) = shown(passage)

    assert KEY[4:] not in DrawnEyes(page).read(file).text
    assert sum(passage.cleared.masks.values()) == 1


async def test_what_can_still_be_read_does_not_leave(house: House) -> None:
    """A painter that paints nothing is seen, and its picture stays."""
    house.painter = PillowPainter(brush=None)
    with pytest.raises(NotPainted) as refused:
        await house.leave(with_picture(PAGE.part()))

    assert refused.value.code == "still-readable"
    assert len(house.painter.asked) == 2


async def test_what_is_only_read_now_is_painted_as_well(house: House) -> None:
    """A line that was overlooked at first is found when the painted picture is looked at, and painted over."""
    page = drawn([f"Write to {MAIL} for questions, please", "", f"or pay with {CARD} at the counter over there"])
    first = page.sight.lines[0]
    partly = replace(page.sight, text=page.sight.text[: first.end], lines=(first,))
    passage = await house.leave(with_picture(replace(page.part(), sight=partly)), page)
    (file,) = shown(passage)
    left = DrawnEyes(page).read(file).text

    assert len(house.painter.asked) == 2
    assert MAIL not in left
    assert CARD not in left
    assert "the counter over there" in left


class Broken:
    """A painter whose process is gone."""

    async def paint(self, url: str, boxes: tuple[Box, ...], max_side: int, form: Form | None) -> NoReturn:
        raise NotPainted("not-painted", "its process is gone")


class Careless(PillowPainter):
    """Leaves a comment in each file."""

    async def paint(self, url: str, boxes: tuple[Box, ...], max_side: int, form: Form | None) -> bytes:
        return await super().paint(url, boxes, max_side, form) + b"canary"


@pytest.mark.parametrize("painter", [Broken(), Careless()], ids=["broken", "careless"])
async def test_what_is_not_made_anew_does_not_leave(house: House, painter: PillowPainter) -> None:
    """Where painting fails, or something but pixels is left in a file."""
    house.painter = painter
    with pytest.raises(NotPainted) as refused:
        await house.leave(with_picture(drawn(["A quiet page"]).part()))
    assert refused.value.code == "not-painted"


async def test_without_a_studio_nothing_leaves(house: House) -> None:
    """Who can't paint has no pictures to send."""
    request = with_picture(PAGE.part())
    papers = Papers(house.desk, request, await house.observer.observe(request))
    easel = Easel(None, papers, house.vault)
    with pytest.raises(NotPainted):
        await easel.painted(request, papers.clearances.general, "openai", lambda each: 512)
    assert await easel.painted(asking("words"), papers.clearances.general, "openai", lambda each: 512) is NOTHING


async def test_a_signal_that_fails_over_the_painted_picture(house: House) -> None:
    """Nobody knows then what can be read, so it stays."""
    request = with_picture(PAGE.part())
    found = await house.observer.observe(request)
    papers = Papers(house.desk, request, found)

    async def fails(asked: Request) -> tuple[Observation, ...]:
        return (Observation(signal="secret", kind=Kind.PRIVACY, name="secret", error="Late"),)

    easel = Easel(Studio(house.painter, DrawnEyes(PAGE).look, fails), papers, house.vault)
    with pytest.raises(NotPainted) as refused:
        await easel.painted(request, papers.clearances.of("openai"), "openai", lambda each: 2048)
    assert refused.value.code == "still-readable"


async def test_each_is_painted_once(house: House) -> None:
    """Repetitions, and errands behind the same picture, get the same one; another size is another one."""
    request = with_picture(PAGE.part())
    papers = Papers(house.desk, request, await house.observer.observe(request))
    easel = Easel(Studio(house.painter, DrawnEyes(PAGE).look, house.observer.observe), papers, house.vault)
    clearance = papers.clearances.of("openai")
    said = Message("user", (*request.messages[0].parts, Text("and a check")))
    for asked in (request, request, replace(request, messages=(said,))):
        painted = await easel.painted(asked, clearance, "openai", lambda each: 2048)
        clear(asked, clearance, Place.CLOUD, house.vault, "openai", painted)
    assert len(house.painter.asked) == 1

    await easel.painted(request, clearance, "openai", lambda each: 1568)
    assert len(house.painter.asked) == 2


async def test_what_stays_is_not_painted(house: House) -> None:
    """A photograph stays in balanced; nobody is asked to paint it."""
    with pytest.raises(Private, match="1 photo in messages"):
        await house.leave(with_picture(drawn(["x"], kinds={"photo": 0.95}).part()))
    assert house.painter.asked == []


@pytest.fixture
def opened(observer: Observer, tmp_path: Path) -> House:
    return House(observer, tmp_path, 'policy = { privacy = "open" }')


async def test_in_open_secrets_are_painted(opened: House) -> None:
    """A mail address may be seen there, a key may not."""
    page = drawn([f"Login {MAIL} at work", f"export TOKEN={KEY}"], kinds={"photo": 0.9})
    (file,) = shown(await opened.leave(with_picture(page.part()), page))
    left = DrawnEyes(page).read(file).text

    assert MAIL in left
    assert KEY[4:] not in left


async def test_a_value_in_another_frame_does_not_leave(house: House) -> None:
    """The first frame alone is made anew."""
    page = drawn(["A quiet page", f"Write to {MAIL}"])
    first, second = page.sight.lines
    sight = replace(page.sight, form="gif", pages=2, lines=(first, replace(second, page=1)))
    quiet = drawn(["A quiet page", ""])
    part = Image(quiet.part().url, sight=sight)
    (file,) = shown(await house.leave(with_picture(part), quiet))

    assert DrawnEyes(quiet).read(file).text.strip() == "A quiet page"


async def test_refusals_hold_no_words(house: House) -> None:
    """Neither of the request nor of what was seen."""
    house.painter = PillowPainter(brush=None)
    with pytest.raises(Refused) as refused:
        await house.leave(with_picture(PAGE.part(), f"Who is {MAIL}?"))
    assert "jane" not in str(refused.value)
    assert "jane" not in repr(refused.value)
