"""A request said with less, or kept as it is."""

from __future__ import annotations

import pytest

from daemon.boundary.reduction.request import reduced_request
from providers.contract import Image, Message, Request, Text, Tool, ToolCall, ToolResult

TOLD = "The only surgeon in Tucson was fired in 2019. Draft a letter."


def asked(*messages: Message, tools: tuple[Tool, ...] = ()) -> Request:
    return Request(id="0" * 16, model="cloud", messages=messages, tools=tools, protocol="test")


def test_each_turn_is_said_with_less_but_the_systems() -> None:
    """What the user and the model said before is told again, and has to be as vague; the same text becomes the same."""
    system = Message("system", (Text("You are the only surgeon in Tucson, fired in 2019."),))
    request = asked(
        system, Message("user", (Text(TOLD),)), Message("assistant", (Text("Sure."),)), Message("user", (Text(TOLD),))
    )
    made = reduced_request(request)

    assert made.request is not None
    assert made.why is None
    assert made.request.messages[0] == system
    assert made.request.messages[1] == made.request.messages[3]
    assert made.request.messages[1].parts == (Text("About someone: work. Draft a letter."),)
    assert made.request.messages[2] == request.messages[2]
    assert made.changes["person"] == 2


@pytest.mark.parametrize(
    "request_",
    [
        asked(Message("user", (Text(TOLD),)), tools=(Tool("f", "", {}),)),
        asked(Message("user", (Text(TOLD), Image("data:image/png;base64,AA==")))),
        asked(
            Message("user", (Text(TOLD),)),
            Message("assistant", (ToolCall("c", "f", "{}"),)),
            Message("tool", (ToolResult("c", (Text("x"),)),)),
        ),
    ],
)
def test_what_is_no_mere_conversation_is_left(request_: Request) -> None:
    """Agents' turns and pictures stay, and it is said why."""
    made = reduced_request(request_)

    assert (made.request, made.why) == (None, "tools")


def test_one_turn_in_doubt_keeps_all() -> None:
    """There is no half of a conversation."""
    made = reduced_request(
        asked(
            Message("user", (Text(TOLD),)),
            Message("user", (Text("Summarize: the principal of the largest school in Fresno was arrested in 2019."),)),
        )
    )

    assert (made.request, made.why) == (None, "told")
