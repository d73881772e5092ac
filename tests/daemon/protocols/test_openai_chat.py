"""OpenAI Chat Completions, bytes to values and values to bytes, with no server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from daemon.errors import BadRequest
from daemon.protocols import openai_chat
from daemon.protocols.base import Envelope, Problem
from daemon.protocols.openai_chat import ChatWriter, read, refusal
from providers.contract import (
    Alternative,
    Choice,
    Delta,
    File,
    Finish,
    Image,
    Logprob,
    Message,
    Progress,
    Request,
    Response,
    Sampling,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
    ToolResult,
    Usage,
    fold,
)
from providers.wire import openai_chat as wire

ENVELOPE = Envelope("00000000000000aa", "editor", "s1", "p1", "device", 1_700_000_000)
HI = [{"role": "user", "content": "hi"}]
USAGE = Usage(7, 3, 2, 1)
CANARY = "canary"


def body(**fields: Any) -> bytes:
    return json.dumps({"model": "local", "messages": HI, **fields}).encode()


def asked(**fields: Any) -> Request:
    return read(body(**fields), ENVELOPE)


def message(**fields: Any) -> Message:
    """How one message is understood."""
    (found,) = asked(messages=[fields]).messages
    return found


# ---- reading --------------------------------------------------------------------------------------------------------


def test_the_plainest_request() -> None:
    """Two fields are enough; everything else is not asked for, and the envelope's facts are in the request."""
    assert asked() == Request(
        id=ENVELOPE.id,
        model="local",
        messages=(Message("user", (Text("hi"),)),),
        protocol="openai-chat",
        session="s1",
        project="p1",
        client="editor",
        reach="device",
    )


def test_every_sampling_field_is_read() -> None:
    """What the client says about choosing tokens is in the neutral model, word for word."""
    request = asked(
        max_tokens=5,
        temperature=0.5,
        top_p=0.25,
        seed=-(2**63),
        stop=["a", "b"],
        presence_penalty=-2,
        frequency_penalty=2,
        logprobs=True,
        top_logprobs=20,
        n=3,
        stream=True,
        stream_options={"include_usage": True},
    )

    assert request.sampling == Sampling(5, 0.5, 0.25, -(2**63), ("a", "b"), -2.0, 2.0, True, 20, 3)
    assert (request.stream, request.include_usage, request.ignored) == (True, True, ())


def test_null_is_not_asked_for() -> None:
    """A field that is null is the same as one that is absent, and no error."""
    optional = [name for name in wire.ChatRequest.__struct_fields__ if name not in ("model", "messages")]

    assert asked(**dict.fromkeys(optional)) == asked()
    assert len(optional) > 15


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"max_completion_tokens": 4}, 4),
        ({"max_tokens": 4}, 4),
        ({"max_tokens": 4, "max_completion_tokens": 4}, 4),
        ({"max_tokens": None, "max_completion_tokens": 4}, 4),
    ],
)
def test_both_names_of_the_limit(fields: dict[str, Any], limit: int) -> None:
    """The old and the new name of the limit mean the same."""
    assert asked(**fields).sampling.max_tokens == limit


def test_one_stop_string() -> None:
    """A stop string alone is a list of one."""
    assert asked(stop="x").sampling.stop == ("x",)


def test_content_as_a_string_and_as_parts() -> None:
    """A string and a single text part are the same words."""
    assert message(role="user", content="hi") == message(role="user", content=[{"type": "text", "text": "hi"}])


def test_parts_keep_their_order() -> None:
    """Texts, pictures and documents are read in the order in which they stand."""
    found = message(
        role="user",
        content=[
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA", "detail": "low"}},
            {"type": "file", "file": {"file_data": "data:x", "filename": "a.pdf"}},
            {"type": "file", "file": {"file_id": "f1"}},
            {"type": "text", "text": ""},
        ],
    )

    assert found.parts == (
        Text("see"),
        Image("data:image/png;base64,AA", "low"),
        File("data:x", "a.pdf"),
        File("f1", None),
        Text(""),
    )


