"""What is asked of Gemini, to the field."""

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
from providers.families.base import Listed
from providers.families.gemini import Gemini, body_of
from providers.target import Target
from tests.fakes.cleared import ASKED

USER = Message("user", (Text("hello"),))
LOOK = Tool("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
TARGET = Target("work", "https://generativelanguage.googleapis.com/v1beta", Place.CLOUD)


def written(request: Request, model: str = "gemini-3-pro") -> Any:
    return json.loads(body_of(request, model))


def said(*parts: Part, model: str = "gemini-3-pro") -> Any:
    """The parts of a model's turn."""
    return written(replace(ASKED, messages=(USER, Message("assistant", parts), USER)), model)["contents"][1]["parts"]


def config(sampling: Sampling = Sampling(), thinking: Thinking | None = None, model: str = "gemini-3-pro") -> Any:  # noqa: B008
    return written(replace(ASKED, sampling=sampling, thinking=thinking), model).get("generationConfig")


def test_a_plain_question() -> None:
    """Nothing is said that wasn't asked for."""
    assert written(ASKED) == {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}


def test_parts_without_words() -> None:
    """They are refused there, so they are left out, and a turn of nothing else is."""
    turns = (USER, Message("assistant", (Text(""),)), Message("user", (Text(""), Text("hi"))))
    assert written(replace(ASKED, messages=turns))["contents"] == [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "user", "parts": [{"text": "hi"}]},
    ]


def test_systems_words() -> None:
    """What leads stands in its own place; a later one stays where it was said, so that what is in front doesn't change."""
    system = Message("system", (Text("be brief"),))
    body = written(replace(ASKED, messages=(system, system, USER, Message("assistant", (Text("hi"),)), system)))

    assert body["systemInstruction"] == {"parts": [{"text": "be brief"}, {"text": "be brief"}]}
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user"]
    assert body["contents"][2]["parts"] == [{"text": "be brief"}]
    assert written(replace(ASKED, messages=(system,))) == {
        "contents": [{"role": "user", "parts": [{"text": "be brief"}]}]
    }


def test_pictures_and_documents() -> None:
    """Whole ones inside, others by address, ids of another maker's not at all."""
    parts = (
        Image("data:image/png;base64,QUJD"),
        File("data:application/pdf;base64,QUJD", "a.pdf"),
        Image("https://example.com/a.jpg?x=1"),
        File("https://generativelanguage.googleapis.com/v1beta/files/abc"),
        Image("https://example.com"),
    )
    body = written(replace(ASKED, messages=(Message("user", parts),)))

    assert body["contents"][0]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": "QUJD"}},
        {"inlineData": {"mimeType": "application/pdf", "data": "QUJD"}},
        {"fileData": {"fileUri": "https://example.com/a.jpg?x=1", "mimeType": "image/jpeg"}},
        {"fileData": {"fileUri": "https://generativelanguage.googleapis.com/v1beta/files/abc"}},
        {"fileData": {"fileUri": "https://example.com"}},
    ]
    with pytest.raises(Unsupported) as refused:
        written(replace(ASKED, messages=(Message("user", (File("file-123"),)),)))
    assert refused.value.parameter == "messages"


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("auto", None),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("look", {"mode": "ANY", "allowedFunctionNames": ["look"]}),
    ],
)
def test_tools(choice: str, told: Any) -> None:
    """Schemas as they are, and which of them has to be called."""
    body = written(replace(ASKED, tools=(LOOK, replace(LOOK, description="")), tool_choice=choice))

    (tool,) = body["tools"]
    assert tool["functionDeclarations"] == [
        {"name": "look", "description": "Looks.", "parametersJsonSchema": LOOK.parameters},
        {"name": "look", "parametersJsonSchema": LOOK.parameters},
    ]
    assert body.get("toolConfig") == (None if told is None else {"functionCallingConfig": told})


