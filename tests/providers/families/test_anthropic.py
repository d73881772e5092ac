"""What is asked of a server of Anthropic Messages, to the byte."""

from __future__ import annotations

import base64
import json
from typing import Any, Final

import pytest
from anthropic.types import MessageParam
from msgspec.structs import replace
from pydantic import TypeAdapter

from daemon.protocols import anthropic as inbound
from daemon.protocols.base import Envelope
from providers.cleared import Place
from providers.contract import (
    BadAnswer,
    File,
    Image,
    Key,
    Message,
    Part,
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
from providers.families.anthropic import AnthropicMessages, body_of
from providers.families.base import Listed
from providers.registry import quirks_of
from providers.target import Quirks, Target
from tests.fakes.cleared import ASKED

FAMILY: Final = AnthropicMessages()
PLAIN: Final = Target("work", "http://127.0.0.1/v1", Place.DEVICE)
CLAUDE: Final = Target(
    "claude", "https://api.anthropic.com/v1", Place.CLOUD, quirks=quirks_of("https://api.anthropic.com/v1")
)
USER: Final = Message("user", (Text("hello"),))
CALL: Final = Message("assistant", (ToolCall("c1", "look", '{"at": 1.50}'),))
PNG: Final = "data:image/png;base64,QQ=="
LONG: Final = "x" * 5000


def sent(request: Request, model: str = "big", target: Target = PLAIN) -> Any:
    return json.loads(body_of(request, model, target))


def of(*messages: Message, **more: Any) -> Request:
    return replace(ASKED, messages=messages or (USER,), **more)


def said(*parts: Part, role: Any = "user") -> Any:
    """The content of one turn."""
    (turn,) = sent(of(Message(role, parts)))["messages"]
    return turn["content"]


def from_anthropic(**body: Any) -> Request:
    """As a client of Anthropic's asks."""
    turns = [{"role": "user", "content": "hello"}]
    asked = {"model": "m", "max_tokens": 3000, "messages": turns, **body}
    return inbound.read(json.dumps(asked).encode(), Envelope("0" * 16, None, None, None, "any", 0))


def told_aside(request: Request, model: str = "big", target: Target = PLAIN) -> set[str]:
    return set(FAMILY.not_honoured(replace(request, model=model), target))


def test_the_plainest_request() -> None:
    """What isn't asked for isn't written, but for the length that Anthropic wants to know."""
    assert body_of(ASKED, "big", PLAIN) == (
        b'{"model":"big","max_tokens":8192,"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}'
    )


@pytest.mark.parametrize(
    ("model", "most"),
    [
        ("claude-3-haiku-20240307", 4096),
        ("claude-3-5-haiku-latest", 8192),
        ("claude-3-7-sonnet", 32_000),
        ("claude-opus-4-1", 32_000),
        ("anthropic/claude-sonnet-5", 32_000),
        ("glm-5", 8192),
    ],
)
def test_how_long_an_answer_may_be(model: str, most: int) -> None:
    """As long as the model gives if nothing is said; else as the client says."""
    assert sent(ASKED, model)["max_tokens"] == most
    assert sent(of(sampling=Sampling(max_tokens=7)), model)["max_tokens"] == 7


def test_a_conversation() -> None:
    """The system stands apart, who speaks twice has one turn, and results come first in the user's; the SDK's types agree."""
    request = of(
        Message("system", (Text("be brief"), Text("be kind"))),
        Message("user", (Text("look"), Image(PNG), Image("https://example.com/a.png"))),
        Message("assistant", (Text("I will."), ToolCall("c1", "look", '{"at": 1.50}'), ToolCall("c2", "look", ""))),
        Message("tool", (ToolResult("c1", (Text("seen"),)),)),
        Message("user", (Text("and?"),)),
        Message("tool", (ToolResult("c2", (Text("a"), Image(PNG)), failed=True),)),
    )

    body = sent(request)

    assert body["system"] == [{"type": "text", "text": "be brief"}, {"type": "text", "text": "be kind"}]
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in body["messages"][0]["content"]] == ["text", "image", "image"]
    assert body["messages"][0]["content"][1]["source"] == {"type": "base64", "media_type": "image/png", "data": "QQ=="}
    assert body["messages"][0]["content"][2]["source"] == {"type": "url", "url": "https://example.com/a.png"}
    assert body["messages"][1]["content"] == [
        {"type": "text", "text": "I will."},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": 1.5}},
        {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
    ]
    assert body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "seen"},
        {
            "type": "tool_result",
            "tool_use_id": "c2",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}},
            ],
            "is_error": True,
        },
        {"type": "text", "text": "and?"},
    ]
    check = TypeAdapter[MessageParam](MessageParam)
    for turn in body["messages"]:
        check.validate_python(turn)
    assert b'"input":{"at": 1.50}' in body_of(request, "big", PLAIN), "as the model wrote it, to the byte"