@pytest.mark.parametrize(("role", "neutral"), [("system", "system"), ("developer", "system"), ("user", "user")])
def test_roles(role: str, neutral: str) -> None:
    """A developer's message is a system message."""
    assert message(role=role, content="x") == Message(neutral, (Text("x"),))  # type: ignore[arg-type]


def test_an_assistants_turn() -> None:
    """An earlier answer is its reasoning, its words, its refusal and its tool calls, arguments as they were written."""
    found = message(
        role="assistant",
        content="so",
        reasoning_content="hm",
        refusal="no",
        tool_calls=[{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{ "a":1}'}}],
    )

    assert found == Message("assistant", (Thought("hm"), Text("so"), Text("no"), ToolCall("c1", "look", '{ "a":1}')))


def test_an_assistants_turn_may_be_calls_alone() -> None:
    """A turn that only called tools has no words, with null or without the field."""
    calls = [{"id": "c1", "function": {"name": "look"}}]

    assert message(role="assistant", content=None, tool_calls=calls).parts == (ToolCall("c1", "look", ""),)
    assert message(role="assistant", tool_calls=calls).parts == (ToolCall("c1", "look", ""),)


def test_a_tools_result() -> None:
    """What a tool gave back names its call; the old `function` role names the function instead."""
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}]

    assert message(role="tool", tool_call_id="c1", content="42") == Message("tool", (ToolResult("c1", (Text("42"),)),))
    assert message(role="tool", tool_call_id="c1", content=parts).parts == (ToolResult("c1", (Text("a"), Image("u"))),)
    assert message(role="function", name="look", content="42").parts == (ToolResult("look", (Text("42"),)),)


@pytest.mark.parametrize(("said", "read"), [(None, True), (True, True), (False, False)])
def test_parallel_calls_may_be_forbidden(said: bool | None, read: bool) -> None:
    """`parallel_tool_calls: false` is the one value that asks for something."""
    assert asked(parallel_tool_calls=said).parallel_calls is read


def test_reasoning_comes_back_under_two_names() -> None:
    """What a model thought is read back as `reasoning_content`, or as `reasoning`, which other servers call it."""
    for name in ("reasoning_content", "reasoning"):
        turn = {"role": "assistant", "content": "so", name: "hm"}
        assert asked(messages=[{"role": "user", "content": "hi"}, turn]).messages[1].parts == (
            Thought("hm"),
            Text("so"),
        )


def test_tools_are_read() -> None:
    """A tool is its name, its description and its schema; a tool without parameters takes an empty object."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    request = asked(
        tools=[
            {"type": "function", "function": {"name": "look", "description": "d", "parameters": schema}},
            {"type": "function", "function": {"name": "rest", "strict": True}},
        ]
    )

    assert request.tools == (Tool("look", "d", schema), Tool("rest", "", {"type": "object", "properties": {}}, True))
    assert request.tool_choice == "auto"


@pytest.mark.parametrize(
    ("choice", "neutral"),
    [
        ("none", "none"),
        ("required", "required"),
        ({"type": "function", "function": {"name": "look"}}, "look"),
        (None, "auto"),
    ],
)
def test_tool_choice(choice: object, neutral: str) -> None:
    """Which tool has to be called is a word or a tool's name."""
    tools = [{"type": "function", "function": {"name": "look"}}]

    assert asked(tool_choice=choice, tools=tools).tool_choice == neutral


def test_a_call_without_tools_is_refused() -> None:
    """Who demands a call has to offer something to call."""
    with pytest.raises(BadRequest) as caught:
        asked(tool_choice="required")

    assert caught.value.parameter == "tool_choice"


@pytest.mark.parametrize("stop", [["x"] * 65, ["x" * 4097]])
def test_stop_strings_have_a_limit(stop: list[str]) -> None:
    """Each token is held against all of them, so there can't be any number."""
    with pytest.raises(BadRequest) as caught:
        asked(stop=stop)

    assert caught.value.parameter == "stop"


