"""What is asked of a server that speaks OpenAI's Responses."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from msgspec.structs import replace
from openai.types.responses import ResponseCreateParams
from pydantic import TypeAdapter

from providers.cleared import Place
from providers.contract import (
    File,
    Image,
    Key,
    Message,
    Part,
    Request,
    Role,
    Sampling,
    Text,
    Thinking,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
)
from providers.families.openai_chat import body_of as chat_body_of
from providers.families.openai_responses import OpenAIResponses
from providers.target import Quirks, Target
from tests.fakes.cleared import ASKED

TARGET: Final = Target("work", "https://api.example.invalid/v1", Place.CLOUD)
OPENAI: Final = replace(TARGET, quirks=Quirks(reads_thoughts=False))
FAMILY: Final = OpenAIResponses()
PNG: Final = "data:image/png;base64,AAAA"
_official: Final = TypeAdapter(ResponseCreateParams)


def body(request: Request, target: Target = TARGET) -> dict[str, Any]:
    """What is sent, which the official library's types allow."""
    sent = json.loads(FAMILY.body(request, "big", target))
    _official.validate_python({"stream": False, **sent})
    return dict(sent)


def asking(*messages: tuple[Role, tuple[Part, ...]], **fields: Any) -> Request:
    return replace(ASKED, messages=tuple(Message(role, parts) for role, parts in messages), **fields)


def test_a_plain_question() -> None:
    """No more than it takes, and nothing is kept there."""
    assert body(ASKED) == {"model": "big", "input": [{"role": "user", "content": "hello"}], "store": False}
    assert body(replace(ASKED, stream=True))["stream"] is True


def test_a_conversation() -> None:
    """Turns are items in their order: words, pictures, files, calls, and what tools gave back."""
    request = asking(
        ("system", (Text("be brief"),)),
        ("user", (Text("look"), Image(PNG, "low"), File("data:application/pdf;base64,QQ==", "a.pdf"))),
        ("assistant", (Text("I look."), ToolCall("c1", "look", '{"a": 1}'), ToolCall("c2", "go", ""))),
        ("tool", (ToolResult("c1", (Text("a"), Text("b"))), ToolResult("c2", (Text("lost"), Image(PNG)), failed=True))),
        ("user", (File("https://example.invalid/a.pdf"), File("file-1", "b.pdf"))),
    )

    assert body(request)["input"] == [
        {"role": "system", "content": "be brief"},
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "look"},
                {"type": "input_image", "image_url": PNG, "detail": "low"},
                {"type": "input_file", "file_data": "data:application/pdf;base64,QQ==", "filename": "a.pdf"},
            ],
        },
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"a": 1}'},
        {"type": "function_call", "call_id": "c2", "name": "go", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "a\nb"},
        {
            "type": "function_call_output",
            "call_id": "c2",
            "output": [
                {"type": "input_text", "text": "Error: lost"},
                {"type": "input_image", "image_url": PNG, "detail": "auto"},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "input_file", "file_url": "https://example.invalid/a.pdf"},
                {"type": "input_file", "file_id": "file-1"},
            ],
        },
    ]


def test_reasoning_is_given_back() -> None:
    """What was sealed as it was, between its turn's other items, and more of the kind is asked for."""
    note = '{"type":"reasoning","id":"rs_1","summary":[]}'
    request = asking(
        ("user", (Text("hi"),)),
        ("assistant", (Thought("", "gAAA", True, note), ToolCall("c1", "look", "{}"))),
        ("tool", (ToolResult("c1", (Text("a"),)),)),
    )
    sent = body(request, OPENAI)

    assert sent["input"][1:3] == [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
    ]
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert FAMILY.not_honoured(request, OPENAI) == ()


def test_reasoning_that_is_not_sealed() -> None:
    """Its words go only where they are read."""
    request = asking(("user", (Text("hi"),)), ("assistant", (Thought("hm"), Text("yes"))), ("user", (Text("and?"),)))

    assert "hm" in json.dumps(body(request))
    assert "hm" not in json.dumps(body(request, OPENAI))
    assert "include" not in body(request, OPENAI)
    assert FAMILY.not_honoured(request, TARGET) == ()
    assert FAMILY.not_honoured(request, OPENAI) == ("thoughts",)


LOOK: Final = Tool("look", "looks", {"type": "object", "properties": {}})


@pytest.mark.parametrize(
    ("protocol", "strict", "told"),
    [
        ("openai-chat", None, False),
        ("anthropic", None, False),
        ("openai-responses", None, None),
        ("openai-responses", True, True),
        ("openai-chat", True, True),
        ("openai-responses", False, False),
    ],
)
def test_tools(protocol: str, strict: bool | None, told: bool | None) -> None:
    """What isn't said of strictness means the opposite in Responses and in all others."""
    sent = json.loads(
        FAMILY.body(replace(ASKED, protocol=protocol, tools=(replace(LOOK, strict=strict),)), "big", TARGET)
    )

    (tool,) = sent["tools"]
    assert tool.get("strict") is told
    assert (tool["type"], tool["name"], tool["description"]) == ("function", "look", "looks")
    assert "tool_choice" not in sent


