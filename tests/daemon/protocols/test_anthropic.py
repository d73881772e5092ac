"""Anthropic Messages, bytes to values."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.errors import BadRequest
from daemon.protocols import anthropic
from daemon.protocols.base import Envelope, Problem
from providers.contract import (
    File,
    Image,
    Message,
    Request,
    Text,
    Thinking,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    keeps,
)

ENVELOPE: Final = Envelope("00000000000000aa", None, None, None, "any", 1_700_000_000)
SCHEMA: Final = {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]}
LOOK: Final = {"name": "look", "description": "Looks.", "input_schema": SCHEMA}
HI: Final = {"role": "user", "content": "hi"}


def asked(*turns: Any, **more: Any) -> Request:
    body = {"model": "m", "max_tokens": 9, "messages": turns or (HI,), **more}
    return anthropic.read(json.dumps(body).encode(), ENVELOPE)


def refused(*turns: Any, **more: Any) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        asked(*turns, **more)
    assert "secret words" not in str(caught.value)
    return caught.value


def of(*blocks: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": blocks}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def test_the_plainest_request() -> None:
    """A model, a limit and a turn are enough; what is not said is not made up."""
    request = asked()

    assert request.messages == (Message("user", (Text("hi"),)),)
    assert (request.model, request.sampling.max_tokens, request.stream) == ("m", 9, False)
    assert (request.tools, request.tool_choice, request.parallel_calls, request.thinking) == ((), "auto", True, None)
    assert (request.sampling.temperature, request.sampling.stop, request.ignored) == (None, (), ())


def test_max_tokens_has_to_be_said() -> None:
    """As at Anthropic's, an answer has a limit; the error names the field."""
    with pytest.raises(BadRequest) as caught:
        anthropic.read(b'{"model": "m", "messages": [{"role": "user", "content": "hi"}]}', ENVELOPE)

    assert caught.value.parameter == "max_tokens"
    assert refused(max_tokens=0).parameter == "max_tokens"


@pytest.mark.parametrize(
    ("system", "parts"),
    [
        ("be brief", (Text("be brief"),)),
        ([text("be brief"), text("and kind")], (Text("be brief"), Text("and kind"))),
        ("", None),
        ([], None),
    ],
)
def test_system_is_a_string_or_blocks(system: Any, parts: Any) -> None:
    """Either form becomes a system turn in front; none of words is none."""
    first = asked(system=system).messages[0]

    assert first == (Message("system", parts) if parts else Message("user", (Text("hi"),)))


def test_how_tokens_are_chosen() -> None:
    """Limits, stop strings and all ways to draw a token are taken over; a 0 for top_k says nothing."""
    request = asked(stop_sequences=["END", "\n\n"], temperature=0.5, top_p=0.9, top_k=5, stream=True)

    assert (request.sampling.stop, request.sampling.temperature, request.sampling.top_p) == (("END", "\n\n"), 0.5, 0.9)
    assert (request.stream, request.sampling.top_k, request.ignored) == (True, 5, ())
    assert asked(top_k=0).sampling.top_k is None
    assert refused(temperature=1.5).parameter == "temperature"
    assert refused(stop_sequences=[""]).parameter == "stop_sequences"
    assert refused(stop_sequences=["x"] * 65).parameter == "stop_sequences"


def test_a_tool_session() -> None:
    """Calls and their results are taken over, two in one turn too; what the user says beside results comes behind them."""
    request = asked(
        HI,
        of(
            text("let me see"),
            {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": 1, "ä": [None, 1.5]}},
            {"type": "tool_use", "id": "t2", "name": "look", "input": {}},
            role="assistant",
        ),
        of(
            {"type": "tool_result", "tool_use_id": "t1", "content": "nothing"},
            {"type": "tool_result", "tool_use_id": "t2", "content": [text("a"), text("b")]},
            text("go on"),
        ),
        tools=[LOOK],
    )

    assert request.tools == (Tool("look", "Looks.", SCHEMA),)
    assert request.messages[1:] == (
        Message(
            "assistant",
            (Text("let me see"), ToolCall("t1", "look", '{"at":1,"ä":[null,1.5]}'), ToolCall("t2", "look", "{}")),
        ),
        Message("tool", (ToolResult("t1", (Text("nothing"),)),)),
        Message("tool", (ToolResult("t2", (Text("a"), Text("b"))),)),
        Message("user", (Text("go on"),)),
    )


def test_what_only_anthropic_knows_of_tools_is_reported() -> None:
    """Such fields shape how Anthropic shows tools to its models, and mean nothing to others."""
    tool = {**LOOK, "defer_loading": True, "allowed_callers": ["direct"], "eager_input_streaming": None}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "x", "toolset_name": "n"}

    assert asked(of(result), tools=[tool]).ignored == ("toolset_name", "tools.defer_loading", "tools.allowed_callers")