@pytest.mark.parametrize(
    ("format", "schema"),
    [
        ({"type": "text"}, None),
        ({"type": "json_object"}, {"type": "object"}),
        (
            {"type": "json_schema", "json_schema": {"name": "x", "description": "d", "schema": {"type": "array"}}},
            {"title": "x", "description": "d", "type": "array"},
        ),
        (
            {"type": "json_schema", "json_schema": {"name": "x", "description": "", "schema": {"title": "own"}}},
            {"title": "own"},
        ),
        (None, None),
    ],
)
def test_response_format(format: object, schema: object) -> None:
    """Plain text asks for no format; JSON asks for one, whose name and description are the schema's where it has none."""
    assert asked(response_format=format).schema == schema


def test_what_is_left_aside_of_messages_is_reported() -> None:
    """Names of speakers, spoken answers and padding of streams have no place here, and are said to have none."""
    messages = [
        {"role": "user", "name": "ada", "content": "hi"},
        {"role": "assistant", "audio": {"id": "a"}, "content": "x"},
    ]

    assert asked(messages=messages, stream_options={"include_obfuscation": True}).ignored == (
        "messages.name",
        "messages.audio",
        "stream_options",
    )


def test_the_form_before_tools() -> None:
    """Functions of the first API are refused with what to send; calls of it in a history are calls, bound by their names."""
    history = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": "nothing"},
    ]

    for old in ("functions", "function_call"):
        with pytest.raises(BadRequest) as caught:
            asked(**{old: [{"name": "look"}]})
        assert caught.value.parameter == old
    assert asked(messages=history).messages[1:] == (
        Message("assistant", (ToolCall("look", "look", "{}"),)),
        Message("tool", (ToolResult("look", (Text("nothing"),)),)),
    )
    assert asked(messages=history).ignored == ()


def test_unknown_fields_are_kept_and_named() -> None:
    """What the codec does not know is kept as it was, and the client will be told about what is not null."""
    extras = {"user": "me", "mystery": {"a": [1, None, "ä"]}, "nothing": None, "zero": 0}

    request = asked(**extras)

    assert request.extras == extras
    assert request.ignored == ("user", "other")  # names that OpenAI doesn't have are the client's text


def test_unknown_fields_inside_are_passed_over() -> None:
    """A field that OpenAI adds to a message or a part tomorrow is no error today."""
    found = message(role="user", content=[{"type": "text", "text": "hi", "new": 1}], new=2)

    assert found == Message("user", (Text("hi"),))


def test_of_two_equal_keys_the_last_counts() -> None:
    """A key that comes twice is read as every JSON reader does, and in one way throughout."""
    request = read(b'{"model":"a","messages":[{"role":"user","content":"x"}],"u":1,"model":"b","u":2}', ENVELOPE)

    assert (request.model, request.extras) == ("b", {"u": 2})


def test_text_survives_whole() -> None:
    """Words beyond the basic plane, escapes, line separators and NUL come through unchanged."""
    words = '😀 ä \u2028 \x00 \\ " \r\n \ufeff'

    assert asked(messages=[{"role": "user", "content": words}]).messages[0].parts == (Text(words),)
    raw = json.dumps({"model": "m", "messages": [{"role": "user", "content": words}]}, ensure_ascii=False).encode()
    assert read(raw, ENVELOPE).messages[0].parts == (Text(words),)


# ---- refused --------------------------------------------------------------------------------------------------------

