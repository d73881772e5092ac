"""What a local model can be asked, and how it is put to an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.local import not_honoured, prompt_of, sampling_of, stream
from edge_models.engines import base
from edge_models.engines.base import Capabilities, Chat, Turn
from providers.contract import (
    File,
    Finish,
    Image,
    Message,
    Part,
    Request,
    Sampling,
    TextDelta,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
    Usage,
)
from providers.contract import Text as TextPart
from tests.fakes.workers import serving

ALL = Capabilities(parallel=8, logprobs="top", seed=True, penalties=True)
NOTHING = Capabilities(parallel=1, logprobs="none", seed=False, penalties=False)
LOOK = Tool("look", "", {})


def asked(text: str = "hi", **fields: Any) -> Request:
    messages = (Message("user", (TextPart(text),)),)
    return Request(id="0" * 16, model="local", messages=messages, protocol="openai-chat", **fields)


# ---- what is left aside and what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("capabilities", [ALL, NOTHING])
def test_a_plain_request_is_honoured_whole(capabilities: Capabilities) -> None:
    """What every engine can do is not said to be left aside."""
    sampling = Sampling(max_tokens=5, temperature=0.5, top_p=0.9, stop=("x",))

    assert not_honoured(asked(sampling=sampling), capabilities) == ()


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"sampling": Sampling(seed=0)}, ("seed",)),
        ({"sampling": Sampling(presence_penalty=0.1)}, ("presence_penalty",)),
        ({"sampling": Sampling(frequency_penalty=-0.1)}, ("frequency_penalty",)),
        (
            {"sampling": Sampling(seed=1, presence_penalty=1, frequency_penalty=1), "tools": (LOOK,)},
            ("tools", "seed", "presence_penalty", "frequency_penalty"),
        ),
    ],
)
def test_what_an_engine_can_not_do_is_left_aside(fields: dict[str, Any], names: tuple[str, ...]) -> None:
    """Wishes that only shape the words are left aside and named, and an engine that can honours them."""
    assert not_honoured(asked(**fields), NOTHING) == names
    assert set(not_honoured(asked(**fields), ALL)) <= {"tools"}


def test_tools_that_may_not_be_called_are_not_missed() -> None:
    """With tool_choice `none` an answer without tools is what was asked for."""
    assert not_honoured(asked(tools=(LOOK,), tool_choice="none"), ALL) == ()


@pytest.mark.parametrize(
    ("fields", "parameter"),
    [
        ({"sampling": Sampling(choices=2)}, "choices"),
        ({"schema": {"type": "object"}}, "schema"),
        ({"tools": (LOOK,), "tool_choice": "required"}, "tool_choice"),
        ({"tools": (LOOK,), "tool_choice": "look"}, "tool_choice"),
    ],
)
def test_what_the_client_relies_on_is_refused(fields: dict[str, Any], parameter: str) -> None:
    """What would change the answer's meaning is refused by its name, whatever the engine."""
    for capabilities in (ALL, NOTHING):
        with pytest.raises(Unsupported) as caught:
            not_honoured(asked(**fields), capabilities)
        assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("engine", "top", "parameter"),
    [
        ("none", 0, "logprobs"),
        ("none", 2, "logprobs"),
        ("chosen", 0, None),
        ("chosen", 2, "top_logprobs"),
        ("top", 2, None),
    ],
)
def test_log_probabilities_are_given_or_refused(engine: Any, top: int, parameter: str | None) -> None:
    """Numbers that an engine does not have are refused, and never left empty."""
    request = asked(sampling=Sampling(logprobs=True, top_logprobs=top))
    capabilities = Capabilities(1, engine, seed=True, penalties=True)
    if parameter is None:
        assert not_honoured(request, capabilities) == ()
        return
    with pytest.raises(Unsupported) as caught:
        not_honoured(request, capabilities)
    assert caught.value.parameter == parameter


# ---- in the engine's terms ------------------------------------------------------------------------------------------


def test_a_conversation_becomes_turns() -> None:
    """Each message is one turn with its role and its words; parts stand on lines of their own, reasoning is left out."""
    messages = (
        Message("system", (TextPart("be brief"),)),
        Message("user", (TextPart("one"), TextPart("two"))),
        Message("assistant", (Thought("hm", "sig"), TextPart("so"), ToolCall("1", "look", '{"at": 1}'))),
        Message("tool", (ToolResult("1", (TextPart("seen"), TextPart("it"))),)),
        Message("assistant", (ToolCall("2", "rest", ""),)),
    )

    assert prompt_of(messages) == Chat(
        (
            Turn("system", "be brief"),
            Turn("user", "one\ntwo"),
            Turn("assistant", 'so\n{"name": "look", "arguments": {"at": 1}}'),
            Turn("tool", "seen\nit"),
            Turn("assistant", '{"name": "rest", "arguments": {}}'),
        )
    )


@pytest.mark.parametrize("name", ['qu"ote', "back\\slash", "new\nline", "ä"])
def test_an_earlier_call_is_json_whatever_its_name(name: str) -> None:
    """The name of a tool is the client's text, and can't break out of its quotes."""
    (turn,) = prompt_of((Message("assistant", (ToolCall("1", name, "{}"),)),)).turns

    assert msgspec.json.decode(turn.text) == {"name": name, "arguments": {}}


@pytest.mark.parametrize(
    "part",
    [Image("data:image/png;base64,canary"), File("canary", "canary"), ToolResult("1", (Image("canary"),))],
    ids=["image", "file", "image in a tool's result"],
)
def test_what_a_text_model_can_not_read_is_refused(part: Part) -> None:
    """A picture or a document is refused instead of left out, in words that don't repeat it."""
    with pytest.raises(Unsupported) as caught:
        prompt_of((Message("user", (part,)),))

    assert caught.value.parameter == "messages"
    assert "canary" not in str(caught.value)


def test_sampling_is_handed_on() -> None:
    """Every wish that an engine knows reaches it, and what was not asked for stays unasked."""
    wanted = Sampling(5, 0.5, 0.25, 7, ("a", "b"), 0.1, 0.2, True, 3, 1)

    assert sampling_of(asked(sampling=wanted)) == base.Sampling(5, 0.5, 0.25, 7, ("a", "b"), 0.1, 0.2, True)
    assert sampling_of(asked()) == base.Sampling()


async def test_a_stream_has_words_numbers_and_usage(tmp_path: Path) -> None:
    """In the neutral model an answer is its text, the probabilities that were asked for, and one finish with its usage."""
    async with serving(tmp_path) as (worker, _):
        request = asked("one two three", sampling=Sampling(max_tokens=2, logprobs=True))
        deltas = [delta async for delta in stream(worker, request)]

    texts = [delta for delta in deltas if isinstance(delta, TextDelta)]
    assert [delta.text for delta in texts] == ["one", " two"]
    assert [[detail.piece for detail in delta.logprobs] for delta in texts] == [[b"one"], [b" two"]]
    assert deltas[-1] == Finish("length", Usage(3, 2))