def test_results_come_first() -> None:
    """Results follow the calls at once, wherever the client put its words: other vendors take them in no other order."""
    turn = of(text("here:"), {"type": "tool_result", "tool_use_id": "t1"})

    assert asked(turn).messages == (
        Message("tool", (ToolResult("t1", ()),)),
        Message("user", (Text("here:"),)),
    )


def test_pictures_in_a_result_stay_with_it() -> None:
    """A result with words and a picture is one result, and not split; that the tool failed is part of it."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    (message,) = asked(
        of({"type": "tool_result", "tool_use_id": "t1", "content": [text("seen"), picture], "is_error": True})
    ).messages

    assert message.parts == (ToolResult("t1", (Text("seen"), Image("data:image/png;base64,AAAA")), failed=True),)


@pytest.mark.parametrize(
    ("choice", "read"),
    [
        ({"type": "auto"}, "auto"),
        ({"type": "any"}, "required"),
        ({"type": "tool", "name": "look"}, "look"),
        ({"type": "none"}, "none"),
    ],
)
def test_how_tools_may_be_called(choice: dict[str, Any], read: str) -> None:
    """Every choice has a neutral form, and so has one call at a time."""
    assert asked(tools=[LOOK], tool_choice=choice).tool_choice == read
    assert asked(tools=[LOOK], tool_choice=choice).parallel_calls
    assert not asked(tools=[LOOK], tool_choice={**choice, "disable_parallel_tool_use": True}).parallel_calls


def test_a_choice_without_such_a_tool_is_refused() -> None:
    """A call that has to be made needs the tool."""
    assert refused(tool_choice={"type": "any"}).parameter == "tool_choice"
    assert refused(tools=[LOOK], tool_choice={"type": "tool", "name": "leap"}).parameter == "tool_choice"
    assert refused(tools=[LOOK], tool_choice={"type": "tool"}).parameter == "tool_choice"


@pytest.mark.parametrize("kind", ["web_search_20250305", "bash_20250124", "computer_20250124", "secret words"])
def test_tools_that_anthropic_runs_are_refused(kind: str) -> None:
    """They are named if they are Anthropic's, with what to do instead."""
    error = refused(tools=[LOOK, {"type": kind, "name": "web_search", "max_uses": 5}])

    assert error.parameter == "tools[1].type"
    assert (kind in str(error)) is (kind != "secret words")
    assert (
        refused(mcp_servers=[{"type": "url", "url": "https://example.invalid", "name": "x"}]).parameter == "mcp_servers"
    )
    assert refused(tools=[{"name": "look"}]).parameter == "tools[0].input_schema"


@pytest.mark.parametrize("thread", [{"type": "create"}, {"type": "continue", "previous_message_id": "msg_1"}])
def test_a_thread_is_refused_as_its_clients_expect(thread: dict[str, str]) -> None:
    """The server would hold the conversation; Anthropic's SDKs send it whole after this very code."""
    error = refused(thread=thread)

    assert (error.parameter, error.code) == ("thread", "thread_unsupported_request")
    assert asked(HI, thread=None).ignored == ()


def test_thoughts_keep_their_signatures() -> None:
    """Thinking goes back byte by byte, also what only its maker can read; without a signature it is just words."""
    signature = "EqQBCkYIARgCKkB+/=" * 9
    thoughts = [
        {"type": "thinking", "thinking": "hm ä\u2028", "signature": signature},
        {"type": "redacted_thinking", "data": "Ev+/="},
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "thinking", "thinking": "so", "signature": ""},
        text("done"),
    ]

    assert asked(HI, of(*thoughts, role="assistant"), HI).messages[1].parts == (
        Thought("hm ä\u2028", signature),
        Thought("", "Ev+/=", redacted=True),
        Thought("", "s"),
        Thought("so"),
        Text("done"),
    )


