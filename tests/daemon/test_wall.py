"""What is held of requests to be seen: how much, how long, and at which places."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import msgspec
import pytest

from daemon.boundary.aliases.base import Alias
from daemon.boundary.masking import Replaced
from daemon.wall import KEPT_S, Wall
from daemon.wall_wire import GlassWall, Masked
from providers.cleared import Crossing, Ended, Place, Returned
from providers.contract import Image, Message, Request, Sight, Text, Tool
from tests.fakes.clock import HeldClock
from tests.fakes.receipts import RECEIPT

EMAIL = Alias("grovrox@dolzom.example", "ada@lovelace.dev", "EMAIL_ADDRESS", "exact")
WORDS = "mail ada@lovelace.dev, please"
BODY = b'{"messages":"mail grovrox@dolzom.example, please"}'


def asked(*texts: str, id: str = "a" * 16, tools: tuple[Tool, ...] = ()) -> Request:
    return Request(
        id=id,
        model="auto",
        protocol="test",
        messages=tuple(Message("user", (Text(text),)) for text in texts),
        tools=tools,
    )


def replaced(path: str = "messages[0].parts[0]") -> tuple[Replaced, ...]:
    return (Replaced(path, 5, 21, EMAIL),)


async def crosses(wall: Wall, request: Request, body: bytes = BODY, source: Request | None = None) -> GlassWall:
    """One that leaves, as the pipeline has it."""
    watched = wall.open(request).crossing(source or request, replaced(), 0)
    before: list[Crossing] = []

    async def witness(crossing: Crossing) -> Ended:
        before.append(crossing)
        watched.written(msgspec.structs.replace(RECEIPT, number=7, body_bytes=len(crossing.body)))
        return lambda returned: None

    ended = await watched.watching(witness)(Crossing("h", Place.CLOUD, len(body), "aa", body=body))
    ended(Returned(200, 1, True))
    assert len(before) == 1
    return wall.find(request.id)


async def test_both_sides_are_held() -> None:
    """The client's texts, the very bytes, and where something stood for what."""
    shown = await crosses(Wall(HeldClock()), asked(WORDS, tools=(Tool("look", "Looks up", {}),)))

    assert shown.held == "yes"
    assert [(each.role, each.path, each.text) for each in shown.texts] == [("user", "messages[0].parts[0]", WORDS)]
    (left,) = shown.left
    assert (left.body, left.receipt, left.attempt, left.provider) == (BODY, 7, 0, "work")
    assert left.masked == (Masked(EMAIL.label, EMAIL.value, EMAIL.text, 0, 5, 21),)
    assert shown.texts[0].text[5:21] == EMAIL.value


async def test_places_are_those_of_the_client_s_words() -> None:
    """Where a recipe puts words before them; a value in words that are not the client's has no place."""
    wall = Wall(HeldClock())
    behind = asked("Be kind.", WORDS)
    watched = wall.open(asked(WORDS)).crossing(behind, replaced("messages[1].parts[0]"), 0)
    watched._pane.take(RECEIPT, BODY, behind, replaced("messages[1].parts[0]"), 0)
    watched._pane.take(
        RECEIPT, BODY, asked("for ada@lovelace.dev"), (Replaced("messages[0].parts[0]", 4, 20, EMAIL),), 1
    )

    first, second = wall.find("a" * 16).left
    assert [each.text for each in (*first.masked, *second.masked)] == [0, None]


async def test_words_in_pictures_have_no_place() -> None:
    """What was seen in one is no text of the client's, though it be the same as one."""
    picture = Image("data:image/png;base64,", sight=Sight(form="png", text=WORDS))
    request = asked(WORDS)
    request = msgspec.structs.replace(request, messages=(Message("user", (picture, Text(WORDS))),))
    wall = Wall(HeldClock())
    watched = wall.open(request).crossing(request, (), 0)
    places = (*replaced("messages[0].parts[0].sight"), *replaced("messages[0].parts[1]"))
    watched._pane.take(RECEIPT, BODY, request, places, 0)

    shown = wall.find(request.id)
    assert [each.path for each in shown.texts] == ["messages[0].parts[1]"]
    assert [each.text for each in shown.left[0].masked] == [None, 0]


async def test_an_audit_s_attempts_stand_behind_the_answer_s() -> None:
    """As its record has them."""
    wall = Wall(HeldClock())
    pane = wall.open(asked(WORDS))
    pane.take(RECEIPT, BODY, asked(WORDS), (), 1)
    pane.after(2).take(RECEIPT, BODY, asked(WORDS), (), 0)

    assert [left.attempt for left in wall.find("a" * 16).left] == [1, 2]


async def test_off_holds_nothing() -> None:
    """And says that it is off."""
    wall = Wall(HeldClock(), on=False)
    shown = await crosses(wall, asked(WORDS))

    assert (shown.held, shown.texts, shown.left, wall.size_bytes) == ("off", (), (), 0)