PART_AUDIO = {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"model": ""}, "model"),
    ({"model": 7}, "model"),
    ({"model": "m" * 201}, "model"),
    ({"model": None}, "model"),
    ({"messages": []}, "messages"),
    ({"messages": "hi"}, "messages"),
    ({"messages": [{"content": "x"}]}, "messages[0].role"),
    ({"messages": [*HI, {"role": "robot", "content": "x"}]}, "messages[1].role"),
    ({"messages": [*HI, {"role": "user"}]}, "messages[1].content"),
    ({"messages": [{"role": "user", "content": []}]}, "messages[0].content"),
    ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content"),
    ({"messages": [{"role": "user", "content": [{"text": "x"}]}]}, "messages[0].content[0].type"),
    ({"messages": [{"role": "user", "content": [{"type": "video"}]}]}, "messages[0].content[0].type"),
    ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages[0].content[0].text"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content[0].image_url"),
    ({"messages": [{"role": "user", "content": [PART_AUDIO]}]}, "messages[0].content[0]"),
    (
        {"messages": [{"role": "tool", "content": [{"type": "file", "file": {"file_id": "f"}}]}]},
        "messages[0].content",
    ),
    ({"messages": [{"role": "assistant", "tool_calls": [{"id": "c"}]}]}, "messages[0].tool_calls[0].function"),
    ({"temperature": 2.1}, "temperature"),
    ({"temperature": "hot"}, "temperature"),
    ({"top_p": -0.1}, "top_p"),
    ({"max_tokens": 0}, "max_tokens"),
    ({"max_tokens": 1.5}, "max_tokens"),
    ({"max_completion_tokens": True}, "max_completion_tokens"),
    ({"max_tokens": 4, "max_completion_tokens": 5}, "max_tokens"),
    ({"seed": 2**63}, "seed"),
    ({"seed": "x"}, "seed"),
    ({"stop": ""}, "stop"),
    ({"stop": ["x", ""]}, "stop"),
    ({"stop": 3}, "stop"),
    ({"stop": [3]}, "stop[0]"),
    ({"presence_penalty": 2.5}, "presence_penalty"),
    ({"frequency_penalty": -2.5}, "frequency_penalty"),
    ({"logprobs": 1}, "logprobs"),
    ({"top_logprobs": 3}, "top_logprobs"),
    ({"logprobs": True, "top_logprobs": 21}, "top_logprobs"),
    ({"n": 0}, "n"),
    ({"n": 129}, "n"),
    ({"stream": "yes"}, "stream"),
    ({"stream_options": []}, "stream_options"),
    ({"stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
    ({"tools": {}}, "tools"),
    ({"tools": [{"type": "web"}]}, "tools[0].type"),
    ({"tools": [{"type": "function"}]}, "tools[0].function"),
    ({"tools": [{"type": "function", "function": {"name": "f", "parameters": []}}]}, "tools[0].function.parameters"),
    ({"tool_choice": "sometimes"}, "tool_choice"),
    ({"tool_choice": {"type": "function"}}, "tool_choice.function"),
    ({"response_format": {}}, "response_format.type"),
    ({"response_format": {"type": "yaml"}}, "response_format.type"),
    ({"response_format": {"type": "json_schema"}}, "response_format"),
    ({"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}}, "response_format"),
]


@pytest.mark.parametrize(("fields", "parameter"), WRONG, ids=[json.dumps(fields)[:60] for fields, _ in WRONG])
def test_every_wrong_field_is_named(fields: dict[str, Any], parameter: str) -> None:
    """A value that can't be understood is refused with the path of its field, in the message as well."""
    with pytest.raises(BadRequest) as caught:
        asked(**fields)

    assert caught.value.parameter == parameter
    assert parameter in str(caught.value)


@pytest.mark.parametrize("missing", ["model", "messages"])
def test_a_missing_field_is_named(missing: str) -> None:
    """What every request needs is asked for by name."""
    fields = {"model": "m", "messages": HI}
    del fields[missing]

    with pytest.raises(BadRequest, match=f"^{missing} is missing$") as caught:
        read(json.dumps(fields).encode(), ENVELOPE)

    assert caught.value.parameter == missing


@pytest.mark.parametrize(
    "fields",
    [
        {"messages": [{"role": CANARY, "content": "x"}]},
        {"messages": [{"role": "user", "content": [{"type": CANARY}]}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": [CANARY]}]}]},
        {"tool_choice": CANARY},
        {"tools": [{"type": CANARY}]},
        {"response_format": {"type": CANARY}},
        {"response_format": {"type": "json_schema", "json_schema": {CANARY: CANARY}}},
        {"temperature": CANARY},
        {"stop": {CANARY: 1}},
    ],
    ids=lambda fields: json.dumps(fields)[:60],
)
def test_a_refusal_does_not_repeat_the_clients_words(fields: dict[str, Any]) -> None:
    """A message about a value that is wrong never quotes the value, which could be a prompt in the wrong place."""
    with pytest.raises(BadRequest) as caught:
        asked(**fields)

    assert CANARY not in str(caught.value)
    assert CANARY not in str(caught.value.parameter)


OPEN = b'{"model":"m","messages":[{"role":"user","content":"hi"}],'


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b'"text"',
        b"7",
        b"true",
        b"{",
        b"{}",
        b"{} {}",
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf" + body(),
        OPEN + b'"stop":"\xff"}',
        OPEN + b'"stop":"\\ud800"}',
        OPEN + b'"stop":"\\udc00\\ud800"}',
        OPEN + b'"stop":"\\x41"}',
        OPEN + b'"stop":"a\nb"}',
        OPEN + b'"temperature":NaN}',
        OPEN + b'"temperature":Infinity}',
        OPEN + b'"temperature":1e999}',
        OPEN + b'"seed":' + b"9" * 5000 + b"}",
        OPEN + b'"temperature":01}',
        OPEN + b'"x":"\xff"}',
        OPEN + b'"x":"\\ud800"}',
        OPEN + b'"x":NaN}',
        OPEN + b'"x":1e999}',
        OPEN + b'"x":-' + b"9" * 5000 + b"}",
        OPEN + b'"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        OPEN + b'"\xff":1}',
        OPEN + b'"\\ud800":1}',
        OPEN + b'"x":{"\xff":1}}',
        OPEN + b'"tools":' + b"[" * 5000 + b"]" * 5000 + b"}",
        OPEN + b'"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":' + b'{"a":' * 5000,
        OPEN + b'"tools":[{"type":"function","function":{"name":"f","parameters":{"a":"\xff"}}}]}',
        OPEN + b'"x":1,}',
    ],
    ids=lambda raw: repr(raw.removeprefix(OPEN)[:40]),
)
def test_what_is_no_json_is_a_bad_request(raw: bytes) -> None:
    """Bytes that are no request, in a known field or an unknown one, are refused as such and never raise anything else."""
    with pytest.raises(BadRequest) as caught:
        read(raw, ENVELOPE)

    assert str(caught.value)


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["user", "tool", "assistant", "text", "image_url", "file", "function", "auto", "json_schema"])
)
keys = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "image_url",
        "url",
        "tool_calls",
        "id",
        "function",
        "name",
        "arguments",
        "file",
        "file_id",
        "json_schema",
        "schema",
        "include_usage",
        "parameters",
        "refusal",
        "reasoning_content",
        "other",
    ]
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=5
)
fields = st.sampled_from([*wire.ChatRequest.__struct_fields__, "x", "ä"])