@pytest.mark.parametrize(
    ("fields", "thinking", "aside"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 2048}}, Thinking(True), ("budget_tokens",)),
        ({"thinking": {"type": "disabled"}}, Thinking(False), ()),
        ({"thinking": {"type": "adaptive"}}, None, ()),
        ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}}, Thinking(None, "xhigh"), ()),
        ({"output_config": {"effort": "low"}}, Thinking(None, "low"), ()),
    ],
)
def test_how_hard_to_think(fields: dict[str, Any], thinking: Thinking | None, aside: tuple[str, ...]) -> None:
    """Whether and how hard is passed on; a budget in tokens has no neutral form, and is told."""
    request = asked(**fields)

    assert (request.thinking, request.ignored) == (thinking, aside)


def test_what_is_no_thinking_is_refused() -> None:
    """Words that Anthropic doesn't have are named as such, without being quoted."""
    assert refused(thinking={"type": "secret words"}).parameter == "thinking.type"
    assert refused(output_config={"effort": "secret words"}).parameter == "output_config.effort"


def test_an_answer_held_to_a_schema() -> None:
    """By `output_config.format`, and by the name that the beta had."""
    format = {"type": "json_schema", "schema": SCHEMA}

    assert asked(output_config={"format": format}).schema == SCHEMA
    assert asked(output_format=format).schema == SCHEMA
    long = {"type": "json_schema", "schema": {"enum": ["x" * 300_000]}}
    assert refused(output_config={"format": long}).parameter == "output_config"


@pytest.mark.parametrize(
    ("block", "parts"),
    [
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": "AAAA"}},
            (Image("data:image/webp;base64,AAAA"),),
        ),
        (
            {"type": "image", "source": {"type": "url", "url": "https://example.invalid/a.png"}},
            (Image("https://example.invalid/a.png"),),
        ),
        (
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"},
                "title": "t",
            },
            (File("data:application/pdf;base64,JVBE", "t"),),
        ),
        (
            {"type": "document", "source": {"type": "url", "url": "https://example.invalid/a.pdf"}},
            (File("https://example.invalid/a.pdf"),),
        ),
        (
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}, "title": "t"},
            (Text("t\nwords"),),
        ),
        (
            {"type": "document", "source": {"type": "content", "content": [text("a"), text("b")]}, "context": "c"},
            (Text("c"), Text("a"), Text("b")),
        ),
        (
            {"type": "search_result", "source": "s", "title": "t", "content": [text("a")]},
            (Text("t\ns\na"),),
        ),
    ],
)
def test_pictures_and_documents(block: dict[str, Any], parts: tuple[Any, ...]) -> None:
    """What words can carry becomes words, pictures and PDF go along whole or by address."""
    assert asked(of(block)).messages == (Message("user", parts),)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "file", "file_id": "secret words"}},
        {"type": "image", "source": {"type": "base64", "media_type": "secret words", "data": "AAAA"}},
        {"type": "image", "source": {"type": "url", "url": "file:///secret words"}},
        {"type": "document", "source": {"type": "file", "file_id": "secret words"}},
        {"type": "document", "source": {"type": "base64", "media_type": "secret words", "data": "x"}},
        {"type": "document", "source": {"type": "url", "url": "secret words"}},
        {"type": "server_tool_use", "id": "x", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "x", "content": []},
        {"type": "container_upload", "file_id": "secret words"},
        {"type": "secret words"},
        {"type": "thinking", "thinking": "secret words", "signature": "x"},
        {"type": "tool_use", "id": "x", "name": "look", "input": {}},
        {
            "type": "tool_result",
            "tool_use_id": "x",
            "content": [
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "x"}}
            ],
        },
        {
            "type": "tool_result",
            "tool_use_id": "x",
            "content": [{"type": "tool_reference", "tool_name": "secret words"}],
        },
    ],
    ids=lambda block: f"{block['type']}",
)
def test_what_cant_be_carried_is_refused(block: dict[str, Any]) -> None:
    """A block that would lose its meaning is refused by its place, and never dropped."""
    error = refused(of(text("hi"), block))

    assert (error.parameter or "").startswith("messages[0].content[1]")
    assert "messages[0].content[1]" in str(error)


