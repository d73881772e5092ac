"""Work that waits, packed, and the ids that lead back to it."""

from __future__ import annotations

import pytest

from daemon.loopers.flow_plan import one_step
from daemon.loopers.flow_state import FlowState, Result, goes_on_with, packed, renamed, unpacked
from providers.contract import Message, Request, Text, ToolCall, ToolResult

KEY = "0123456789abcdef"
CALL = ToolCall(f"flow_{KEY}_0", "look", "{}")


def request(*messages: Message) -> Request:
    return Request(id="0" * 16, model="auto", protocol="t", messages=messages)


def test_it_comes_back_as_it_was() -> None:
    """And what can't be read is nothing."""
    state = FlowState(one_step(("a",)), {"s": (Result("a", "words"),)}, "step-1", "a", (Result("b", "more"),), 3)

    assert unpacked(packed(state)) == state
    assert unpacked(None) is None
    assert unpacked(b"\x00") is None


def test_calls_are_named_anew() -> None:
    """Each with a number, and words stay as they are."""
    parts = (Text("Look:"), ToolCall("x", "look", "{}"), ToolCall("y", "look", "{}"))

    assert renamed(parts, KEY) == (Text("Look:"), CALL, ToolCall(f"flow_{KEY}_1", "look", "{}"))


@pytest.mark.parametrize("role", ["tool", "user"])
def test_a_result_leads_back(role: str) -> None:
    """In whichever turn a protocol has results, if they are behind the last answer."""
    turns = (
        Message("user", (Text("hi"),)),
        Message("assistant", (CALL,)),
        Message(role, (ToolResult(CALL.id, (Text("x"),)),)),  # type: ignore[arg-type]
    )

    assert goes_on_with(request(*turns)) == KEY
    assert (
        goes_on_with(request(*turns, Message("assistant", (Text("done"),)), Message("user", (Text("and?"),)))) is None
    )


@pytest.mark.parametrize("id", ["call_1", f"flow_{KEY}", f"flow_{KEY[1:]}_0", f"flow_{KEY}_0\n", "flow_../../x_0"])
def test_other_ids_lead_nowhere(id: str) -> None:
    """A client's own ids, and made-up ones of another form."""
    turns = (Message("assistant", (ToolCall(id, "look", "{}"),)), Message("tool", (ToolResult(id, (Text("x"),)),)))

    assert goes_on_with(request(*turns)) is None
