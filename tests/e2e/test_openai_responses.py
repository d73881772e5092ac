"""The official OpenAI client's Responses against a daemon with the scripted engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.wire import openai_responses as wire
from tests.fakes.running import RunningDaemon, running

pytestmark = pytest.mark.slow

LOOK: Final[Any] = {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}
CALL: Final = 'Say: <tool_call>{"name": "look", "arguments": {"at": 1}}</tool_call>'

anything: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "role", "text"]), inner),
    max_leaves=5,
)
fields: Final = sorted(
    {*wire.ResponseRequest.__struct_fields__, "prompt", "n", "logprobs", "dimensions", "x"} - {"model"}
)
bodies: Final = st.dictionaries(st.sampled_from(fields), anything, max_size=3)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    with running(tmp_path_factory.mktemp("home"), "context=100") as daemon:
        yield daemon


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{daemon.url}/v1", api_key="sk-none", max_retries=0, timeout=20) as client:
        yield client


def test_whole(client: openai.OpenAI) -> None:
    """A whole answer has its text, its status and its usage."""
    answer = client.responses.create(model="local", input="one two three")

    assert answer.output_text == "one two three"
    assert (answer.status, answer.model, answer.error) == ("completed", "local/play", None)
    assert answer.usage
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.total_tokens) == (3, 3, 6)


def test_streamed(client: openai.OpenAI) -> None:
    """The client's own accumulator makes the same answer of the events."""
    with client.responses.stream(model="local", input="one two three") as stream:
        types = [event.type for event in stream]
        final = stream.get_final_response()

    assert types[0] == "response.created"
    assert types[-1] == "response.completed"
    assert types.count("response.output_text.delta") == 3
    assert final.output_text == "one two three"
    assert final.id.startswith("resp_")


def test_instructions_and_items(client: openai.OpenAI) -> None:
    """Input may be a list of items."""
    answer = client.responses.create(
        model="local",
        instructions="be brief",
        input=[
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": [{"type": "input_text", "text": "c d"}]},
        ],
        max_output_tokens=1,
    )

    assert answer.output_text == "c"
    assert answer.status == "incomplete"
    assert answer.incomplete_details
    assert answer.incomplete_details.reason == "max_output_tokens"
    assert answer.instructions == "be brief"


def test_a_tool_is_called(client: openai.OpenAI) -> None:
    """A call is an item, whole and streamed, and the conversation goes on from it by name, and by its items."""
    answer = client.responses.create(model="local", input=CALL, tools=[LOOK])
    (call,) = [item for item in answer.output if item.type == "function_call"]
    assert (call.name, json.loads(call.arguments), answer.status) == ("look", {"at": 1}, "completed")

    events = list(client.responses.create(model="local", input=CALL, tools=[LOOK], stream=True))
    (done,) = [event for event in events if event.type == "response.function_call_arguments.done"]
    assert json.loads(done.arguments) == {"at": 1}

    result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "nothing there"}
    by_name = client.responses.create(model="local", previous_response_id=answer.id, input=[result], tools=[LOOK])
    items: Any = [{"role": "user", "content": CALL}, *(item.model_dump() for item in answer.output), result]
    by_items = client.responses.create(model="local", input=items, tools=[LOOK])
    assert "nothing there" in by_name.output_text
    assert by_name.output_text == by_items.output_text
    assert by_name.usage
    assert by_items.usage
    assert by_name.usage.input_tokens == by_items.usage.input_tokens