def is_read_or_refused(raw: bytes) -> None:
    try:
        request = read(raw, ENVELOPE)
    except BadRequest as refused:
        assert str(refused)
    else:
        assert request.messages
        msgspec.json.encode(request)


@settings(deadline=None)
@given(st.dictionaries(fields, values, max_size=4), st.booleans())
@example({"x": float("nan")}, True)
@example({"x": 10**400}, True)
@example({"messages": [{"role": "assistant"}]}, True)
def test_arbitrary_json_is_read_or_refused(found: dict[str, Any], complete: bool) -> None:
    """Whatever JSON comes, the outcome is a request that can be written down again, or a BadRequest."""
    is_read_or_refused(json.dumps({"model": "m", "messages": HI, **found} if complete else found).encode())


@settings(deadline=None)
@given(st.binary(max_size=40), st.integers(0, 200))
@example(b"\xff", len(OPEN) + 6)
def test_arbitrary_bytes_are_read_or_refused(noise: bytes, place: int) -> None:
    """Whatever bytes stand in the middle of a request, the outcome is a request or a BadRequest."""
    raw = OPEN + b'"x":"abc","stop":"d"}'

    is_read_or_refused(noise)
    is_read_or_refused(raw[:place] + noise + raw[place:])


# ---- writing --------------------------------------------------------------------------------------------------------


