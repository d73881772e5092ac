"""Turns of conversations, told from each other without their words."""

from __future__ import annotations

from datetime import timedelta
from time import perf_counter
from typing import Any

import pytest
from msgspec.structs import replace

from daemon.learning.conversations import AGAIN_WITHIN_S, KEPT, Answered, Conversations
from providers.contract import Message, Part, Request, Text, ToolCall, ToolResult
from tests.fakes.clock import HeldClock

ASKED = Message("user", (Text("Who wrote Hamlet?"),))
SAID = Message("assistant", (Text("Marlowe."),))
MORE = Message("user", (Text("And when?"),))
CALL = ToolCall("c1", "look", "{}")


def request(*messages: Message, **more: Any) -> Request:
    return Request(**{"id": "0" * 16, "model": "auto", "protocol": "t", "messages": messages, **more})


def known(clock: HeldClock, *messages: Message, answer: str = "Marlowe.", **more: Any) -> Conversations:
    """What was asked so was answered so."""
    made = Conversations(clock)
    collapsed = more.pop("collapsed", None)
    turn = made.turn(request(*messages, **more))
    made.keep(turn, Answered("1" * 16, made.digest(answer), clock.monotonic(), collapsed=collapsed))
    return made


def result(failed: bool, call: str = "c1") -> Message:
    return Message("tool", (ToolResult(call, (Text("no such file"),), failed),))


def test_the_same_again_is_the_same() -> None:
    """By the same client, in time, and with the same instructions: another client's, or what asks for a title, is not."""
    clock = HeldClock()
    here = known(clock, ASKED, client="ada")

    assert here.same_asked(here.turn(request(ASKED, client="ada", model="cloud", stream=True))) is not None
    for other in (
        request(ASKED, client="bob"),
        request(ASKED, client="ada", session="s"),
        request(Message("system", (Text("Make a title."),)), ASKED, client="ada"),
        request(ASKED, SAID, MORE, client="ada"),
    ):
        assert here.same_asked(here.turn(other)) is None
    clock.advance(AGAIN_WITHIN_S + 1)
    assert here.same_asked(here.turn(request(ASKED, client="ada"))) is None


@pytest.mark.parametrize(
    ("behind", "linked"),
    [
        ((SAID, MORE), True),
        ((Message("assistant", (Text(" Marlowe.\n"),)), MORE), True),
        ((Message("assistant", (Text("Marl"),)), Message("assistant", (Text("owe."),)), MORE), True),
        ((SAID, MORE, SAID, MORE), False),
        ((Message("assistant", (Text("Shakespeare."),)), MORE), False),
        ((MORE,), False),
        ((SAID,), False),
    ],
    ids=["next", "trimmed", "in two messages", "two turns on", "another answer", "no answer", "nothing behind it"],
)
def test_a_next_turn_goes_on_from_the_answer_that_was_given(behind: tuple[Message, ...], linked: bool) -> None:
    """And from no other one."""
    here = known(HeldClock(), ASKED)

    assert (here.gone_on_from(here.turn(request(ASKED, *behind))) is not None) == linked


@pytest.mark.parametrize(
    ("answer", "back", "failed"),
    [
        ((CALL,), (result(True),), True),
        ((CALL,), (result(False),), False),
        ((CALL,), (result(True, "c0"),), False),
        ((Text("x"),), (result(True),), False),
        ((CALL,), (result(False), MORE), False),
    ],
    ids=["failed", "worked", "another call's", "no call", "worked, and more"],
)
def test_a_call_that_failed(answer: tuple[Part, ...], back: tuple[Message, ...], failed: bool) -> None:
    """By the client's own mark, of a call in the answer that it comes back to."""
    here = Conversations(HeldClock())

    assert here.turn(request(ASKED, Message("assistant", answer), *back)).failed == failed


def test_a_collapse_is_known_to_the_next_turn() -> None:
    """Also if the same is asked again, and in a session by its name; not to others, and not to the turn after."""
    clock = HeldClock()
    here = known(clock, ASKED, collapsed="local", session="s")

    def collapsed(*messages: Message, session: str | None = "s") -> str | None:
        return here.collapsed(here.turn(request(*messages, session=session)))

    assert collapsed(ASKED, SAID, MORE) == "local"
    assert collapsed(ASKED) == "local"
    assert collapsed(MORE) == "local"
    assert collapsed(ASKED, SAID, MORE, session=None) is None
    assert collapsed(MORE, session="t") is None

    here.keep(here.turn(request(ASKED, SAID, MORE, session="s")), Answered("2" * 16, b"", clock.monotonic()))
    assert collapsed(ASKED, SAID, MORE, SAID, ASKED) is None


def test_what_is_deleted_is_forgotten() -> None:
    """By age, as records are; and the oldest, if there are too many."""
    clock = HeldClock()
    here = known(clock, ASKED)
    clock.advance(60)
    turn = here.turn(request(ASKED))

    here.forget_older(timedelta(seconds=61))
    assert here.same_asked(turn) is not None
    here.forget_older(timedelta(seconds=60))
    assert here.same_asked(turn) is None

    for number in range(KEPT + 1):
        here.keep(replace(turn, asked=number.to_bytes(16, "big")), Answered("1" * 16, b"", clock.monotonic()))
    assert here.same_asked(replace(turn, asked=bytes(16))) is None
    assert here.same_asked(replace(turn, asked=KEPT.to_bytes(16, "big"))) is not None


def test_a_long_conversation_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    """300 kB take well under a millisecond of a free processor, printed; the bound is a slow machine's."""
    words = "wörter and words " * 200
    messages = tuple(Message("assistant" if place % 2 else "user", (Text(words),)) for place in range(87))
    long = request(*messages)
    here = Conversations(HeldClock())

    def took_ms() -> float:
        began = perf_counter()
        here.turn(long)
        return (perf_counter() - began) * 1000

    best = min(took_ms() for _ in range(50))
    with capsys.disabled():
        print(f"\n{sum(len(words) for _ in messages) / 1000:.0f} kB: {best:.2f} ms")
    assert best < 5