def test_results_without_words() -> None:
    """Nothing is nothing; a failure says at least that."""
    results = said(ToolResult("a", ()), ToolResult("b", (), failed=True), role="tool")

    assert results[0] == {"type": "tool_result", "tool_use_id": "a"}
    assert results[1] == {"type": "tool_result", "tool_use_id": "b", "content": "Error", "is_error": True}


def test_names_of_calls_that_anthropic_refuses() -> None:
    """Those of others become one of its own, the same for the call and its result, each time."""
    odd = Message("assistant", (ToolCall("call:1/é", "look", "{}"),))
    request = of(USER, odd, Message("tool", (ToolResult("call:1/é", ()),)))

    first, again = sent(request)["messages"], sent(request)["messages"]

    assert first == again
    assert first[1]["content"][0]["id"] == first[2]["content"][0]["tool_use_id"]
    assert first[1]["content"][0]["id"].replace("_", "").isalnum()


def test_arguments_that_are_no_object() -> None:
    """What another model wrote wrong is told whole."""
    for arguments in ("[1]", "nonsense", '"x"'):
        (call,) = said(ToolCall("c", "look", arguments), role="assistant")
        assert call["input"] == {"arguments": arguments}


def test_blanks_and_nothing() -> None:
    """Claude refuses blocks of blanks: they are left out beside others. A turn that says nothing is no turn."""
    assert said(Text(" \n"), ToolCall("c", "look", ""), role="assistant")[0]["type"] == "tool_use"
    assert said(Text(" ")) == [{"type": "text", "text": " "}]
    assert [turn["role"] for turn in sent(of(USER, Message("assistant", (Text(""),)), USER))["messages"]] == ["user"]
    asked = sent(of(Message("system", (Text("say hi"),))))
    assert ("system" not in asked, asked["messages"][0]["role"]) == (True, "user")


def test_the_systems_word_between_turns() -> None:
    """Where it stands: as its own to Anthropic, in the user's turn to others."""
    request = of(USER, Message("assistant", (Text("hi"),)), Message("system", (Text("now briefly"),)), USER)

    assert [turn["role"] for turn in sent(request, "claude-opus-5", CLAUDE)["messages"]][2:] == ["system", "user"]
    assert sent(request)["messages"][2]["content"][0]["text"] == "now briefly"


def test_documents() -> None:
    """PDFs whole or by address, texts as texts; nothing else can be read."""
    text = base64.b64encode("grün".encode()).decode()

    assert said(File("data:application/pdf;base64,QQ==", "a.pdf")) == [
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "QQ=="},
            "title": "a.pdf",
        }
    ]
    assert said(File("https://example.com/a.pdf"))[0]["source"] == {"type": "url", "url": "https://example.com/a.pdf"}
    assert said(File(f"data:text/markdown;charset=utf-8;base64,{text}"))[0]["source"]["data"] == "grün"
    for url in ("file-123", "data:text/plain,abc", "data:application/zip;base64,QQ==", "data:text/plain;base64,/w=="):
        with pytest.raises(Unsupported) as caught:
            said(File(url))
        assert caught.value.parameter == "messages"


# ---- tools and fields -----------------------------------------------------------------------------------------------


TOOL: Final = Tool("look", "Looks.", {"type": "object", "properties": {}}, strict=True)


def test_tools() -> None:
    """With a schema that is an object's, and bound to it if the client wants that."""
    body = sent(of(tools=(TOOL, Tool("go", "", {}))))

    assert body["tools"] == [
        {"name": "look", "description": "Looks.", "input_schema": TOOL.parameters, "strict": True},
        {"name": "go", "input_schema": {"type": "object"}},
    ]
    assert "tool_choice" not in body


