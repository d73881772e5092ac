"""Tests of what is kept of conversations."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.routing.sessions import IDLE_S, KEPT, Sessions, in_tool_loop
from providers.contract import Message, Text, ToolResult
from tests.fakes.asking import asking
from tests.fakes.clock import HeldClock

FIRST = asking("hello")


def test_the_next_turn() -> None:
    """It is known by the session that the client names, else by how it began."""
    sessions = Sessions(HeldClock())
    sessions.keep(FIRST, 1, "code", "local/a")
    sessions.keep(replace(asking("other"), session="s"), 1, "code", "local/b")

    later = sessions.last(asking("hello", "and then?"))
    named = sessions.last(replace(asking("whatever"), session="s"))

    assert later
    assert (later.decision, later.candidate) == ("code", "local/a")
    assert named
    assert named.candidate == "local/b"
    assert sessions.last(replace(FIRST, client="somebody")) is None
    assert sessions.last(replace(FIRST, model="nearloop/flash")) is None
    assert sessions.last(replace(FIRST, session="hello")) is None


def test_after_a_while_it_is_over() -> None:
    """A cache is cold by then; and no more are kept than is worth it."""
    clock = HeldClock()
    sessions = Sessions(clock)
    sessions.keep(FIRST, 1, "code", "local/a")

    clock.advance(IDLE_S + 1)

    assert sessions.last(FIRST) is None
    for place in range(KEPT + 1):
        sessions.keep(asking(str(place)), 1, "code", "local/a")
    assert sessions.last(asking("0")) is None
    assert sessions.last(asking(str(KEPT))) is not None


def test_no_words_are_kept() -> None:
    """Only keyed hashes of them."""
    sessions = Sessions(HeldClock())
    sessions.keep(asking("a canary sings"), 1, "code", "local/a")

    assert "canary" not in repr(vars(sessions))


def test_tool_loops() -> None:
    """The last message is what a tool gave back."""
    result = Message("tool", (ToolResult("1", (Text("x"),)),))

    assert in_tool_loop(replace(FIRST, messages=(*FIRST.messages, result)))
    assert not in_tool_loop(replace(FIRST, messages=(*FIRST.messages, result, *FIRST.messages)))
    assert not in_tool_loop(FIRST)