def writer(**fields: Any) -> ChatWriter:
    return openai_chat.writer(asked(**fields), ENVELOPE)


def chunks(raw: bytes) -> list[dict[str, Any]]:
    """The data frames of a stream as a client reads them; comments are skipped, and [DONE] is a string."""
    frames = raw.split(b"\n\n")
    assert frames.pop() == b""
    assert all(b"\n" not in frame for frame in frames)
    datas = [frame.removeprefix(b"data: ") for frame in frames if not frame.startswith(b":")]
    return [{"done": True} if data == b"[DONE]" else json.loads(data) for data in datas]


def deltas_of(raw: bytes) -> list[dict[str, Any]]:
    return [choice["delta"] for chunk in chunks(raw) for choice in chunk["choices"]]


def test_the_first_chunk_opens_the_answer() -> None:
    """A stream begins with the role and empty content, once, whatever its first delta is; then the words come."""
    writing = writer()

    assert deltas_of(writing.feed(TextDelta("one"), "local/play")) == [
        {"role": "assistant", "content": ""},
        {"content": "one"},
    ]
    assert deltas_of(writing.feed(TextDelta(" two"), "local/play")) == [{"content": " two"}]


def test_each_choice_opens_for_itself() -> None:
    """With several choices every one has its own opening and its own number."""
    writing = writer(n=2)
    raw = b"".join(writing.feed(TextDelta("x", choice=number), "m") for number in (1, 0, 1))

    found = [(choice["index"], "role" in choice["delta"]) for chunk in chunks(raw) for choice in chunk["choices"]]
    assert found == [(1, True), (1, False), (0, True), (0, False), (1, False)]


def test_a_chunk_has_what_clients_read() -> None:
    """Every chunk has its id, its time, who answered, and null where nothing is known yet."""
    (_, chunk) = chunks(writer().feed(TextDelta("x"), "local/play"))

    assert chunk == {
        "id": "chatcmpl-00000000000000aa",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "local/play",
        "system_fingerprint": None,
        "choices": [{"index": 0, "delta": {"content": "x"}, "logprobs": None, "finish_reason": None}],
    }


def test_usage_is_absent_unless_asked_for() -> None:
    """Without include_usage no chunk has a usage, not even a null one, and the stream just ends."""
    writing = writer(stream=True)
    raw = writing.feed(TextDelta("x"), "m") + writing.feed(Finish("stop", USAGE), "m") + writing.end()

    *found, done = chunks(raw)
    assert done == {"done": True}
    assert all("usage" not in chunk for chunk in found)
    assert all(chunk["choices"] for chunk in found)


def test_usage_is_null_until_the_last_chunk() -> None:
    """With include_usage every chunk has a null usage, and one more without choices has the numbers."""
    writing = writer(stream=True, stream_options={"include_usage": True})
    raw = writing.feed(TextDelta("x"), "m") + writing.feed(Finish("stop", USAGE), "m") + writing.end()

    *found, last, done = chunks(raw)
    assert done == {"done": True}
    assert all(chunk["usage"] is None for chunk in found)
    assert last["choices"] == []
    assert last["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }


def test_the_finish_has_its_reason_and_no_words() -> None:
    """The last chunk of a choice is empty but for its reason, and an answer without words still opens."""
    opening, finish = chunks(writer().feed(Finish("length", USAGE), "m"))

    assert opening["choices"][0]["delta"]["role"] == "assistant"
    assert finish["choices"] == [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "length"}]


def test_a_tool_call_in_pieces() -> None:
    """A call's first piece has id, type and name; later ones have arguments alone."""
    writing = writer()
    raw = writing.feed(ToolCallDelta(1, "c1", "look"), "m") + writing.feed(ToolCallDelta(1, arguments='{"a"'), "m")

    assert deltas_of(raw)[1:] == [
        {"tool_calls": [{"index": 1, "id": "c1", "type": "function", "function": {"name": "look", "arguments": ""}}]},
        {"tool_calls": [{"index": 1, "function": {"arguments": '{"a"'}}]},
    ]