@pytest.mark.parametrize(
    ("choice", "parallel", "told"),
    [
        ("auto", True, None),
        ("auto", False, {"type": "auto", "disable_parallel_tool_use": True}),
        ("none", False, {"type": "none"}),
        ("required", True, {"type": "any"}),
        ("required", False, {"type": "any", "disable_parallel_tool_use": True}),
        ("look", True, {"type": "tool", "name": "look"}),
    ],
)
def test_which_tool(choice: str, parallel: bool, told: Any) -> None:
    """In Anthropic's words."""
    request = of(tools=(TOOL,), tool_choice=choice, parallel_calls=parallel)

    assert sent(request).get("tool_choice") == told


def test_a_format_and_how_to_draw() -> None:
    """What Anthropic has a word for is told in it."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    sampling = Sampling(temperature=0.5, top_p=0.9, top_k=3, stop=("END",))

    body = sent(of(schema=schema, sampling=sampling, stream=True))

    assert body["output_config"] == {"format": {"type": "json_schema", "schema": schema}}
    assert (body["temperature"], body["top_p"], body["top_k"], body["stream"]) == (0.5, 0.9, 3, True)
    assert body["stop_sequences"] == ["END"]


def test_what_cannot_be_told() -> None:
    """What changes the answer's meaning is refused, what doesn't is left aside and said."""
    sampling = Sampling(seed=1, presence_penalty=0.1, frequency_penalty=0.1, logprobs=True, temperature=1.5)
    request = of(sampling=sampling)

    assert told_aside(request) == {"seed", "presence_penalty", "frequency_penalty", "logprobs", "temperature"}
    assert sent(request)["temperature"] == 1.0
    assert told_aside(ASKED) == set()
    for wrong, parameter in ((Sampling(choices=2), "choices"), (Sampling(stop=("\n",)), "stop")):
        with pytest.raises(Unsupported) as caught:
            sent(of(sampling=wrong), "claude-opus-5")
        assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("model", "takes"),
    [
        ("claude-opus-4-6", True),
        ("claude-sonnet-4-5-20250929", True),
        ("claude-haiku-4-5", True),
        ("claude-sonnet-4-20250514", True),
        ("claude-opus-4-20250514", True),
        ("claude-3-7-sonnet-latest", True),
        ("claude-opus-4-7", False),
        ("claude-opus-4-8", False),
        ("claude-opus-5", False),
        ("claude-sonnet-5-5", False),
        ("anthropic/claude-fable-5.1", False),
    ],
)
def test_models_that_draw_as_they_like(model: str, takes: bool) -> None:
    """Claude from Opus 4.7 on refuses to be told, so it isn't, and the client is."""
    request = of(sampling=Sampling(temperature=0.2))

    assert ("temperature" in sent(request, model)) is takes
    assert ("temperature" in told_aside(request, model)) is not takes


def test_one_of_two_ways_to_draw() -> None:
    """Claude since Opus 4.1 takes temperature or top_p."""
    request = of(sampling=Sampling(temperature=0.2, top_p=0.3))

    assert "top_p" not in sent(request, "claude-sonnet-4-5")
    assert told_aside(request, "claude-sonnet-4-5") == {"top_p"}


# ---- reasoning ------------------------------------------------------------------------------------------------------


def test_reasoning_given_back() -> None:
    """What was signed here goes back to the byte, what nobody signed where it is read, and others' not at all."""
    signed = (Thought("Hm é\u2028", "Er/+aA=="), Thought("", "b+/=", redacted=True))
    others = (Thought("theirs", "x", note="{}"), Thought("plain"), Thought("", None, redacted=True))
    request = of(USER, Message("assistant", (*signed, *others, Text("so"))), USER)
    own = [
        {"type": "thinking", "thinking": "Hm é\u2028", "signature": "Er/+aA=="},
        {"type": "redacted_thinking", "data": "b+/="},
    ]

    assert sent(request, "claude-opus-5", CLAUDE)["messages"][1]["content"] == [*own, {"type": "text", "text": "so"}]
    assert sent(request)["messages"][1]["content"] == [
        *own,
        {"type": "thinking", "thinking": "theirs", "signature": ""},
        {"type": "thinking", "thinking": "plain", "signature": ""},
        {"type": "text", "text": "so"},
    ]
    assert "thoughts" in told_aside(request, "claude-opus-5", CLAUDE)
    assert told_aside(of(USER, Message("assistant", signed), USER), "claude-opus-5", CLAUDE) == set()