@pytest.mark.parametrize(
    ("choice", "told"),
    [("none", "none"), ("required", "required"), ("look", {"type": "function", "name": "look"})],
)
def test_tool_choice(choice: str, told: Any) -> None:
    """As Responses write it."""
    sent = body(replace(ASKED, tools=(LOOK,), tool_choice=choice, parallel_calls=False))

    assert (sent["tool_choice"], sent["parallel_tool_calls"]) == (told, False)


def test_sampling() -> None:
    """What has a word is told by it; what has none and only steers is left aside."""
    sampling = Sampling(
        max_tokens=99, temperature=0.5, top_p=0.9, seed=7, presence_penalty=1.0, frequency_penalty=1.0, top_k=5,
        logprobs=True, top_logprobs=3,
    )  # fmt: skip
    request = replace(ASKED, sampling=sampling)
    sent = body(request)

    assert {name: sent[name] for name in sent if name not in ("model", "input", "store")} == {
        "max_output_tokens": 99,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_logprobs": 3,
        "include": ["message.output_text.logprobs"],
    }
    assert FAMILY.not_honoured(request, TARGET) == ("seed", "presence_penalty", "frequency_penalty", "top_k")
    accepts = replace(TARGET, accepts=("top_k",))
    assert json.loads(FAMILY.body(request, "big", accepts))["top_k"] == 5
    assert "top_k" not in FAMILY.not_honoured(request, accepts)


@pytest.mark.parametrize(
    ("sampling", "parameter"), [(Sampling(stop=("END",)), "stop"), (Sampling(choices=2), "choices")]
)
def test_what_would_mean_something_else_without(sampling: Sampling, parameter: str) -> None:
    """It is refused by its name, and not left out."""
    with pytest.raises(Unsupported) as caught:
        body(replace(ASKED, sampling=sampling))
    assert caught.value.parameter == parameter


def test_formats() -> None:
    """Any object, or what a schema allows; strict where it can be held exactly."""
    closed = {"type": "object", "properties": {}, "additionalProperties": False, "title": "told"}

    assert body(replace(ASKED, schema={"type": "object"}))["text"] == {"format": {"type": "json_object"}}
    assert body(replace(ASKED, schema=closed))["text"] == {
        "format": {"type": "json_schema", "name": "told", "schema": closed, "strict": True}
    }


def test_effort() -> None:
    """By the settings' word, the client's being the other choice; who can't be told is said so."""
    low = replace(ASKED, thinking=Thinking(True, "low"))
    told = replace(TARGET, reasoning="effort")

    assert body(low, told)["reasoning"] == {"effort": "low"}
    assert body(low, told)["include"] == ["reasoning.encrypted_content"]
    assert "reasoning" not in body(low)
    assert FAMILY.not_honoured(low, told) == ()
    assert FAMILY.not_honoured(low, TARGET) == ("thinking",)
    extras = {"reasoning_effort": "high", "verbosity": "low"}
    own = body(replace(low, thinking=None, extras=extras, protocol="openai-chat"))
    assert (own["reasoning"], own["text"]) == ({"effort": "high"}, {"verbosity": "low"})
    none = body(replace(ASKED, extras={"reasoning_effort": "none"}, protocol="openai-chat"))
    assert "include" not in none


def test_fields_of_its_own_travel() -> None:
    """What a client that speaks Responses says of reasoning arrives, and no other protocol's provider sees it."""
    extras = {
        "user": "u",
        "prompt_cache_key": "k",
        "reasoning.summary": "auto",
        "reasoning.encrypted_content": True,
        "store": True,
        "input": "x",
        "logit_bias": {"1": 5},
    }
    request = replace(ASKED, protocol="openai-responses", extras=extras)
    sent = body(request)

    assert (sent["user"], sent["prompt_cache_key"], sent["reasoning"]) == ("u", "k", {"summary": "auto"})
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert sent["store"] is False
    assert sent["input"] == [{"role": "user", "content": "hello"}]
    assert "logit_bias" not in sent
    assert FAMILY.not_honoured(request, TARGET) == ("logit_bias",)
    assert not [name for name in json.loads(chat_body_of(request, "big")) if name.startswith("reasoning")]
    assert "user" not in body(replace(request, protocol="anthropic"))


def test_where_and_with_what() -> None:
    """The key stands in its header alone."""
    assert FAMILY.path(ASKED, "big") == "responses"
    assert FAMILY.headers(Key("sk-1")) == {"authorization": "Bearer sk-1"}
    assert FAMILY.headers(None) == {}
