"""fold: from a stream to the whole answer."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from providers.contract import (
    BadAnswer,
    Choice,
    Delta,
    Finish,
    Key,
    Logprob,
    NoAnswer,
    Progress,
    Response,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
    fold,
)

CANARY = 'sk-live/9f8e"7d6c5b+4a3928'
USAGE = Usage(7, 3)
END = Finish("stop", USAGE)


async def stream(*deltas: Delta) -> AsyncIterator[Delta]:
    for delta in deltas:
        yield delta


async def test_text_is_joined() -> None:
    """The words of an answer are its deltas' words, with their details, in order."""
    one, two = Logprob(b"one", -0.5), Logprob(b" two", -0.25)

    whole = await fold(stream(TextDelta("one", (one,)), TextDelta(" two", (two,)), END))

    assert whole == Response((Choice((Text("one two"),), "stop", (one, two)),), USAGE)


async def test_an_answer_without_words_has_no_part() -> None:
    """A choice that only finished is an empty one, and not an error."""
    assert await fold(stream(Finish("length", USAGE))) == Response((Choice((), "length"),), USAGE)


async def test_thoughts_come_before_words() -> None:
    """Reasoning is one part with its signature, in front of the text that it led to."""
    whole = await fold(stream(ThoughtDelta("hm"), ThoughtDelta("m."), ThoughtDelta("", "sig"), TextDelta("so"), END))

    assert whole.choices[0].parts == (Thought("hmm.", "sig"), Text("so"))


async def test_each_signature_is_of_one_thought() -> None:
    """A signature holds for the words before it: what comes behind it is another thought, as a redacted one is."""
    whole = await fold(
        stream(
            ThoughtDelta("one", "s1"),
            ThoughtDelta("two"),
            ThoughtDelta("", "s2"),
            ThoughtDelta("", "sealed", redacted=True),
            TextDelta("so"),
            ThoughtDelta("three"),
            END,
        )
    )

    assert whole.choices[0].parts == (
        Thought("one", "s1"),
        Thought("two", "s2"),
        Thought("", "sealed", redacted=True),
        Text("so"),
        Thought("three"),
    )


async def test_the_stop_string_is_told() -> None:
    """Which of the client's stop strings ended an answer is kept with it."""
    assert (await fold(stream(Finish("stop", USAGE, stop="END")))).choices[0].stop == "END"


async def test_a_signature_alone_is_a_thought() -> None:
    """A provider that hides its reasoning and signs it is given the signature back."""
    assert (await fold(stream(ThoughtDelta("", "sig"), END))).choices[0].parts == (Thought("", "sig"),)


async def test_tool_calls_are_put_together_by_their_index() -> None:
    """Pieces of several calls may come mixed; each call is whole, in the order of the indexes, behind the text."""
    whole = await fold(
        stream(
            TextDelta("let me see"),
            ToolCallDelta(1, "b", "read", '{"x"'),
            ToolCallDelta(0, "a", "look"),
            ToolCallDelta(1, arguments=": 1}"),
            ToolCallDelta(0, arguments="{}"),
            Finish("tool_calls", USAGE),
        )
    )

    assert whole.choices[0] == Choice(
        (Text("let me see"), ToolCall("a", "look", "{}"), ToolCall("b", "read", '{"x": 1}')), "tool_calls"
    )


async def test_choices_are_kept_apart_and_counted_together() -> None:
    """Several choices come in the order of their numbers; the prompt is counted once and the answers are added."""
    whole = await fold(
        stream(
            TextDelta("B", choice=1),
            TextDelta("A"),
            Finish("length", Usage(7, 2, 5, 1), choice=1),
            Finish("stop", Usage(7, 3, 5, 2)),
        )
    )

    assert [choice.parts for choice in whole.choices] == [(Text("A"),), (Text("B"),)]
    assert [choice.reason for choice in whole.choices] == ["stop", "length"]
    assert whole.usage == Usage(7, 5, 5, 3)


async def test_progress_is_no_part_of_the_answer() -> None:
    """What was waited for leaves no trace in the answer."""
    assert await fold(stream(Progress("loading", 0.5), TextDelta("x"), END)) == Response(
        (Choice((Text("x"),), "stop"),), USAGE
    )


@pytest.mark.parametrize(
    "deltas",
    [(TextDelta("half"),), (TextDelta("A"), END, TextDelta("B", choice=1)), (Progress("loading"),)],
    ids=["one", "one of two", "only progress"],
)
async def test_an_answer_without_a_finish_is_bad(deltas: tuple[Delta, ...]) -> None:
    """A choice that never came to its end is not passed off as an answer."""
    with pytest.raises(BadAnswer):
        await fold(stream(*deltas))


async def test_nothing_at_all_is_no_answer() -> None:
    """A stream that ends at once says so, in the kind of error that is a bad answer too."""
    with pytest.raises(NoAnswer) as caught:
        await fold(stream())

    assert isinstance(caught.value, BadAnswer)


async def test_an_error_passes_through() -> None:
    """What the stream raises is raised, and half an answer is not returned."""

    async def broken() -> AsyncIterator[Delta]:
        yield TextDelta("half")
        raise BadAnswer("broke")

    with pytest.raises(BadAnswer, match="broke"):
        await fold(broken())


@pytest.mark.parametrize(
    "text",
    [
        CANARY,
        f"code_{CANARY[:14]}",
        CANARY[::-1],
        CANARY[::-1][:12],
        base64.b64encode(CANARY.encode()).decode(),
        base64.b64encode(f":{CANARY}".encode()).decode(),
        base64.b64encode(f"key:{CANARY}".encode()).decode(),
        base64.urlsafe_b64encode(f"user:{CANARY}".encode()).decode(),
        quote(CANARY, safe=""),
        json.dumps(CANARY),
    ],
)
def test_a_key_is_recognised(text: str) -> None:
    """Whole or in part, backwards, and as base64, a URL or JSON has it."""
    assert Key(CANARY).is_told_by(f"it said {text} here")


def test_what_tells_no_key() -> None:
    """Words, other keys, a few characters of it; and nothing tells what is too short to be one."""
    for text in ("", "rate_limit_exceeded", "invalid_api_key", "sk-other-1234567890", CANARY[:9]):
        assert not Key(CANARY).is_told_by(text)
    assert not Key("EMPTY").is_told_by("EMPTY")