def test_reasoning_has_a_field_of_its_own() -> None:
    """A model's thoughts are not mixed with its answer."""
    assert deltas_of(writer().feed(ThoughtDelta("hm"), "m"))[1:] == [{"reasoning_content": "hm"}]


def test_probabilities_with_their_bytes() -> None:
    """Each token has its text as far as it is text, its exact bytes, its number and its alternatives."""
    details = (Logprob(b"\xf0", -0.5, (Alternative(b"a", -1.5),)), Logprob("ä".encode(), -0.25))
    (_, chunk) = chunks(writer(logprobs=True).feed(TextDelta("x", details), "m"))

    assert chunk["choices"][0]["logprobs"] == {
        "content": [
            {
                "token": "\ufffd",
                "logprob": -0.5,
                "bytes": [0xF0],
                "top_logprobs": [{"token": "a", "logprob": -1.5, "bytes": [97]}],
            },
            {"token": "ä", "logprob": -0.25, "bytes": [0xC3, 0xA4], "top_logprobs": []},
        ],
        "refusal": None,
    }


@pytest.mark.parametrize("write", [lambda w: w.heartbeat(), lambda w: w.feed(Progress("loading", 0.5), "m")])
def test_a_heartbeat_is_a_comment(write: Any) -> None:
    """A sign of life, or of progress, is a comment line that no reader sees, and does not open the answer."""
    writing = writer()
    raw = write(writing)

    assert raw.startswith(b":")
    assert raw.endswith(b"\n\n")
    assert chunks(raw) == []
    assert deltas_of(writing.feed(TextDelta("x"), "m"))[0] == {"role": "assistant", "content": ""}


def test_an_error_in_mid_stream_is_a_frame() -> None:
    """A stream that fails ends with one error object and without [DONE]."""
    raw = writer().failed(Problem(503, "model_lost", "gone", None, 2.0))

    assert chunks(raw) == [{"error": {"message": "gone", "type": "server_error", "param": None, "code": "model_lost"}}]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "invalid_request_error"),
        (413, "invalid_request_error"),
        (429, "rate_limit_error"),
        (500, "server_error"),
        (503, "server_error"),
    ],
)
def test_a_refusal_is_openais_error_object(status: int, kind: str) -> None:
    """The type of an error follows its status, and fields have the client's names."""
    assert json.loads(refusal(Problem(status, "c", "words", "choices"))) == {
        "error": {"message": "words", "type": kind, "param": "n", "code": "c"}
    }
    assert json.loads(refusal(Problem(status, "c", "words")))["error"]["param"] is None


def test_a_whole_answer() -> None:
    """A whole answer has every field that clients read."""
    response = Response((Choice((Text("so"),), "stop", (Logprob(b"so", -0.5),)),), USAGE)

    assert json.loads(writer().whole(response, "local/play")) == {
        "id": "chatcmpl-00000000000000aa",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "local/play",
        "system_fingerprint": None,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "so", "refusal": None},
                "finish_reason": "stop",
                "logprobs": {
                    "content": [{"token": "so", "logprob": -0.5, "bytes": [115, 111], "top_logprobs": []}],
                    "refusal": None,
                },
            }
        ],
        "usage": {
            "prompt_tokens": 7,
            "completion_tokens": 3,
            "total_tokens": 10,
            "prompt_tokens_details": {"cached_tokens": 2},
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    }


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((), {"content": ""}),
        ((Text("a"), Text("b")), {"content": "ab"}),
        ((Thought("hm"), Text("so")), {"content": "so", "reasoning_content": "hm"}),
        (
            (ToolCall("c1", "look", "{}"),),
            {
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
            },
        ),
    ],
    ids=["nothing", "text", "thought", "call"],
)
def test_the_message_of_a_whole_answer(parts: Any, expected: dict[str, Any]) -> None:
    """Content is null only beside tool calls; reasoning and calls are there only if there were any."""
    found = json.loads(writer().whole(Response((Choice(parts, "stop"),), USAGE), "m"))["choices"][0]["message"]

    assert found == {"role": "assistant", "refusal": None, **expected}


