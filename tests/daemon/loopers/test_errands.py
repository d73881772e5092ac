"""What an errand makes of the client's request."""

from __future__ import annotations

from daemon.loopers.base import Errand
from daemon.loopers.errands import only_added, request_for
from providers.contract import Image, Message, Request, Sampling, Text, Tool, ToolCall, ToolResult
from providers.texts import fields

TOOL = Tool("look", "", {"type": "object"})
PICTURE = Image("https://example.invalid/a.png")


def request(*messages: Message, **more: object) -> Request:
    return Request(id="0" * 16, model="auto", protocol="t", messages=messages, **more)  # type: ignore[arg-type]


ASKED = request(
    Message("system", (Text("Be brief."),)),
    Message("user", (Text("What is this?"), PICTURE)),
    tools=(TOOL,),
    tool_choice="required",
    schema={"type": "object"},
    sampling=Sampling(max_tokens=50, seed=7, stop=("\n",), choices=3),
)


def test_the_conversation_stays_and_words_come_behind() -> None:
    """Parts that are no text are kept, at their places, and two turns of the user's never follow each other."""
    made = request_for(ASKED, Errand("a", "panel", words="Think."))

    assert made.messages == (
        ASKED.messages[0],
        Message("user", (*ASKED.messages[1].parts, Text("\n\nThink."))),
    )
    assert (made.tools, made.tool_choice, made.schema) == ((), "auto", ASKED.schema)
    assert made.sampling == Sampling(max_tokens=50, seed=7, stop=("\n",))


def test_behind_a_tool_s_result_a_turn_begins() -> None:
    """Words don't go into a tool's result."""
    turns = (Message("assistant", (ToolCall("c", "look", "{}"),)), Message("tool", (ToolResult("c", (Text("x"),)),)))

    made = request_for(request(*turns, tools=(TOOL,)), Errand("a", "step", words="Go on.", tools=True))

    assert made.messages == (*turns, Message("user", (Text("Go on."),)))
    assert made.tools == (TOOL,)


def test_our_own_question_has_its_own_form() -> None:
    """Schema, stop strings and length of the client's answer are not those of a judge's."""
    made = request_for(ASKED, Errand("j", "judge", words="Judge.", own=True, max_tokens=300, temperature=0.0))

    assert made.schema is None
    assert made.sampling == Sampling(max_tokens=300, seed=7, temperature=0.0)


def test_each_draw_has_its_seed() -> None:
    """The same seed twice would give the same words twice."""
    draws = [request_for(ASKED, Errand(str(n), "panel", draw=n)).sampling.seed for n in range(3)]

    assert draws == [7, 8, 9]


def test_what_is_looked_at_again_stands_at_its_place() -> None:
    """The added words have the path that they have in what leaves, and nothing else is read a second time."""
    errand = Errand("a", "synthesis", words="Answers: Ada Byron")

    [added] = fields(only_added(ASKED, errand))

    assert added in fields(request_for(ASKED, errand))
    assert added.text == "\n\nAnswers: Ada Byron"
