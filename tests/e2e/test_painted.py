"""Pictures through a whole daemon: what leaves is painted, in every protocol, and what was seen in them stands nowhere."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from PIL import Image as Pictures

from daemon.boundary.painting import Studio
from daemon.decision.rules import Candidate
from daemon.loopers.base import Errand
from providers.cleared import Place
from providers.contract import Message, Request, Text
from providers.texts import carried, with_carried
from tests.fakes.fuzz_house import Answer, House, house
from tests.fakes.pictures import Drawn, DrawnEyes, PillowPainter, drawn

pytestmark = pytest.mark.slow

MAIL: Final = "jane.keller@millbrook.org"
WORDS: Final = ("Quokkafest", "millbrook", "Thylacine")
CODE: Final = {"code_screenshot": 0.93}
PAGE: Final = drawn(
    [f"# {WORDS[0]} 2026", f'notify("{MAIL}", when="always", retries=3)', f"# {WORDS[2]} ends here"], kinds=CODE
)
QUIET: Final = drawn([f"for each in {WORDS[0]}: print(each)  # a long enough line"], kinds=CODE)
PHOTO: Final = drawn([f"{WORDS[0]} on the beach, in the evening sun"], kinds={"photo": 0.97})


class Seeing:
    """A daemon that sees what was drawn."""

    def __init__(self, here: House, painter: PillowPainter) -> None:
        self.here = here
        self.painter = painter
        self.pipeline: Any = here._daemon.state._pipeline

    async def ask(self, path: str, body: dict[str, Any]) -> Answer:
        return await self.here.asked(path, body)

    @property
    def sent(self) -> list[bytes]:
        """What left since this was asked for last."""
        return self.here._network.sent.pop(-1, [])

    async def record(self, answer: Answer) -> Any:
        store = self.pipeline._store
        async with asyncio.timeout(20):
            while True:
                try:
                    return (await store.find(answer.headers["x-nearloop-record"])).record
                except Exception:  # not yet written
                    await asyncio.sleep(0.01)


@pytest.fixture
async def seeing(home: Path) -> AsyncIterator[Seeing]:
    eyes = DrawnEyes(PAGE, QUIET, PHOTO)
    painter = PillowPainter()
    async with house(home, Place.CLOUD) as here:
        pipeline: Any = here._daemon.state._pipeline
        visit, rooms = pipeline.visit, pipeline.rooms

        def looked(request: Request, *more: Any, **options: Any) -> Any:
            seen = {
                path: type(part)(**{**{name: getattr(part, name) for name in part.__struct_fields__}, "sight": known})
                for path, part in carried(request)
                if (known := SIGHTS.get(part.url.partition(",")[2])) is not None
            }
            return visit(with_carried(request, seen), *more, **options)

        pipeline.visit = looked
        rooms.studio = Studio(painter, eyes.look, rooms.observer.observe)
        yield Seeing(here, painter)


def coded(page: Drawn) -> str:
    return base64.b64encode(page.data()).decode()


SIGHTS: Final = {coded(page): page.sight for page in (PAGE, QUIET, PHOTO)}


def bodies(page: Drawn, model: str) -> dict[str, dict[str, Any]]:
    """A question about a picture, as each protocol has it."""
    url = f"data:image/png;base64,{coded(page)}"
    said = "Find the bug, please."
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": coded(page)}}
    return {
        "/v1/chat/completions": {
            "model": model,
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": said}, {"type": "image_url", "image_url": {"url": url}}],
                }
            ],
        },
        "/v1/responses": {
            "model": model,
            "input": [
                {
                    "role": "user",
                    "content": [{"type": "input_text", "text": said}, {"type": "input_image", "image_url": url}],
                }
            ],
        },
        "/v1/messages": {
            "model": model,
            "max_tokens": 50,
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": said}, image]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "shot", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [image]}]},
            ],
            "tools": [{"name": "shot", "input_schema": {"type": "object"}}],
        },
        "/api/chat": {
            "model": model,
            "messages": [{"role": "user", "content": said, "images": [coded(page)]}],
            "stream": False,
        },
        "/api/generate": {"model": model, "prompt": said, "images": [coded(page)], "stream": False},
    }


PATHS: Final = tuple(bodies(PAGE, "x"))


def pictures_in(body: bytes) -> list[bytes]:
    return [base64.b64decode(each) for each in re.findall(rb"data:image/[a-z]+;base64,([A-Za-z0-9+/=]+)", body)]


@pytest.mark.parametrize("path", PATHS)
async def test_what_leaves_is_painted(seeing: Seeing, path: str) -> None:
    """Whatever the client speaks: no letter of the address in its pixels, and no word that was seen in what is sent, in
    logs, events, records or headers.
    """
    answer = await seeing.ask(path, bodies(PAGE, "near/big")[path])
    assert answer.status == 200, answer.body
    (body,) = seeing.sent
    pictures = pictures_in(body)

    assert len(pictures) == (2 if path == "/v1/messages" else 1)
    for each in pictures:
        left = DrawnEyes(PAGE).read(each).text
        assert "jane" not in left
        assert "millbrook" not in left
        assert WORDS[0] in left
        assert Pictures.open(io.BytesIO(each)).size == PAGE.picture.size
    record = await seeing.record(answer)
    events = await seeing.pipeline._events.read(0, 0)
    told = [body, str(answer.headers).encode(), answer.body, repr(record).encode(), repr(events).encode()]
    told += [line.encode() for lines in seeing.here._listener.said.values() for line in lines]
    for word in WORDS:
        assert all(word.encode() not in each for each in told)
    assert b'"sight"' not in body
    assert record.egress == "masked"
    assert [receipt.masks for receipt in record.receipts] == [{"EMAIL_ADDRESS": len(pictures)}]


@pytest.mark.parametrize("path", PATHS)
async def test_a_photograph_stays(seeing: Seeing, path: str) -> None:
    """It is refused by its class and place, and nothing of it is painted or sent."""
    answer = await seeing.ask(path, bodies(PHOTO, "near/big")[path])

    assert answer.status == (400 if path in ("/v1/responses", "/v1/messages") else 403)
    assert b"photo in messages[0].parts" in answer.body
    assert WORDS[0].encode() not in answer.body
    assert seeing.sent == []
    assert seeing.painter.asked == []


@pytest.mark.parametrize("path", PATHS)
async def test_a_local_model_is_told_the_words(seeing: Seeing, path: str) -> None:
    """Where it may not leave, and the client is told that no picture was seen; the record too."""
    answer = await seeing.ask(path, bodies(PHOTO, "local")[path])

    assert answer.status == 200, answer.body
    assert "pictures" in answer.headers["x-nearloop-ignored"]
    assert "pictures" in (await seeing.record(answer)).ignored
    assert seeing.sent == []


async def test_who_may_see_it_comes_first(seeing: Seeing) -> None:
    """`auto` does not have a draft made by who only reads the words; where the picture has to stay, that one answers."""
    seeing.pipeline.rooms.network.online = lambda: True
    open_to = await seeing.ask(PATHS[0], bodies(QUIET, "auto")[PATHS[0]])
    assert (await seeing.record(open_to)).decision.rule == "auto-pictures"
    assert len(seeing.sent) == 1

    stays = await seeing.ask(PATHS[0], bodies(PHOTO, "auto")[PATHS[0]])
    record = await seeing.record(stays)
    assert (record.decision.rule, record.egress) == ("auto-private", "none")
    assert seeing.sent == []


async def test_what_can_still_be_read_stays(seeing: Seeing) -> None:
    """With a painter that does nothing the cloud is not asked: by name it is refused, and `auto` answers here."""
    seeing.painter.brush = None
    seeing.pipeline.rooms.network.online = lambda: True
    refused = await seeing.ask(PATHS[0], bodies(PAGE, "near/big")[PATHS[0]])
    assert refused.status == 403
    assert "still-readable" in (await seeing.record(refused)).notes

    answered = await seeing.ask(PATHS[0], bodies(PAGE, "auto")[PATHS[0]])
    record = await seeing.record(answered)
    assert answered.status == 200
    assert "still-readable" in record.notes
    assert record.egress == "none"
    assert seeing.sent == []


async def test_the_wall_shows_the_painted_picture(seeing: Seeing) -> None:
    """Its very bytes, and that something was painted over."""
    answer = await seeing.ask(PATHS[0], bodies(PAGE, "near/big")[PATHS[0]])
    wall = seeing.pipeline.rooms.wall.find(answer.headers["x-nearloop-record"])
    (body,) = seeing.sent

    assert json.loads(body)["messages"][0]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert all(WORDS[0] not in text.text for text in wall.texts)
    (left,) = wall.left
    assert [(each.label, each.value, each.alias, each.text) for each in left.masked] == [
        ("EMAIL_ADDRESS", MAIL, "[painted over]", None)
    ]


async def test_errands_and_hedges_get_painted_pictures(seeing: Seeing) -> None:
    """What a looper asks besides holds the same picture, and a name in its words is painted over in it as well."""
    page = drawn(
        [f'notify("{MAIL}")  # for all of them, every day', "# Harald Quellbrunner asked for this on Monday"],
        kinds=CODE,
    )
    image = replace(
        page.part(), sight=replace(page.sight, text=page.sight.text.replace("Harald Quellbrunner", "H. Que11brunner"))
    )
    seeing.pipeline.rooms.studio = replace(seeing.pipeline.rooms.studio, look=DrawnEyes(page).look)
    request = Request(
        id="ab" * 8,
        model="near/big",
        protocol="openai-chat",
        messages=(Message("user", (Text("Find the bug, please."), image)),),
    )
    visit = seeing.pipeline.visit(request, True)
    await visit.decide()
    calls = visit._asked(seeing.pipeline.ledger(None, visit._may_spend()))
    calls._hedges = True
    candidate = Candidate("near", "big")
    errand = Errand("check", "verifier", words=f"Another model says that {MAIL} is to be told of Quellbrunner GmbH.")
    for deltas in (calls(candidate), calls(candidate, errand), calls.hedge(candidate)):
        assert deltas is not None
        assert [delta async for delta in deltas]

    bodies = seeing.sent
    assert len(bodies) == 3
    for body in bodies:
        (picture,) = pictures_in(body)
        left = DrawnEyes(page).read(picture).text
        assert "jane" not in left
        assert "for all of them" in left
        assert MAIL.encode() not in body
    assert "Quellbrunner" not in DrawnEyes(page).read(pictures_in(bodies[1])[0]).text
    assert b"Quellbrunner" not in bodies[1]
