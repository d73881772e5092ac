"""The official OpenAI client against a daemon with the scripted engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.fakes.running import RunningDaemon, running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    with running(tmp_path_factory.mktemp("home"), "context=100") as daemon:
        yield daemon


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{daemon.url}/v1", api_key="sk-none", max_retries=0, timeout=20) as client:
        yield client


def test_whole(client: openai.OpenAI) -> None:
    """A whole answer has its text, its finish reason and its usage."""
    answer = client.chat.completions.create(model="local", messages=[{"role": "user", "content": "one two three"}])

    assert answer.choices[0].message.content == "one two three"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.model == "local/play"
    assert answer.usage
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (3, 3, 6)


def test_streamed(client: openai.OpenAI) -> None:
    """A streamed answer opens with its role, comes in pieces, and ends with a reason and the usage."""
    chunks = list(
        client.chat.completions.create(
            model="auto",
            messages=[{"role": "user", "content": "one two three"}],
            stream=True,
            stream_options={"include_usage": True},
        )
    )

    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].delta.content for chunk in chunks[1:4]] == ["one", " two", " three"]
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage
    assert chunks[-1].usage.completion_tokens == 3


def test_max_tokens_is_a_length_finish(client: openai.OpenAI) -> None:
    """An answer cut at max_completion_tokens says so."""
    answer = client.chat.completions.create(
        model="local", messages=[{"role": "user", "content": "one two three"}], max_completion_tokens=2
    )

    assert answer.choices[0].message.content == "one two"
    assert answer.choices[0].finish_reason == "length"


def test_stop_string_over_tokens(client: openai.OpenAI) -> None:
    """A stop string that is spread over tokens ends the answer before it."""
    answer = client.chat.completions.create(
        model="local", messages=[{"role": "user", "content": "one two three four"}], stop=["o thr"]
    )

    assert answer.choices[0].message.content == "one tw"
    assert answer.choices[0].finish_reason == "stop"


def test_logprobs(client: openai.OpenAI) -> None:
    """Each token's log-probability comes with its bytes."""
    answer = client.chat.completions.create(
        model="local", messages=[{"role": "user", "content": "one [[bytes=f09f9880]]"}], logprobs=True
    )

    assert answer.choices[0].message.content == "😀"
    assert answer.choices[0].logprobs and answer.choices[0].logprobs.content
    assert [token.bytes for token in answer.choices[0].logprobs.content] == [[0xF0], [0x9F], [0x98], [0x80]]
    assert all(token.logprob <= 0 for token in answer.choices[0].logprobs.content)


def test_top_logprobs_are_refused_with_the_reason(client: openai.OpenAI) -> None:
    """An engine that knows the chosen token only says so, instead of leaving alternatives empty."""
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(
            model="local", messages=[{"role": "user", "content": "hi"}], logprobs=True, top_logprobs=3
        )

    assert caught.value.param == "top_logprobs"
    assert caught.value.code == "unsupported_parameter"


def test_overflow_has_both_numbers(client: openai.OpenAI) -> None:
    """A prompt over the window is an error with both numbers, before the status line, streamed or not."""
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(
                model="local", messages=[{"role": "user", "content": "hi [[prompt=500]]"}], stream=stream
            )

        assert caught.value.code == "context_length_exceeded"
        assert "500" in caught.value.message
        assert "100" in caught.value.message


def test_error_in_mid_stream_is_raised(client: openai.OpenAI) -> None:
    """An engine that breaks after the first token raises in the reader of the stream."""
    stream = client.chat.completions.create(
        model="local", messages=[{"role": "user", "content": "[[tokens=9]] [[fail=3]]"}], stream=True
    )

    words: list[str] = []
    with pytest.raises(openai.APIError, match="process"):
        words.extend(chunk.choices[0].delta.content or "" for chunk in stream)

    assert "".join(words) in ("", "0 ", "0 1 ", "0 1 2 ")


def test_unknown_model(client: openai.OpenAI) -> None:
    """A name that no model has is a 404 that lists the names there are."""
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="gpt-99", messages=[{"role": "user", "content": "hi"}])

    assert caught.value.code == "model_not_found"
    assert "local/play" in caught.value.message


def test_cloud_without_token(client: openai.OpenAI) -> None:
    """Who has no token can't spend money in the cloud."""
    with pytest.raises(openai.PermissionDeniedError, match="client add"):
        client.chat.completions.create(model="cloud", messages=[{"role": "user", "content": "hi"}])