@pytest.mark.parametrize(
    "turn",
    [
        of({"type": "tool_result", "tool_use_id": "x"}, role="assistant"),
        of({"type": "image", "source": {"type": "url", "url": "https://example.invalid/a"}}, role="assistant"),
        of({"type": "image", "source": {"type": "url", "url": "https://example.invalid/a"}}, role="system"),
        {"role": "user", "content": ""},
        {"role": "user", "content": []},
        {"role": "tool", "content": "x"},
        {"role": "user"},
    ],
)
def test_turns_that_are_none(turn: dict[str, Any]) -> None:
    """What a turn can't hold, or can't be without, is refused."""
    assert (refused(turn, HI).parameter or "").startswith("messages[0]")


def test_an_answer_that_is_begun_is_refused() -> None:
    """Nobody here can promise to go on where the client's own words for the assistant end."""
    assert "prefill" in str(refused(HI, {"role": "assistant", "content": "{"}))


def test_a_system_turn_within() -> None:
    """Newer clients put instructions between the turns."""
    assert asked(HI, {"role": "system", "content": "now briefly"}, HI).messages[1] == Message(
        "system", (Text("now briefly"),)
    )


@pytest.mark.parametrize(("mark", "keep"), [({}, "5m"), ({"ttl": "5m"}, "5m"), ({"ttl": "1h"}, "1h")])
def test_marks_of_the_cache_stay_where_they_are(mark: dict[str, str], keep: str) -> None:
    """On whatever they stand, and nobody but who answers says what becomes of them."""
    marked = {"cache_control": {"type": "ephemeral", **mark}}
    call = {"type": "tool_use", "id": "t", "name": "look", "input": {}, **marked}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [text("r", **marked)], **marked}
    document = {"type": "document", "source": {"type": "text", "data": "d"}, "title": "t", **marked}
    request = asked(
        of(text("hi", **marked)),
        {"role": "assistant", "content": [call]},
        of(result, document),
        system=[text("s", **marked), text("t")],
        tools=[{**LOOK, **marked}],
    )

    assert [part.keep for part in request.messages[0].parts if isinstance(part, Text)] == [keep, None]
    assert [tool.keep for tool in request.tools] == [keep]
    parts = [part for message in request.messages[1:] for part in message.parts]
    assert [getattr(part, "keep", None) for part in parts] == [keep] * 4
    assert [each.keep for part in parts if isinstance(part, ToolResult) for each in part.parts] == [keep]
    assert request.ignored == ()
    assert keeps(request)


