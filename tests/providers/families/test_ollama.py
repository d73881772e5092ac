"""What is asked of Ollama, to the field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from providers.cleared import Place
from providers.contract import (
    BadAnswer,
    File,
    Image,
    Key,
    Message,
    Request,
    Sampling,
    Text,
    Thinking,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.families.base import Listed
from providers.families.ollama import Ollama, body_of
from providers.target import Target
from tests.fakes.cleared import ASKED

USER = Message("user", (Text("hello"),))
PNG = Image("data:image/png;base64,QUJD")
LOOK = Tool("look", "Looks.", {"type": "object"})
TARGET = Target("near", "http://127.0.0.1:11434/api", Place.DEVICE)


def written(request: Request, reasoning: str | None = None) -> Any:
    return json.loads(body_of(request, "qwen3", reasoning))


def messages(*turns: Message) -> Any:
    return written(replace(ASKED, messages=turns))["messages"]


def test_a_plain_question() -> None:
    """Streaming is always said, since silence means it, and a prompt is never to be cut."""
    assert written(ASKED) == {
        "model": "qwen3",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": False,
        "truncate": False,
    }
    assert written(replace(ASKED, stream=True))["stream"] is True


def test_how_to_choose_tokens() -> None:
    """As options; log-probabilities beside them."""
    body = written(replace(ASKED, sampling=Sampling(100, 0.5, 0.9, 7, ("a",), 0.1, 0.2, True, 4, 1, 40)))

    assert body["options"] == {
        "num_predict": 100,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 40,
        "seed": 7,
        "stop": ["a"],
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
    }
    assert (body["logprobs"], body["top_logprobs"]) == (True, 4)


@pytest.mark.parametrize(
    ("request_", "parameter"),
    [
        (replace(ASKED, tools=(LOOK,), tool_choice="required"), "tool_choice"),
        (replace(ASKED, tools=(LOOK,), tool_choice="look"), "tool_choice"),
        (replace(ASKED, sampling=Sampling(choices=2)), "choices"),
        (replace(ASKED, messages=(Message("user", (Image("https://example.com/a.png"),)),)), "messages"),
        (replace(ASKED, messages=(Message("user", (File("data:application/pdf;base64,QQ=="),)),)), "messages"),
    ],
)
def test_what_it_has_no_word_for(request_: Request, parameter: str) -> None:
    """An answer would mean something else without: it is refused by the field."""
    with pytest.raises(Unsupported) as refused:
        written(request_)
    assert refused.value.parameter == parameter


def test_tools() -> None:
    """Offered, or kept from a model that shall not call any."""
    assert written(replace(ASKED, tools=(LOOK,)))["tools"] == [
        {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}
    ]
    assert "tools" not in written(replace(ASKED, tools=(LOOK,), tool_choice="none"))


def test_a_conversation() -> None:
    """Arguments as objects, results under the name and id of their calls, thoughts and pictures in their own places."""
    told = messages(
        Message("system", (Text("be brief"),)),
        Message("user", (Text("look"), PNG)),
        Message(
            "assistant", (Thought("hm"), Text("so"), ToolCall("a", "look", '{"at":  1}'), ToolCall("b", "hear", ""))
        ),
        Message("tool", (ToolResult("a", (Text("seen"), PNG)),)),
        Message("tool", (ToolResult("b", (Text("no"),), failed=True),)),
        USER,
    )
    assert told == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "look", "images": ["QUJD"]},
        {
            "role": "assistant",
            "content": "so",
            "thinking": "hm",
            "tool_calls": [
                {"id": "a", "function": {"name": "look", "arguments": {"at": 1}}},
                {"id": "b", "function": {"name": "hear", "arguments": {}}},
            ],
        },
        {"role": "tool", "content": "seen", "tool_name": "look", "tool_call_id": "a"},
        {"role": "tool", "content": "Error: no", "tool_name": "hear", "tool_call_id": "b"},
        {"role": "user", "content": "", "images": ["QUJD"]},
        {"role": "user", "content": "hello"},
    ]


@pytest.mark.parametrize(
    ("thinking", "protocol", "reasoning", "told", "aside"),
    [
        (None, "ollama-chat", None, None, False),
        (Thinking(on=True), "ollama-chat", None, True, False),
        (Thinking(on=False), "ollama-chat", None, False, False),
        (Thinking(True, "low"), "ollama-chat", None, "low", False),
        (Thinking(on=True), "anthropic", None, None, False),
        (Thinking(True, "high"), "anthropic", None, None, True),
        (Thinking(on=False), "anthropic", None, False, False),
        (Thinking(effort="none"), "openai-chat", None, False, False),
        (Thinking(effort="xhigh"), "openai-chat", "effort", "high", False),
        (Thinking(effort="minimal"), "openai-chat", "effort", "low", False),
    ],
)
def test_whether_to_think(
    thinking: Thinking | None, protocol: str, reasoning: str | None, told: Any, aside: bool
) -> None:
    """As an Ollama client or the settings say it; else only what no model refuses."""
    request = replace(ASKED, thinking=thinking, protocol=protocol)
    target = replace(TARGET, reasoning=reasoning)

    assert written(request, reasoning).get("think") == told
    assert Ollama().not_honoured(request, target) == (("thinking",) if aside else ())


@pytest.mark.parametrize(("keep_s", "told"), [(None, None), (0.0, 0), (300.0, 300), (float("inf"), -1)])
def test_how_long_a_model_is_kept(keep_s: float | None, told: float | None) -> None:
    """Only what the client said."""
    assert written(replace(ASKED, keep_s=keep_s)).get("keep_alive") == told


def test_schemas() -> None:
    """JSON of a shape, or any."""
    schema = {"type": "object", "properties": {}}
    assert written(replace(ASKED, schema=schema))["format"] == schema
    assert written(replace(ASKED, schema={"type": "object"}))["format"] == "json"


def test_what_is_left_aside() -> None:
    """The client is told of it."""
    sealed = (USER, Message("assistant", (Thought("", "x", True),)))
    request = replace(ASKED, tools=(LOOK,), parallel_calls=False, messages=sealed)

    assert Ollama().not_honoured(request, TARGET) == ("parallel_calls", "thoughts")
    assert Ollama().not_honoured(ASKED, TARGET) == ()


def test_keys_and_models() -> None:
    """A bearer's key, if there is one; models by their full names."""
    family = Ollama()
    assert (family.headers(Key("k")), family.headers(None)) == ({"authorization": "Bearer k"}, {})
    listed = {"models": [{"name": "qwen3:latest", "model": "qwen3:latest"}, {"model": "b:cloud"}, {}]}
    assert family.models(json.dumps(listed).encode(), TARGET) == Listed(("qwen3:latest", "b:cloud"))
    with pytest.raises(BadAnswer, match="base_url"):
        family.models(b"Ollama is running", TARGET)