@pytest.mark.parametrize("name", ["x-session-id", "session-id", "session_id"])
def test_a_session_is_known_by_its_header(daemon: RunningDaemon, name: str) -> None:
    """Ours, or the one in which Codex names its session; a value of theirs that can't be a label is nobody's fault."""
    ask = {"model": "local", "messages": [{"role": "user", "content": "hi"}]}

    def session(value: str) -> str | None:
        with daemon.http(headers={name: value}) as http, daemon.client() as control:
            answer = http.post("/v1/chat/completions", json=ask)
            if name == "x-session-id" and answer.status_code == 400:
                return None
            return control.record(answer.headers["x-nearloop-record"]).record.session

    assert session("01a22aea-aa8f") == "01a22aea-aa8f"
    assert session("x" * 101) is None


def test_codex_gets_a_catalogue_of_its_own(daemon: RunningDaemon) -> None:
    """Codex reads `models`, in which nothing may stand; for all others the list is as it was."""
    with daemon.http() as http:
        codex = http.get("/v1/models", params={"client_version": "0.171.0"}).json()
        others = http.get("/v1/models").json()

    assert codex["models"] == []
    assert [each["id"] for each in codex["data"]] == [each["id"] for each in others["data"]]
    assert "models" not in others


def test_models(client: openai.OpenAI, daemon: RunningDaemon) -> None:
    """The list has every name that can be asked for, with its window."""
    models = {model.id: model for model in client.models.list()}

    assert {"auto", "local", "local/play", "local/smollm2-135m-instruct"} <= set(models)
    assert models["local/play"].model_dump()["context_length"] == 100
    assert client.models.retrieve("local/play").id == "local/play"


def test_legacy_completions(client: openai.OpenAI) -> None:
    """One prompt, whole and streamed, with log-probabilities in their old shape."""
    whole = client.completions.create(model="local", prompt="one two three", logprobs=0)
    pieces = list(client.completions.create(model="local", prompt="one two three", stream=True, max_tokens=2))

    assert (whole.choices[0].text, whole.choices[0].finish_reason) == ("one two three", "stop")
    assert whole.choices[0].logprobs
    assert whole.choices[0].logprobs.tokens == ["one", " two", " three"]
    assert whole.choices[0].logprobs.text_offset == [0, 3, 7]
    assert whole.usage
    assert whole.usage.completion_tokens == 3
    assert "".join(piece.choices[0].text for piece in pieces) == "one two"
    assert pieces[-1].choices[0].finish_reason == "length"
    with pytest.raises(openai.BadRequestError) as caught:
        client.completions.create(model="local", prompt="hi", echo=True)
    assert caught.value.param == "echo"


def test_one_call_at_a_time_and_strict_tools(client: openai.OpenAI) -> None:
    """Who wants one call gets one; a tool that can't be held to its schema among free words is said to be so."""
    call = '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
    tools: Any = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}, "strict": True}}]
    question: Any = [{"role": "user", "content": f"{call} {call}"}]

    both = client.chat.completions.create(model="local", messages=question, tools=tools)
    one = client.chat.completions.with_raw_response.create(
        model="local", messages=question, tools=tools, parallel_tool_calls=False
    )

    assert len(both.choices[0].message.tool_calls or ()) == 2
    assert len(one.parse().choices[0].message.tool_calls or ()) == 1
    assert one.headers["x-nearloop-ignored"] == "strict"


def test_the_developers_word_is_the_systems(client: openai.OpenAI) -> None:
    """The role `developer` is read; a picture is refused in words."""
    developer: Any = [{"role": "developer", "content": "be brief"}, {"role": "user", "content": "one"}]
    picture: Any = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]}
    ]

    assert client.chat.completions.create(model="local", messages=developer).choices[0].message.content == "one"
    with pytest.raises(openai.BadRequestError, match="image"):
        client.chat.completions.create(model="local", messages=picture)


