"""The playground: asking, stopping, two side by side, and what a reader's word does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from daemon import wire
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_records import draft, escalated, record
from tests.tui.conftest import Opening, until
from tui.screens.choose import Choose
from tui.screens.request import Request
from tui.widgets.answer import Answer

HERE = record(40, draft(0.83))
BEYOND = escalated(41)


async def said_here(question: str) -> AsyncGenerator[str, None]:
    yield HERE.id
    yield "You asked: "
    yield f"{question}\nand \x1b[2Jmore"


async def said_beyond(question: str) -> AsyncGenerator[str, None]:
    yield BEYOND.id
    yield "From afar"


@pytest.fixture
def told(played: PlayedDaemon) -> PlayedDaemon:
    """Answers `auto` and `local` here, `cloud` beyond."""
    played.streams |= {"auto": said_here, "local": said_here, "cloud": said_beyond}
    modal = {"id": "nearloop/decide", "output_modalities": ["decisions"]}
    played.answers["GET /v1/models"] = {"data": [{"id": "auto"}, {"id": "local"}, {"id": "cloud"}, modal]}
    return played


@pytest.fixture
async def pilot(told: PlayedDaemon, opening: Opening) -> AsyncIterator[Pilot[None]]:
    async with opening() as opened:
        await opened.press("7")
        await until(opened, lambda: isinstance(opened.app.focused, Input))
        yield opened


def answer(pilot: Pilot[Any], id: str = "first") -> Answer:
    return pilot.app.screen.query_one(f"#{id}", Answer)


def words(pilot: Pilot[Any], id: str = "first") -> str:
    return "\n".join(str(each.render()) for each in answer(pilot, id).query("Static"))


async def test_an_answer_comes_with_what_it_took(pilot: Pilot[None], told: PlayedDaemon) -> None:
    """The words as they come, as words; then, from the record, who answered, how sure, how far the words went."""
    await pilot.press(*"hello 1", "enter")
    await until(pilot, lambda: "You asked: hello 1\nand \\x1b[2Jmore" in words(pilot))
    told.say("record", HERE, HERE.id)
    await until(pilot, lambda: "⌂ stayed" in words(pilot))

    assert "0.83 needs 0.62, certified" in words(pilot)
    assert "local/SmolLM2" in words(pilot)


async def test_a_record_that_was_quicker(pilot: Pilot[None], told: PlayedDaemon) -> None:
    """It may be known before the last word is here."""
    told.say("record", HERE, HERE.id)
    await until(pilot, lambda: HERE.id in pilot.app.link.picture.records)  # type: ignore[attr-defined]
    await pilot.press(*"hi", "enter")
    await until(pilot, lambda: "⌂ stayed" in words(pilot))

    seen = answer(pilot).told
    assert seen.first_s is not None
    assert 0 <= seen.first_s <= seen.took_s


async def test_two_side_by_side(pilot: Pilot[None], told: PlayedDaemon) -> None:
    """This machine and the cloud get the same question; what left is told beneath the one that left; and one alone again."""
    await pilot.press("escape", "b", "i", *"hi", "enter")
    await until(pilot, lambda: "You asked: hi" in words(pilot) and "From afar" in words(pilot, "second"))
    assert answer(pilot).told.model == "local"
    told.say("record", BEYOND, BEYOND.id)
    await until(pilot, lambda: "3 values left as aliases" in words(pilot, "second"))
    await pilot.press("b")

    assert not answer(pilot, "second").display


async def test_a_word_on_it_is_learned_from(pilot: Pilot[None], told: PlayedDaemon) -> None:
    """Right or wrong goes to the record of the answer with the frame; what the daemon won't learn from is said."""
    verdicts = []

    def learned(body: dict[str, Any]) -> wire.Learned:
        verdicts.append(body["right"])
        return wire.Learned(HERE.id, "chat.short", len(verdicts))

    told.answers[f"POST records/{HERE.id}/outcome"] = learned
    told.refusals[f"POST records/{BEYOND.id}/outcome"] = "not a local model's"
    await pilot.press("escape", "y")
    await until(pilot, lambda: any("no whole answer" in each.message for each in pilot.app._notifications))
    await pilot.press("b", "i", *"hi", "enter")
    await until(pilot, lambda: answer(pilot).told.state == answer(pilot, "second").told.state == "ended")
    await pilot.press("n")
    await until(pilot, lambda: "✗ wrong" in words(pilot))
    await pilot.press("y")
    await until(pilot, lambda: "✓ right" in words(pilot))
    assert verdicts == [False, True]

    await pilot.press("tab", "y")
    await until(pilot, lambda: any("not a local" in each.message for each in pilot.app._notifications))
    assert answer(pilot, "second").told.verdict is None


async def test_stopping_hangs_up(pilot: Pilot[None], told: PlayedDaemon) -> None:
    """esc ends the connection, by which the daemon knows, and keeps the words that came."""
    gone = asyncio.Event()

    async def endless(question: str) -> AsyncGenerator[str, None]:
        yield HERE.id
        try:
            while True:
                yield "word "
                await asyncio.sleep(0.01)
        finally:
            gone.set()

    told.streams["auto"] = endless
    await pilot.press(*"go", "enter")
    await until(pilot, lambda: "word word" in words(pilot))
    await pilot.press("escape")
    await until(pilot, lambda: "stopped" in words(pilot) and gone.is_set())

    assert answer(pilot).told.words.startswith("word ")


async def test_somebody_else_is_asked(pilot: Pilot[None]) -> None:
    """The names are the daemon's, without what makes no words; esc leaves it as it was."""
    await pilot.press("escape", "m")
    await until(pilot, lambda: isinstance(pilot.app.screen, Choose))
    await pilot.press("down", "down", "enter")
    await until(pilot, lambda: "cloud" in words(pilot))
    await pilot.press("m")
    await until(pilot, lambda: isinstance(pilot.app.screen, Choose))
    await pilot.press("escape", "i", *"x", "enter")
    await until(pilot, lambda: "From afar" in words(pilot))


async def test_a_refusal_stands_where_the_answer_would(pilot: Pilot[None], told: PlayedDaemon) -> None:
    """In the daemon's own words."""
    told.refusals["POST /v1/chat/completions"] = "the budget is spent"
    await pilot.press(*"hi", "enter")
    await until(pilot, lambda: "the budget is spent" in words(pilot))

    assert answer(pilot).told.state == "failed"


async def test_its_request_opens_and_words_are_copied(pilot: Pilot[None], told: PlayedDaemon) -> None:
    """`o` shows why, `c` takes the answer; an empty question is none."""
    told.say("record", HERE, HERE.id)
    await pilot.press(*"  ", "enter")
    assert answer(pilot).told.state == "idle"
    await pilot.press(*"hi", "enter")
    await until(pilot, lambda: answer(pilot).told.state == "ended")
    await pilot.press("c", "o")
    await until(pilot, lambda: isinstance(pilot.app.screen, Request))

    assert pilot.app.clipboard.startswith("You asked:")
