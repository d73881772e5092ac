"""OpenAI Responses, from bytes to the neutral model."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from daemon.errors import BadRequest
from daemon.protocols import openai_responses as codec
from daemon.protocols.base import Envelope, Problem
from providers.contract import File, Image, Message, Request, Sampling, Text, Thought, Tool, ToolCall, ToolResult
from providers.wire import openai_responses as wire

ENVELOPE: Final = Envelope("00000000000000aa", None, None, None, "any", 1_700_000_000)
LOOK: Final = {"type": "function", "name": "look", "description": "d", "parameters": {"type": "object"}, "strict": True}
GO: Final = {"type": "function", "name": "go"}
EMPTY: Final = {"type": "object", "properties": {}}


def asked(envelope: Envelope = ENVELOPE, **fields: Any) -> Request:
    body = {"model": "local", "input": "hi", **fields}
    return codec.read(json.dumps({name: value for name, value in body.items() if value is not ...}).encode(), envelope)


def refused(**fields: Any) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        asked(**fields)
    return caught.value


def turns(*items: Any) -> tuple[Message, ...]:
    return asked(input=list(items)).messages


def test_a_string_is_a_users_turn() -> None:
    """The short form of input."""
    assert asked().messages == (Message("user", (Text("hi"),)),)


def test_instructions_stand_first() -> None:
    """They are a system turn before everything, also before what came earlier."""
    earlier = json.dumps({"role": "user", "content": "before"}).encode()
    envelope = Envelope("00000000000000aa", None, None, None, "any", 1, earlier=(earlier,))

    assert asked(envelope, instructions="be brief").messages == (
        Message("system", (Text("be brief"),)),
        Message("user", (Text("before"),)),
        Message("user", (Text("hi"),)),
    )


def test_messages_with_and_without_a_type() -> None:
    """All roles, texts and lists of parts."""
    assert turns(
        {"role": "developer", "content": "rules"},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "a"}, {"type": "text", "text": "b"}],
        },
        {"role": "assistant", "content": [{"type": "output_text", "text": "c", "annotations": []}]},
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:x", "detail": "low"}]},
        {"role": "user", "content": [{"type": "input_file", "file_data": "data:y", "filename": "f.pdf"}]},
    ) == (
        Message("system", (Text("rules"),)),
        Message("user", (Text("a"), Text("b"))),
        Message("assistant", (Text("c"),)),
        Message("user", (Image("data:x", "low"),)),
        Message("user", (File("data:y", "f.pdf"),)),
    )


def test_what_a_model_did_in_a_turn_is_one_turn() -> None:
    """Reasoning, words and parallel calls that follow each other are one message, and each result is one."""
    assert turns(
        {"role": "user", "content": "hi"},
        {
            "type": "reasoning",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "hm"}],
            "encrypted_content": "é=",
        },
        {"role": "assistant", "content": "wait"},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{ "a":1}'},
        {"type": "custom_tool_call", "call_id": "c2", "name": "write", "input": 'x "y"'},
        {"type": "function_call_output", "call_id": "c1", "output": "sun"},
        {
            "type": "custom_tool_call_output",
            "call_id": "c2",
            "output": [{"type": "input_image", "image_url": "data:z"}],
        },
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "short"}]},
        {"role": "assistant", "content": "done"},
        {"role": "assistant", "content": "again"},
    ) == (
        Message("user", (Text("hi"),)),
        Message(
            "assistant",
            (
                Thought("hm", "é="),
                Text("wait"),
                ToolCall("c1", "look", '{ "a":1}'),
                ToolCall("c2", "write", '{"input":"x \\"y\\""}'),
            ),
        ),
        Message("tool", (ToolResult("c1", (Text("sun"),)),)),
        Message("tool", (ToolResult("c2", (Image("data:z"),)),)),
        Message("assistant", (Thought("short"), Text("done"))),
        Message("assistant", (Text("again"),)),
    )


def test_sealed_reasoning_comes_back_as_it_was() -> None:
    """A thought that nobody but its maker can read is kept to the byte; an empty one is nothing."""
    assert turns(
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA=="}, {"role": "assistant", "content": "so"}
    ) == (Message("assistant", (Thought("", "gAAA==", redacted=True), Text("so"))),)
    assert turns({"role": "user", "content": "hi"}, {"type": "reasoning", "summary": []}) == asked().messages


@pytest.mark.parametrize(
    ("item", "parameter"),
    [
        ({"type": "item_reference", "id": "x"}, "input[0]"),
        ({"type": "web_search_call", "id": "x"}, "input[0]"),
        ({"type": "secret words"}, "input[0]"),
        ({"role": "user", "content": []}, "input[0].content"),
        ({"role": "user", "content": [{"type": "input_audio"}]}, "input[0].content[0]"),
        ({"role": "user", "content": [{"type": "input_image", "file_id": "f"}]}, "input[0].content[0]"),
        ({"role": "user", "content": [{"type": "input_image"}]}, "input[0].content[0]"),
        ({"role": "user", "content": [{"type": "input_file"}]}, "input[0].content[0]"),
        ({"role": "king", "content": "x"}, "input[0].role"),
        ({"role": "user"}, "input[0].content"),
        ({"type": "function_call", "name": "x"}, "input[0].call_id"),
        (
            {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_file", "file_id": "f"}]},
            "input[0].output",
        ),
        (7, "input[0]"),
    ],
)
def test_an_item_that_cant_be_read_is_named(item: Any, parameter: str) -> None:
    """A fault in one item says which one, in words without the client's."""
    error = refused(input=[item])

    assert error.parameter == parameter
    assert "secret words" not in str(error)
    assert str(error).startswith("input[0]")