def test_calls_and_their_results() -> None:
    """Results stand together, in the order of the calls and under their names, whatever came between; their pictures behind."""
    messages = (
        USER,
        Message("assistant", (ToolCall("a", "look", '{"at": "x"}'), ToolCall("b", "hear", ""))),
        Message("tool", (ToolResult("b", (Text("no"),), failed=True),)),
        Message("tool", (ToolResult("a", (Text("seen"), Image("data:image/png;base64,QUJD"))),)),
        USER,
    )
    _, calls, results, user = written(replace(ASKED, messages=messages), "gemini-2.5-pro")["contents"]

    assert calls == {
        "role": "model",
        "parts": [
            {"functionCall": {"id": "a", "name": "look", "args": {"at": "x"}}},
            {"functionCall": {"id": "b", "name": "hear", "args": {}}},
        ],
    }
    assert results == {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "a", "name": "look", "response": {"output": "seen"}}},
            {"functionResponse": {"id": "b", "name": "hear", "response": {"error": "no"}}},
            {"inlineData": {"mimeType": "image/png", "data": "QUJD"}},
        ],
    }
    assert user["parts"] == [{"text": "hello"}]


def test_results_beside_words() -> None:
    """Of a client that sends both in one turn: the words come behind."""
    both = Message("user", (ToolResult("a", (Text("seen"),)), Text("go on")))
    messages = (USER, Message("assistant", (ToolCall("a", "look", "{}"),)), both)
    contents = written(replace(ASKED, messages=messages))["contents"]

    assert "functionResponse" in contents[2]["parts"][0]
    assert contents[3] == {"role": "user", "parts": [{"text": "go on"}]}


def test_signatures_go_where_they_came_from() -> None:
    """On a call, on a thought, on the last of the words, or behind them: each in a part of its own again."""
    assert said(
        Thought("hm", "s0", note='{"at":"thought"}'),
        Text("one two"),
        Thought("", "s1", True, '{"at":"text","chars":3}'),
        ToolCall("a", "look", "{}", '{"signature":"s2"}'),
        ToolCall("b", "look", "{}"),
    ) == [
        {"text": "hm", "thought": True, "thoughtSignature": "s0"},
        {"text": "one "},
        {"text": "two", "thoughtSignature": "s1"},
        {"functionCall": {"id": "a", "name": "look", "args": {}}, "thoughtSignature": "s2"},
        {"functionCall": {"id": "b", "name": "look", "args": {}}},
    ]
    behind = {"text": "", "thoughtSignature": "s"}
    assert said(Text("one"), Thought("", "s", True, '{"at":"text"}')) == [{"text": "one"}, behind]
    assert said(Text("one"), Thought("", "s", True, '{"at":"text","chars":3}')) == [
        {"text": "one", "thoughtSignature": "s"}
    ]
    assert said(Text("o"), Thought("", "s", True, '{"at":"text","chars":3}')) == [{"text": "o"}, behind]


def test_a_turn_in_several_messages() -> None:
    """As clients of Responses tell it: a signature finds its words."""
    turns = (
        Message("assistant", (Text("one"),)),
        Message("assistant", (Thought("", "s", True, '{"at":"text","chars":3}'),)),
        Message("assistant", (ToolCall("a", "look", "{}"),)),
        Message("assistant", (ToolCall("b", "look", "{}"),)),
        Message("tool", (ToolResult("a", (Text("1"),)),)),
        Message("tool", (ToolResult("b", (Text("2"),)),)),
    )
    _, model, results = written(replace(ASKED, messages=(USER, *turns)))["contents"]

    assert model["parts"][0] == {"text": "one", "thoughtSignature": "s"}
    assert ["thoughtSignature" in part for part in model["parts"]] == [True, True, False]
    assert len(results["parts"]) == 2


def test_what_another_model_said() -> None:
    """Its calls say that they have no signature where one is asked for, its thoughts are words, and its sealed ones are left."""
    call, thought, sealed = ToolCall("a", "look", "{}"), Thought("hm"), Thought("", None, True)
    plain = {"functionCall": {"id": "a", "name": "look", "args": {}}}

    assert said(thought, sealed, call, call) == [
        {"text": "hm", "thought": True},
        {**plain, "thoughtSignature": "skip_thought_signature_validator"},
        plain,
    ]
    assert said(call, model="gemini-2.5-flash") == [plain]
    asked = replace(ASKED, messages=(USER, Message("assistant", (thought, sealed))))
    assert Gemini().not_honoured(asked, TARGET) == ("thoughts",)