def test_a_conversation_is_kept_in_memory_alone(client: openai.OpenAI, daemon: RunningDaemon) -> None:
    """It can be gone on from, looked at and deleted; nothing of it is in a file."""
    first = client.responses.create(model="local", input="my name is Xanthippe", metadata={"a": "b"})
    second = client.responses.create(model="local", input="and my name?", previous_response_id=first.id)

    kept = client.responses.retrieve(second.id)
    assert (kept.output_text, kept.previous_response_id) == (second.output_text, first.id)
    assert client.responses.retrieve(first.id).metadata == {"a": "b"}
    listed = [item.model_dump() for item in client.responses.input_items.list(second.id, order="asc", limit=2)]
    assert [item["content"][0]["text"] for item in listed] == [
        "my name is Xanthippe",
        first.output_text,
        "and my name?",
    ]
    client.responses.delete(second.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(second.id)
    with daemon.client() as control:
        control.records("1h", 5)  # which waits until all is written
    for path in daemon.home.rglob("*"):
        if path.is_file():
            assert b"Xanthippe" not in path.read_bytes(), path


def test_deleted_records_take_answers_along(client: openai.OpenAI, daemon: RunningDaemon) -> None:
    """Who deletes what is kept deletes what is held in memory, too."""
    id = client.responses.create(model="local", input="hi").id
    with daemon.client() as control:
        control.purge("0s")

    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(id)


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/responses/input_tokens", "/v1/completions", "/v1/embeddings"])
@settings(deadline=None, max_examples=25)
@given(body=bodies)
def test_no_body_is_our_fault(daemon: RunningDaemon, path: str, body: dict[str, Any]) -> None:
    """Whatever is sent, it is an answer, or a client's mistake in OpenAI's shape."""
    asked = {"model": "local", "input": "hi", "prompt": "hi", **body}
    with daemon.http() as http:
        answer = http.post(path, json=asked)

    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.json()["error"]["message"]


def test_store_false_is_not_kept(client: openai.OpenAI) -> None:
    """Nothing to come back to."""
    answer = client.responses.create(model="local", input="hi", store=False)

    for go_on in (
        lambda: client.responses.retrieve(answer.id),
        lambda: client.responses.create(model="local", input="more", previous_response_id=answer.id),
    ):
        with pytest.raises(openai.NotFoundError) as caught:
            go_on()
        assert caught.value.code == "not_found"


def test_where_words_are_kept_answers_survive(tmp_path: Path) -> None:
    """With records.content on, a conversation goes on after a restart, and ends with its records."""
    extra = "[records]\ncontent = true\n"
    with running(tmp_path, extra=extra) as daemon, openai.OpenAI(base_url=f"{daemon.url}/v1", api_key="x") as client:
        id = client.responses.create(model="local", input="my name is Ada").id
    with running(tmp_path, extra=extra) as daemon, openai.OpenAI(base_url=f"{daemon.url}/v1", api_key="x") as client:
        assert client.responses.retrieve(id).output_text == "my name is Ada"
        assert client.responses.create(model="local", input="go on", previous_response_id=id).output_text == "go on"


def test_input_tokens(client: openai.OpenAI) -> None:
    """A prompt is counted as it would be read, what came before it included, without an answer."""
    first = client.responses.create(model="local", input="one two three")

    assert client.responses.input_tokens.count(model="local", input="one two three").input_tokens == 3
    assert client.responses.input_tokens.count(input="one two three").object == "response.input_tokens"
    raw = client.responses.input_tokens.with_raw_response.count(
        model="local", input="four", previous_response_id=first.id
    )
    assert raw.headers["x-nearloop-count"] == "exact"
    answer = client.responses.create(model="local", input="four", previous_response_id=first.id)
    assert answer.usage
    assert raw.parse().input_tokens == answer.usage.input_tokens
    with pytest.raises(openai.BadRequestError):
        client.responses.input_tokens.count(model="local")


def test_logprobs(client: openai.OpenAI) -> None:
    """They are there where they are asked for, and only there."""
    plain = client.responses.create(model="local", input="one two")
    asked = client.responses.create(model="local", input="one two", include=["message.output_text.logprobs"])

    assert plain.output[0].model_dump()["content"][0]["logprobs"] == []
    told = asked.output[0].model_dump()["content"][0]["logprobs"]
    assert [token["token"] for token in told] == ["one", " two"]
    assert all(token["logprob"] <= 0 for token in told)


def test_errors(client: openai.OpenAI) -> None:
    """A client's mistake is told with its field, before the stream begins."""
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError) as caught:
            client.responses.create(model="local", input="hi [[prompt=500]]", stream=stream)
        assert (caught.value.code, caught.value.param) == ("context_length_exceeded", "input")
    with pytest.raises(openai.BadRequestError) as picture:
        client.responses.create(
            model="local",
            input=[{"role": "user", "content": [{"type": "input_image", "image_url": "data:x", "detail": "auto"}]}],
        )
    assert "image" in picture.value.message
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="gpt-99", input="hi")


def test_an_error_in_mid_stream(client: openai.OpenAI) -> None:
    """An engine that breaks after the first token ends the stream with a failed answer."""
    events = list(client.responses.create(model="local", input="[[tokens=9]] [[fail=3]]", stream=True))

    assert [event.type for event in events][-2:] == ["error", "response.failed"]
    assert events[-1].response.status == "failed"  # type: ignore[union-attr]


def test_not_honoured_is_said(client: openai.OpenAI) -> None:
    """Fields and tools that change nothing here are listed in a header."""
    raw = client.responses.with_raw_response.create(
        model="local", input="hi", tools=[{"type": "web_search"}], reasoning={"effort": "low"}, truncation="auto"
    )

    assert set(raw.headers["x-nearloop-ignored"].split(", ")) == {"tools.web_search", "reasoning.effort", "truncation"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/responses", 405),
        ("GET", "/v1/responses/resp_x", 404),
        ("GET", "/v1/responses/resp_x/input_items", 404),
        ("DELETE", "/v1/responses/resp_x", 404),
        ("POST", "/v1/responses/resp_x/cancel", 404),
        ("PUT", "/v1/responses/resp_x", 405),
    ],
)
def test_other_addresses(daemon: RunningDaemon, method: str, path: str, status: int) -> None:
    """What isn't there is told in OpenAI's shape."""
    answer = httpx.request(method, f"{daemon.url}{path}", timeout=20)

    assert answer.status_code == status
    assert answer.json()["error"]["code"] in ("not_found", "method_not_allowed")