@pytest.mark.parametrize("empty", [..., None, []])
def test_without_input_there_is_nothing_to_answer(empty: Any) -> None:
    """An empty request is refused."""
    assert refused(input=empty).parameter == "input"


@pytest.mark.parametrize(
    ("field", "value"), [("background", True), ("conversation", "conv_1"), ("prompt", {"id": "pmpt_1"})]
)
def test_what_would_change_the_answer_is_refused(field: str, value: Any) -> None:
    """What a client relies on, and that is not here, is an error by its name."""
    assert refused(**{field: value}).parameter == field


def test_sampling() -> None:
    """Limits, temperature, and log-probabilities, which are asked for by `include`, or by how many there shall be."""
    assert asked(max_output_tokens=9, temperature=0.5, top_p=0.25).sampling == Sampling(
        max_tokens=9, temperature=0.5, top_p=0.25
    )
    assert asked(include=["message.output_text.logprobs"]).sampling == Sampling(logprobs=True)
    assert asked(top_logprobs=2).sampling == Sampling(logprobs=True, top_logprobs=2)


def test_tools() -> None:
    """Functions, and tools of free text, which are functions of one string."""
    request = asked(
        tools=[LOOK, GO, {"type": "custom", "name": "write", "description": "w"}], parallel_tool_calls=False
    )

    assert request.tools[:2] == (Tool("look", "d", {"type": "object"}, True), Tool("go", "", EMPTY))
    assert request.tools[2].parameters["required"] == ["input"]
    assert (request.tool_choice, request.parallel_calls, request.ignored) == ("auto", False, ())


def test_tools_that_run_elsewhere_are_left_aside() -> None:
    """A hosted tool is no reason to refuse a request, and the client is told; unknown names are not repeated."""
    grammar = {"type": "custom", "name": "patch", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}}
    request = asked(tools=[{"type": "web_search"}, LOOK, grammar, {"type": "mine"}, {"type": "web_search"}])

    assert [tool.name for tool in request.tools] == ["look", "patch"]
    assert request.ignored == ("tools.web_search", "tools.format", "tools.other")


@pytest.mark.parametrize(
    ("choice", "read", "names"),
    [
        (None, "auto", ["look", "go"]),
        ("none", "none", ["look", "go"]),
        ("required", "required", ["look", "go"]),
        ({"type": "function", "name": "go"}, "go", ["look", "go"]),
        ({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "go"}]}, "auto", ["go"]),
        (
            {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "go"}]},
            "required",
            ["go"],
        ),
        ({"type": "allowed_tools", "mode": "auto", "tools": []}, "none", []),
    ],
)
def test_tool_choice(choice: Any, read: str, names: list[str]) -> None:
    """Every form of choice; allowed tools are those that are left."""
    request = asked(tools=[LOOK, GO], tool_choice=choice)

    assert (request.tool_choice, [tool.name for tool in request.tools]) == (read, names)


@pytest.mark.parametrize(
    ("choice", "tools"),
    [
        ("required", []),
        ("required", [{"type": "web_search"}]),
        ({"type": "function", "name": "fly"}, [LOOK]),
        ({"type": "web_search"}, [LOOK]),
        ({"type": "allowed_tools", "mode": "required", "tools": []}, [LOOK]),
        ({"type": "allowed_tools", "mode": "required", "tools": [{"name": ["look"]}, {"name": {}}]}, [LOOK]),
        ("sometimes", [LOOK]),
    ],
)
def test_a_call_that_cant_be_made_is_refused(choice: Any, tools: list[Any]) -> None:
    """Nobody is made to call what isn't there."""
    assert (refused(tools=tools, tool_choice=choice).parameter or "").startswith("tool_choice")


def test_a_tool_without_a_name_is_named_by_its_place() -> None:
    """A fault in a tool says which one."""
    assert refused(tools=[LOOK, {"type": "function"}]).parameter == "tools[1].name"