def test_how_to_choose_tokens() -> None:
    """Each under its name, a seed that fits, and no more stop strings than they take."""
    sampling = Sampling(100, 0.5, 0.9, 2**31 + 5, ("a", "b"), 0.1, 0.2, True, 4, 2, 40)

    assert config(sampling) == {
        "maxOutputTokens": 100,
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 40,
        "seed": 5,
        "stopSequences": ["a", "b"],
        "presencePenalty": 0.1,
        "frequencyPenalty": 0.2,
        "candidateCount": 2,
        "responseLogprobs": True,
        "logprobs": 4,
    }
    assert config(Sampling(top_logprobs=4)) is None
    with pytest.raises(Unsupported) as refused:
        config(Sampling(stop=tuple("abcdef")))
    assert refused.value.parameter == "stop"


@pytest.mark.parametrize(
    ("model", "thinking", "told"),
    [
        ("gemini-3-pro", Thinking(), None),
        ("gemini-3-pro", Thinking(on=True), {"includeThoughts": True}),
        ("gemini-3-pro", Thinking(True, "low"), {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-3-pro", Thinking(effort="xhigh"), {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-3-flash", Thinking(on=False), {"thinkingLevel": "minimal"}),
        ("models/gemini-2.5-flash", Thinking(True, "medium"), {"includeThoughts": True, "thinkingBudget": 8192}),
        ("gemini-2.5-flash", Thinking(on=False), {"thinkingBudget": 0}),
        ("gemini-2.5-pro", Thinking(effort="none"), {"thinkingBudget": 128}),
    ],
)
def test_how_hard_to_think(model: str, thinking: Thinking, told: Any) -> None:
    """A level, or tokens for the generation that counts them; who wants it reasoned is shown the reasoning."""
    assert (config(thinking=thinking, model=model) or {}).get("thinkingConfig") == told


def test_schemas() -> None:
    """JSON of a shape, or any."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert written(replace(ASKED, schema=schema))["generationConfig"] == {
        "responseMimeType": "application/json",
        "responseJsonSchema": schema,
    }
    assert written(replace(ASKED, schema={"type": "object"}))["generationConfig"] == {
        "responseMimeType": "application/json"
    }


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gemini-3-pro", "gemini-3-pro"),
        ("models/gemini-3-pro", "gemini-3-pro"),
        ("a/../../b?key=x#y:z", "a%2F..%2F..%2Fb%3Fkey%3Dx%23y%3Az"),
    ],
)
def test_paths(model: str, name: str) -> None:
    """A method of the model, which stays one name whatever a client calls it; the key is in a header alone."""
    family = Gemini()
    assert family.path(ASKED, model) == f"models/{name}:generateContent"
    assert family.path(replace(ASKED, stream=True), model) == f"models/{name}:streamGenerateContent?alt=sse"
    assert family.headers(Key("sk")) == {"x-goog-api-key": "sk"}
    assert family.headers(None) == {}


def test_one_call_at_a_time_cant_be_told() -> None:
    """The client is told so, if there are tools at all."""
    family = Gemini()
    assert family.not_honoured(replace(ASKED, tools=(LOOK,), parallel_calls=False), TARGET) == ("parallel_calls",)
    assert family.not_honoured(replace(ASKED, parallel_calls=False), TARGET) == ()


def test_models() -> None:
    """Those that generate content, page by page."""
    page = {
        "models": [
            {"name": "models/gemini-3-pro", "supportedGenerationMethods": ["generateContent", "countTokens"]},
            {"name": "models/gemini-embedding", "supportedGenerationMethods": ["embedContent"]},
        ],
        "nextPageToken": "a/b=",
    }
    family = Gemini()
    assert family.models(json.dumps(page).encode(), TARGET) == Listed(
        ("gemini-3-pro",), "models?pageSize=1000&pageToken=a%2Fb%3D"
    )
    assert family.models(b"{}", TARGET) == Listed(())
    with pytest.raises(BadAnswer, match="base_url"):
        family.models(b"<html>", TARGET)