# ---- both ways ------------------------------------------------------------------------------------------------------

piece = st.text("ab\n😀", max_size=4)
choice_number = st.integers(0, 1)
detail = st.lists(st.builds(Logprob, st.binary(max_size=3), st.floats(-9, 0)), max_size=2).map(tuple)
said = st.lists(
    st.builds(TextDelta, piece, detail, choice_number)
    | st.builds(ThoughtDelta, piece, st.none(), choice_number)
    | st.builds(Progress, st.just("loading"))
    | st.builds(ToolCallDelta, st.integers(0, 2), st.just("c"), st.just("look"), piece, choice_number),
    max_size=8,
)


def put_together(raw: bytes) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What a client makes of a stream, in the shape of a whole answer's choices, and the usage."""
    drafts: dict[int, dict[str, Any]] = {}
    *frames, last, done = chunks(raw)
    assert done == {"done": True}
    for chunk in frames:
        for choice in chunk["choices"]:
            draft = drafts.setdefault(
                choice["index"], {"text": [], "thought": [], "calls": {}, "logprobs": [], "reason": None}
            )
            delta = choice["delta"]
            draft["text"].append(delta.get("content", ""))
            draft["thought"].append(delta.get("reasoning_content", ""))
            draft["logprobs"] += (choice["logprobs"] or {"content": []})["content"]
            draft["reason"] = choice["finish_reason"] or draft["reason"]
            for call in delta.get("tool_calls", []):
                whole = draft["calls"].setdefault(call["index"], {"id": "", "name": "", "arguments": ""})
                whole["id"] = call.get("id", whole["id"])
                whole["name"] = call["function"].get("name", whole["name"])
                whole["arguments"] += call["function"]["arguments"]
    found = [
        {
            "text": "".join(draft["text"]),
            "thought": "".join(draft["thought"]),
            "calls": [call for _, call in sorted(draft["calls"].items())],
            "logprobs": draft["logprobs"],
            "reason": draft["reason"],
        }
        for _, draft in sorted(drafts.items())
    ]
    return found, last["usage"]


def taken_apart(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """A whole answer's choices in the same shape."""
    return [
        {
            "text": choice["message"]["content"] or "",
            "thought": choice["message"].get("reasoning_content", ""),
            "calls": [{"id": call["id"], **call["function"]} for call in choice["message"].get("tool_calls", [])],
            "logprobs": (choice["logprobs"] or {"content": []})["content"],
            "reason": choice["finish_reason"],
        }
        for choice in whole["choices"]
    ]


@settings(deadline=None)
@given(said, st.integers(1, 2))
@example([TextDelta("a"), TextDelta("b", choice=1)], 2)
async def test_a_stream_and_a_whole_answer_agree(deltas: list[Delta], count: int) -> None:
    """The same deltas give the same words, thoughts, calls, numbers, reasons and usage, streamed or whole."""
    ends = [Finish("stop", Usage(7, 3 + number), choice=number) for number in range(count)]
    every = [delta for delta in deltas if delta.choice < count] + ends
    streaming = writer(n=count, stream=True, stream_options={"include_usage": True})

    async def stream() -> AsyncIterator[Delta]:
        for delta in every:
            yield delta

    whole = json.loads(writer(n=count).whole(await fold(stream()), "m"))
    choices, usage = put_together(b"".join(streaming.feed(delta, "m") for delta in every) + streaming.end())

    assert choices == taken_apart(whole)
    assert usage == whole["usage"]


def test_fields_have_the_clients_names() -> None:
    """Two neutral names are called otherwise by OpenAI; all others are the same."""
    assert [openai_chat.field(name) for name in ("choices", "schema", "seed")] == ["n", "response_format", "seed"]