def test_embeddings(client: openai.OpenAI) -> None:
    """Vectors come by the name in the list, packed as the client asks by itself, and mean what their texts mean."""
    assert "all-minilm-l6-v2" in {model.id for model in client.models.list()}
    answer = client.embeddings.create(
        model="all-minilm-l6-v2", input=["The cat sleeps.", "A kitten is asleep.", "Interest rates rose."]
    )
    near, same, far = (each.embedding for each in answer.data)

    assert len(near) == 384
    assert sum(a * b for a, b in zip(near, same, strict=True)) > 0.5
    assert sum(a * b for a, b in zip(near, far, strict=True)) < 0.3
    assert answer.usage.prompt_tokens == answer.usage.total_tokens > 9
    plain = client.embeddings.create(model="all-minilm-l6-v2", input="The cat sleeps.", encoding_format="float")
    assert plain.data[0].embedding == pytest.approx(near)
    with pytest.raises(openai.BadRequestError) as caught:
        client.embeddings.create(model="all-minilm-l6-v2", input=[[1, 2]])
    assert caught.value.param == "input"


def test_not_honoured_is_said(client: openai.OpenAI) -> None:
    """Fields that change nothing here are listed in a header, unknown ones too."""
    raw = client.chat.completions.with_raw_response.create(
        model="local",
        messages=[{"role": "user", "content": "hi"}],
        user="somebody",
        extra_body={"mystery": 1},
    )

    assert set(raw.headers["x-nearloop-ignored"].split(", ")) == {"user", "other"}
    assert raw.headers["x-nearloop-egress"] == "none"
    assert len(raw.headers["x-nearloop-record"]) == 16


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n", 2),
        ("response_format", {"type": "json_object"}),
        ("tool_choice", "required"),
    ],
)
def test_what_changes_the_answer_is_refused(client: openai.OpenAI, field: str, value: object) -> None:
    """Fields that the client relies on and that a local model can't honour are refused by name."""
    tools = [{"type": "function", "function": {"name": "look", "parameters": {}}}] if field == "tool_choice" else None
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(
            model="local",
            messages=[{"role": "user", "content": "hi"}],
            extra_body={field: value, **({"tools": tools} if tools else {})},
        )

    assert caught.value.param == field


def test_a_tool_is_called(client: openai.OpenAI) -> None:
    """What the model writes as a call arrives as one, whole and streamed, and the conversation goes on with its result."""
    said = 'Say: <tool_call>{"name": "look", "arguments": {"at": 1}}</tool_call>'
    tools: Any = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    question: Any = {"role": "user", "content": said}

    whole = client.chat.completions.create(model="local", messages=[question], tools=tools).choices[0]
    assert whole.finish_reason == "tool_calls"
    assert (whole.message.content or "").strip() == "Say:"
    (call,) = whole.message.tool_calls or ()
    assert call.type == "function"
    assert (call.function.name, json.loads(call.function.arguments)) == ("look", {"at": 1})

    chunks = list(client.chat.completions.create(model="local", messages=[question], tools=tools, stream=True))
    pieces = [piece for chunk in chunks for piece in chunk.choices[0].delta.tool_calls or ()]
    assert pieces[0].function
    assert pieces[0].function.name == "look"
    assert chunks[-1].choices[0].finish_reason == "tool_calls"

    history: Any = [question, whole.message.model_dump(exclude_none=True)]
    history += [{"role": "tool", "tool_call_id": call.id, "content": "nothing there"}]
    after = client.chat.completions.create(model="local", messages=history, tools=tools).choices[0]
    assert "nothing there" in (after.message.content or "")


def test_why_explains(daemon: RunningDaemon, client: openai.OpenAI, tmp_path: Path) -> None:
    """The record of an answer is explained in sentences, by a prefix of its id."""
    raw = client.chat.completions.with_raw_response.create(
        model="local", messages=[{"role": "user", "content": "one two three"}]
    )
    record = raw.headers["x-nearloop-record"]

    from daemon.cli.why import explain

    with daemon.client() as control:
        found = control.record(record[:10]).record
    told = " ".join(explain(found))

    assert found.id == record
    assert "Nothing left this machine" in told
    assert "local/play answered on this machine" in told
    assert "read 3 tokens, wrote 3" in told


def test_health_is_told_to_those_who_only_look(daemon: RunningDaemon) -> None:
    """Probes ask with GET or HEAD."""
    assert httpx.get(f"{daemon.url}/health", timeout=20).json() == {"status": "ok"}
    assert httpx.head(f"{daemon.url}/health", timeout=20).status_code == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
def test_another_method_is_refused(daemon: RunningDaemon, method: str) -> None:
    """Questions are posted; what else is tried there is told so in OpenAI's shape."""
    answer = httpx.request(method, f"{daemon.url}/v1/chat/completions", timeout=20)

    assert answer.status_code == 405
    if method != "HEAD":
        assert answer.json()["error"]["code"] == "method_not_allowed"