def test_formats() -> None:
    """Text, any object, or a schema that has to be there."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}

    assert asked(text={"format": {"type": "text"}}).schema is None
    assert asked(text={"format": {"type": "json_object"}}).schema == {"type": "object"}
    named = {"type": "json_schema", "name": "n", "schema": schema, "strict": True, "description": "d"}
    assert asked(text={"format": named}).schema == {"title": "n", "description": "d", **schema}
    assert refused(text={"format": {"type": "json_schema", "name": "n"}}).parameter == "text.format"


def test_what_a_provider_may_honour_is_passed_on() -> None:
    """Fields that Chat Completions has too go on under its names, and all that change nothing here are listed."""
    request = asked(
        reasoning={"effort": "low", "summary": "auto"},
        text={"verbosity": "low"},
        user="u",
        truncation="auto",
        max_tool_calls=3,
        include=["reasoning.encrypted_content", "web_search_call.results"],
        client_metadata={"a": "b"},
    )

    assert request.extras == {
        "user": "u",
        "reasoning_effort": "low",
        "verbosity": "low",
        "reasoning.summary": "auto",
        "reasoning.encrypted_content": True,
    }
    assert set(request.ignored) == {
        "truncation",
        "reasoning.effort",
        "reasoning.summary",
        "text.verbosity",
        "include",
        "user",
        "max_tool_calls",
        "other",
    }
    assert asked(truncation="disabled", include=["reasoning.encrypted_content"], store=False).ignored == ()


def test_what_it_goes_on_from() -> None:
    """The name of an earlier answer is read without the rest of the body."""
    assert codec.follows(b'{"input": "previous_response_id"}') is None
    assert codec.follows(b'{"previous_response_id": "resp_1", "input": 7}') == "resp_1"
    assert codec.follows(b'{"previous_response_id": null}') is None
    with pytest.raises(BadRequest):
        codec.follows(b'{"previous_response_id": 1}')


def test_own_items() -> None:
    """What a request brought itself, as items that read the same again."""
    told = asked(input="hi").echo
    assert isinstance(told, wire.ResponseRequest)
    (item,) = codec.own_items(told, {})

    assert turns(json.loads(item)) == asked(input="hi").messages
    item = {"role": "user", "content": "x", "extra": [1, 2]}
    assert [json.loads(raw) for raw in codec.own_items(asked(input=[item]).echo, {})] == [item]


def test_items_may_be_named() -> None:
    """An item that stands for an earlier one is that one where it is known, and refused by its place where it isn't."""
    reference = {"type": "item_reference", "id": "msg_1"}
    body = json.dumps({"model": "local", "input": [{"role": "user", "content": "item_reference"}, reference]}).encode()
    call = b'{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}'
    known = Envelope("00000000000000aa", None, None, None, "any", 1, named={"msg_1": call})

    assert codec.references(body) == ("msg_1",)
    assert codec.references(b'{"input": "item_reference"}') == ()
    request = codec.read(body, known)
    assert request.messages[1].parts == (ToolCall("c", "f", "{}"),)
    assert codec.own_items(request.echo, known.named)[1] == call
    with pytest.raises(BadRequest) as caught:
        codec.read(body, ENVELOPE)
    assert caught.value.parameter == "input[1]"


def test_errors_have_openais_shape() -> None:
    """With this protocol's names of fields."""
    told = json.loads(codec.refusal(Problem(400, "unsupported_parameter", "no", "schema")))

    assert told == {
        "error": {
            "message": "no",
            "type": "invalid_request_error",
            "param": "text.format",
            "code": "unsupported_parameter",
        }
    }

    private = json.loads(codec.refusal(Problem(403, "private", "no")))["error"]
    assert (private["type"], codec.HABITS.statuses["private"]) == ("invalid_request_error", 400)


words = st.text(max_size=6)
part = st.fixed_dictionaries({"type": st.sampled_from(["input_text", "output_text", "refusal", "input_image", "x"])}, optional={
    "text": words, "refusal": words, "image_url": words})  # fmt: skip
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | words, lambda inner: st.lists(inner, max_size=3), max_leaves=4
)
item = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["message", "function_call", "function_call_output", "reasoning", "custom_tool_call", "item_reference", "x"]
        ),
        "role": st.sampled_from(["user", "assistant", "system", "king"]),
        "content": words | st.lists(part, max_size=2) | anything,
        "call_id": words,
        "name": words,
        "arguments": words,
        "output": words | st.lists(part, max_size=2),
        "summary": st.just([]) | anything,
        "encrypted_content": words,
    },
)
fields = st.sampled_from([*wire.ResponseRequest.__struct_fields__, "x", "ä", "user"])


@settings_of(deadline=None, max_examples=150)
@given(items=st.lists(item, max_size=4), more=st.dictionaries(fields, anything, max_size=4))
def test_any_body_is_read_or_refused(items: list[Any], more: dict[str, Any]) -> None:
    """Whatever a client sends, it is a request or its own mistake."""
    try:
        request = codec.read(json.dumps({"model": "local", "input": items, **more}).encode(), ENVELOPE)
    except BadRequest as error:
        assert str(error)
    else:
        assert request.messages
        codec.writer(request, ENVELOPE)