@pytest.mark.parametrize(
    ("reasoning", "wanted", "told"),
    [
        ("effort", Thinking(True), {"thinking": {"type": "adaptive"}}),
        (
            "effort",
            Thinking(True, "high"),
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        ),
        ("effort", Thinking(None, "low"), {"output_config": {"effort": "low"}}),
        ("effort", Thinking(False), {"thinking": {"type": "disabled"}}),
        ("budget", Thinking(True), {"thinking": {"type": "enabled", "budget_tokens": 10_000}}),
        ("budget", Thinking(True, "low"), {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        ("budget", Thinking(False), {"thinking": {"type": "disabled"}}),
        (None, Thinking(True, "high"), {}),
    ],
)
def test_how_to_reason(reasoning: str | None, wanted: Thinking, told: dict[str, Any]) -> None:
    """As the settings say that this server is told."""
    target = Target("work", "http://127.0.0.1/v1", Place.DEVICE, reasoning)
    request = of(thinking=wanted, sampling=Sampling(max_tokens=20_000))

    body = sent(request, target=target)

    assert {name: body[name] for name in ("thinking", "output_config") if name in body} == told
    assert told_aside(request, target=target) == (set() if told else {"thinking"})


def test_a_budget_leaves_room_for_the_answer() -> None:
    """It is smaller than the answer; where there is no room for the least one, nothing is said."""
    target = Target("work", "http://127.0.0.1/v1", Place.DEVICE, "budget")
    small, smaller = (of(thinking=Thinking(True), sampling=Sampling(max_tokens=most)) for most in (2000, 1024))

    assert sent(small, target=target)["thinking"]["budget_tokens"] == 1999
    assert "thinking" not in sent(smaller, target=target)
    assert told_aside(smaller, target=target) == {"thinking"}


def test_who_thinks_is_not_made_to_call_and_draws_as_it_likes() -> None:
    """Anthropic refuses both beside reasoning: the call is wanted more, and the drawing less."""
    target = Target("work", "http://127.0.0.1/v1", Place.DEVICE, "effort")
    request = of(thinking=Thinking(True), tools=(TOOL,), sampling=Sampling(temperature=0.2))
    forced = replace(request, tool_choice="required")

    assert "temperature" not in sent(request, target=target)
    assert told_aside(request, target=target) == {"temperature"}
    assert "thinking" not in sent(forced, target=target)
    assert sent(forced, target=target)["temperature"] == 0.2
    assert told_aside(forced, target=target) == {"thinking"}


def test_a_client_of_anthropics_says_it_itself() -> None:
    """Its own words go on as they came, until somebody decides otherwise."""
    thinking = {"type": "enabled", "budget_tokens": 2048, "display": "omitted"}
    request = from_anthropic(thinking=thinking, output_config={"effort": "max"}, temperature=1.0)
    target = Target("work", "http://127.0.0.1/v1", Place.DEVICE, "effort")

    for each in (PLAIN, target):
        assert sent(request, target=each)["thinking"] == thinking
        assert sent(request, target=each)["output_config"] == {"effort": "max"}
        assert sent(request, target=each)["temperature"] == 1.0
        assert told_aside(request, target=each) == set()
    assert sent(replace(request, thinking=Thinking(False)), target=target)["thinking"] == {"type": "disabled"}
    adaptive = from_anthropic(thinking={"type": "adaptive"})
    assert sent(adaptive)["thinking"] == {"type": "adaptive"}


# ---- what only Anthropic's own clients say --------------------------------------------------------------------------


def test_its_own_fields_go_on() -> None:
    """To servers of the same protocol, and they replace nothing that is written here."""
    request = from_anthropic(
        service_tier="auto", context_management={"edits": []}, speed="fast", betas=["x"], odd={"a": 1}
    )

    body = sent(request)

    assert (body["service_tier"], body["context_management"], body["odd"]) == ("auto", {"edits": []}, {"a": 1})
    assert body["speed"] == "fast"
    assert "betas" not in body
    assert "service_tier" not in sent(replace(request, protocol="openai-chat"))
    hostile = {
        "messages": [],
        "model": "x",
        "system": "x",
        "stream": True,
        "tools": [],
        "thinking": "x",
        "max_tokens": 1,
    }
    assert sent(replace(request, extras=hostile)) == sent(replace(request, extras={}))


def test_its_marks_go_on() -> None:
    """Each where it was set, and none of ours beside them."""
    mark, long = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
    request = from_anthropic(
        system=[{"type": "text", "text": LONG, "cache_control": long}, {"type": "text", "text": "t"}],
        tools=[{"name": "look", "input_schema": {"type": "object"}, "cache_control": long}],
        messages=[{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": mark}]}],
    )

    body = sent(request, "claude-opus-5", CLAUDE)

    assert [block.get("cache_control") for block in body["system"]] == [long, None]
    assert body["tools"][0]["cache_control"] == long
    assert body["messages"][0]["content"][0]["cache_control"] == mark
    automatic = sent(from_anthropic(system=LONG, cache_control=long), "claude-opus-5", CLAUDE)
    assert automatic["cache_control"] == long
    assert "cache_control" not in automatic["system"][0]


def test_our_marks() -> None:
    """Where the client set none, beyond this machine, and unless the settings leave it to the client."""
    request = of(Message("system", (Text(LONG),)), USER)
    mark = {"type": "ephemeral"}

    assert sent(request, target=CLAUDE)["system"][0]["cache_control"] == mark
    assert sent(request, target=CLAUDE)["messages"][0]["content"][0]["cache_control"] == mark
    for other in (PLAIN, replace(CLAUDE, cache="client")):
        assert "cache_control" not in body_of(request, "m", other).decode()


# ---- headers and lists ----------------------------------------------------------------------------------------------


def test_headers() -> None:
    """Anthropic gets its key in its own header alone, others also as a bearer's; features go where they are known."""
    asked = replace(from_anthropic(), betas=("context-1m-2025-08-07", "x-2025-01-01"))
    key = Key("sk-1")

    plain = {"anthropic-version": "2023-06-01", "x-api-key": "sk-1"}
    assert FAMILY.headers_to(CLAUDE, key, None) == plain
    assert FAMILY.headers_to(PLAIN, key, ASKED) == {**plain, "authorization": "Bearer sk-1"}
    assert FAMILY.headers_to(PLAIN, None, replace(asked, protocol="openai-chat")) == {"anthropic-version": "2023-06-01"}
    assert FAMILY.headers_to(CLAUDE, key, asked)["anthropic-beta"] == "context-1m-2025-08-07,x-2025-01-01"


@pytest.mark.parametrize(
    ("quirk", "model", "changed"),
    [
        ({"longest_answer": 9}, "big", {"max_tokens"}),
        ({"system_turns": True}, "claude-opus-5", {"messages"}),
        ({"bearer": False}, "big", set()),
    ],
    ids=["longest_answer", "system_turns", "bearer"],
)
def test_a_quirk_changes_this_alone(quirk: dict[str, Any], model: str, changed: set[str]) -> None:
    """The body with it and without; of the key, its headers."""
    asked = of(
        USER, CALL, Message("tool", (ToolResult("c1", (Text("so"),)),)), Message("system", (Text("now be brief"),))
    )
    before, after = (sent(asked, model, replace(PLAIN, quirks=Quirks(**each))) for each in ({}, quirk))

    assert {name for name in before | after if before.get(name) != after.get(name)} - {"system"} == changed
    keys = [FAMILY.headers_to(replace(PLAIN, quirks=Quirks(**each)), Key("sk-1"), None) for each in ({}, quirk)]
    assert (keys[0] != keys[1]) is ("bearer" in quirk)


def test_pages_of_models() -> None:
    """One after the other."""
    page = json.dumps({"data": [{"id": "a"}, {"id": "b"}], "has_more": True, "last_id": "b&c"}).encode()

    assert FAMILY.models(page, PLAIN) == Listed(("a", "b"), "models?limit=1000&after_id=b%26c")
    assert FAMILY.models(b'{"data": [{"id": "c"}], "has_more": false, "last_id": "c"}', PLAIN) == Listed(("c",))
    with pytest.raises(BadAnswer, match="base_url"):
        FAMILY.models(b"<html>", PLAIN)


def test_quirks_are_of_the_address() -> None:
    """Anthropic's own rules are asked of nobody else."""
    assert CLAUDE.quirks != Quirks()
    assert quirks_of("https://gateway.example.com/v1") == Quirks()