def test_the_marks_of_a_whole_question() -> None:
    """One beside the conversation is kept as it came; what is no mark asks for nothing."""
    automatic = asked(HI, cache_control={"type": "ephemeral", "ttl": "1h"})

    assert automatic.extras["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert keeps(automatic)
    assert not keeps(asked(HI))
    assert not keeps(asked(of(text("hi", cache_control={"type": "tomorrows"}))))


def test_features_that_a_client_switched_on() -> None:
    """They come from a header, and how hard to think is kept in Anthropic's own word."""
    envelope = replace(ENVELOPE, betas=("context-1m-2025-08-07",))
    body = json.dumps({"model": "m", "max_tokens": 9, "messages": [HI], "output_config": {"effort": "max"}})

    request = anthropic.read(body.encode(), envelope)

    assert request.betas == ("context-1m-2025-08-07",)
    assert request.extras["output_config"] == {"effort": "max"}


def test_what_is_left_aside_is_told() -> None:
    """Anthropic's fields by their names, and those that it doesn't have as one, so that no client's words are written."""
    request = asked(
        service_tier="auto",
        context_management={"edits": []},
        metadata={"user_id": "somebody"},
        secret_words=1,
        container=None,
    )

    assert set(request.ignored) == {"service_tier", "context_management", "metadata", "other"}


@pytest.mark.parametrize(
    "user",
    [
        "user_ab12_account__session_01234567-89ab-cdef-0123-456789abcdef",
        '{"device_id": "x", "session_id": "01234567-89ab-cdef-0123-456789abcdef"}',
    ],
)
def test_a_conversation_is_known_by_its_session(user: str) -> None:
    """Claude Code names its session within the user's id: it is one's own label if no header says another."""
    assert asked(metadata={"user_id": user}).session == "01234567-89ab-cdef-0123-456789abcdef"
    assert asked(metadata={"user_id": user}).ignored == ()
    assert asked(metadata={"user_id": "a session, somehow"}).session is None


def test_what_is_to_be_counted() -> None:
    """A count is asked for without what only an answer needs."""
    body = {"model": "m", "system": "be brief", "messages": [HI], "tools": [LOOK]}
    request = anthropic.read_count(json.dumps(body).encode(), ENVELOPE)

    assert request.messages == (Message("system", (Text("be brief"),)), Message("user", (Text("hi"),)))
    assert request.tools == (Tool("look", "Looks.", SCHEMA),)
    with pytest.raises(BadRequest):
        anthropic.read_count(b'{"model": "m"}', ENVELOPE)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "bad_request", "invalid_request_error"),
        (401, "invalid_api_key", "authentication_error"),
        (403, "private", "invalid_request_error"),
        (403, "refused", "permission_error"),
        (404, "model_not_found", "not_found_error"),
        (405, "method_not_allowed", "invalid_request_error"),
        (413, "body_too_large", "request_too_large"),
        (429, "rate_limited", "rate_limit_error"),
        (500, "internal_error", "api_error"),
        (502, "provider_error", "api_error"),
        (503, "overloaded", "overloaded_error"),
        (503, "model_lost", "api_error"),
    ],
)
def test_an_error_has_anthropics_shape(status: int, code: str, kind: str) -> None:
    """Its type follows the status, our code is in its details, and the field at fault is in the sentence."""
    body = json.loads(anthropic.refusal(Problem(status, code, "what happened", "schema")))

    assert body["type"] == "error"
    assert body["error"]["type"] == kind
    assert body["error"]["details"] == {"error_code": code}
    assert body["error"]["message"] == "output_config: what happened"


RICH: Final[dict[str, Any]] = {
    "model": "m",
    "max_tokens": 9,
    "system": [text("s", cache_control={"type": "ephemeral"})],
    "messages": [
        of(text("hi"), {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}),
        of(
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": 1}},
            role="assistant",
        ),
        of({"type": "tool_result", "tool_use_id": "t1", "content": [text("seen")], "is_error": False}),
        of({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "w"}, "citations": {}}),
    ],
    "tools": [LOOK],
    "tool_choice": {"type": "tool", "name": "look", "disable_parallel_tool_use": True},
    "thinking": {"type": "enabled", "budget_tokens": 1024, "display": "omitted"},
    "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
    "metadata": {"user_id": "u"},
    "stop_sequences": ["x"],
    "stream": True,
    "temperature": 1,
}
ODD: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("type", "text", "x")), inner, max_size=3)
    ),
    max_leaves=5,
)


def places(value: Any, so_far: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [so_far] if so_far else []
    if isinstance(value, dict | list | tuple):
        for key in value if isinstance(value, dict) else range(len(value)):
            found += places(value[key], (*so_far, key))
    return found


PLACES: Final = places(json.loads(json.dumps(RICH)))


def changed(value: Any, place: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    *way, last = place
    inner = value
    for key in way:
        inner = inner[key]
    change(inner, last)
    return value


@settings(deadline=None, max_examples=300)
@given(place=st.sampled_from(PLACES), odd=ODD, gone=st.booleans())
def test_a_request_with_something_odd_in_it_is_read_or_refused(place: tuple[Any, ...], odd: Any, gone: bool) -> None:
    """Whatever stands, or is missing, anywhere: the answer is a request or a BadRequest, for an answer and for a count."""

    def change(inner: Any, key: Any) -> None:
        if gone:
            del inner[key]
        else:
            inner[key] = odd

    body = json.dumps(changed(json.loads(json.dumps(RICH)), place, change)).encode()
    for read in (anthropic.read, anthropic.read_count):
        with suppress(BadRequest):
            request = read(body, ENVELOPE)
            assert request.messages
            anthropic.writer(request, ENVELOPE)