async def test_the_oldest_go_first() -> None:
    """By number of requests, and by bytes of all together; what is answered while it goes is not held again."""
    by_number = Wall(HeldClock(), requests=2)
    first = by_number.open(asked("one", id="1" * 16))
    for id in ("2", "3"):
        await crosses(by_number, asked(WORDS, id=id * 16))
    first.take(RECEIPT, BODY, asked("one"), (), 0)
    assert [by_number.find(id * 16).held for id in "123"] == ["gone", "yes", "yes"]

    by_bytes = Wall(HeldClock(), kept_bytes=40_000)
    for id in "12345":
        await crosses(by_bytes, asked("x" * 3000, id=id * 16), b"y" * 5000)
    assert 0 < by_bytes.size_bytes <= 40_000
    held = [by_bytes.find(id * 16).held for id in "12345"]
    assert held == sorted(held)  # gone before yes
    assert {"gone", "yes"} == set(held)


async def test_what_is_too_much_alone_is_not_held() -> None:
    """The others stay; how much it was, and its digest, are told all the same."""
    wall = Wall(HeldClock(), kept_bytes=40_000)
    await crosses(wall, asked(WORDS, id="1" * 16))
    body = await crosses(wall, asked(WORDS, id="2" * 16), b"y" * 20_000)
    words = await crosses(wall, asked("x" * 20_000, id="3" * 16))

    assert (body.left[0].body, body.left[0].body_bytes, body.left[0].masked, body.whole) == (None, 20_000, (), True)
    assert (words.texts, words.whole, words.left[0].body) == ((), False, BODY)
    assert wall.find("1" * 16).left[0].body == BODY


async def test_nothing_is_held_for_long() -> None:
    """What the user deletes records of goes with them, and all of it when the daemon ends."""
    clock = HeldClock()
    wall = Wall(clock)
    await crosses(wall, asked(WORDS, id="1" * 16))
    clock.advance(60)
    await crosses(wall, asked(WORDS, id="2" * 16))
    wall.forget_older(timedelta(seconds=60))
    assert [wall.find(id * 16).held for id in "12"] == ["gone", "yes"]

    keeping = asyncio.create_task(wall.keep())
    await asyncio.sleep(0)
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping
    assert (wall.find("2" * 16).held, wall.size_bytes) == ("gone", 0)


async def test_after_its_time_it_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself, while the daemon runs."""
    monkeypatch.setattr("daemon.wall.LOOK_S", 0.0)
    clock = HeldClock()
    wall = Wall(clock)
    await crosses(wall, asked(WORDS))
    clock.advance(KEPT_S)
    keeping = asyncio.create_task(wall.keep())
    async with asyncio.timeout(10):
        while wall.size_bytes:
            await asyncio.sleep(0)
    keeping.cancel()
    assert wall.find("a" * 16).held == "gone"


async def test_an_hour_is_an_hour() -> None:
    """What is too old is not shown, though nobody has looked for what is to be forgotten since."""
    clock = HeldClock()
    wall = Wall(clock)
    await crosses(wall, asked(WORDS))
    clock.advance(KEPT_S - 1)
    assert wall.find("a" * 16).held == "yes"
    clock.advance(1)
    assert (wall.find("a" * 16).held, wall.size_bytes) == ("gone", 0)


async def test_a_machine_that_slept_has_forgotten() -> None:
    """Its monotonic clock stood still meanwhile."""
    clock = HeldClock()
    wall = Wall(clock)
    await crosses(wall, asked(WORDS))
    clock.sleep(KEPT_S)
    assert (wall.find("a" * 16).held, wall.size_bytes) == ("gone", 0)


async def test_a_clock_that_is_set_back_keeps_nothing_longer() -> None:
    """What came before it was and what came after go at their own times."""
    clock = HeldClock()
    wall = Wall(clock)
    await crosses(wall, asked(WORDS, id="1" * 16))
    clock.sleep(-2 * KEPT_S)
    clock.advance(60)
    await crosses(wall, asked(WORDS, id="2" * 16))
    clock.advance(KEPT_S - 60)
    assert [wall.find(id * 16).held for id in "12"] == ["gone", "yes"]


async def test_what_is_no_text_can_be_told() -> None:
    """A lone half of a character pair is replaced, so that all other places stay where they are."""
    shown = await crosses(Wall(HeldClock()), asked("\ud83d and " + WORDS))

    assert msgspec.json.decode(msgspec.json.encode(shown), type=GlassWall).texts[0].text == "\ufffd and " + WORDS


async def test_no_words_in_what_is_printed_of_it() -> None:
    """Should one of its parts end in a message of an error."""
    shown = await crosses(Wall(HeldClock()), asked(WORDS))
    crossing = Crossing("h", Place.CLOUD, len(BODY), "aa", body=BODY)

    for part in (shown, shown.texts[0], shown.left[0], shown.left[0].masked[0], crossing):
        assert "lovelace" not in repr(part)
        assert "dolzom" not in repr(part)
