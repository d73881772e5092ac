"""The official Anthropic client against a daemon: with the scripted engine, and with a provider behind it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final

import anthropic
import httpx
import pytest
import pytest_asyncio
from anthropic.types import MessageParam, ToolParam

from tests.fakes.running import SCRIPTED, RunningDaemon, running
from tests.fakes.upstream import HELLO, USAGE, Answer, Pause, Upstream, as_json, frames, said, upstream

LOOK: Final[ToolParam] = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}
NAMES: Final = """
[routing.names]
"claude-mine" = "local"
"""


def user(words: str) -> list[MessageParam]:
    return [{"role": "user", "content": words}]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    with running(tmp_path_factory.mktemp("home"), "context=100", NAMES) as daemon:
        yield daemon


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=daemon.url, api_key="sk-none", max_retries=0, timeout=20) as client:
        yield client


def words_of(message: anthropic.types.Message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


# ---- on this machine ------------------------------------------------------------------------------------------------


def test_whole(client: anthropic.Anthropic) -> None:
    """A whole message has its text, its reason, its usage, and the id under which its record is found."""
    raw = client.messages.with_raw_response.create(model="local", max_tokens=50, messages=user("one two three"))
    message = raw.parse()

    assert words_of(message) == "one two three"
    assert (message.stop_reason, message.stop_sequence, message.model) == ("end_turn", None, "local/play")
    assert (message.usage.input_tokens, message.usage.output_tokens) == (3, 3)
    assert message.id == f"msg_{raw.headers['x-nearloop-record']}"
    assert raw.headers["request-id"] == raw.headers["x-nearloop-record"]


def test_streamed(client: anthropic.Anthropic) -> None:
    """The events of a stream are put together to the same message, and they stand in Anthropic's order."""
    with client.messages.stream(model="local", max_tokens=50, messages=user("one two three")) as stream:
        kinds = [
            event.type for event in stream if event.type in ("message_start", "content_block_stop", "message_stop")
        ]
        message = stream.get_final_message()

    assert kinds == ["message_start", "content_block_stop", "message_stop"]
    assert words_of(message) == "one two three"
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("end_turn", 3, 3)


def test_by_the_betas_door(client: anthropic.Anthropic) -> None:
    """Claude Code asks with `?beta=true` and names of betas that nobody here knows: both are tolerated."""
    message = client.beta.messages.create(
        model="claude-mine",
        max_tokens=50,
        messages=[{"role": "user", "content": "one"}],
        betas=["unheard-of-2099-01-01"],
    )

    assert message.content[0].type == "text"
    assert message.content[0].text == "one"


def test_why_an_answer_ended(client: anthropic.Anthropic) -> None:
    """Its limit and the client's own stop strings are told, whole and streamed."""
    cut = client.messages.create(model="local", max_tokens=2, messages=user("one two three"))
    stopped = client.messages.create(
        model="local", max_tokens=50, messages=user("one two three"), stop_sequences=["xyz", "o thr"]
    )
    with client.messages.stream(
        model="local", max_tokens=50, messages=user("one two three"), stop_sequences=["o thr"]
    ) as stream:
        streamed = stream.get_final_message()

    assert (words_of(cut), cut.stop_reason) == ("one two", "max_tokens")
    assert (words_of(stopped), stopped.stop_reason, stopped.stop_sequence) == ("one tw", "stop_sequence", "o thr")
    assert (words_of(streamed), streamed.stop_reason, streamed.stop_sequence) == ("one tw", "stop_sequence", "o thr")


def test_a_tool_session(client: anthropic.Anthropic) -> None:
    """What the model writes as calls arrives as calls, two in a turn too, and the conversation goes on with their results."""
    call = '<tool_call>{"name": "look", "arguments": {"at": %d}}</tool_call>'
    question = user(f"Say: {call % 1}{call % 2}")

    first = client.messages.create(model="local", max_tokens=50, messages=question, tools=[LOOK])
    calls = [block for block in first.content if block.type == "tool_use"]
    assert first.stop_reason == "tool_use"
    assert [(block.name, block.input) for block in calls] == [("look", {"at": 1}), ("look", {"at": 2})]

    with client.messages.stream(model="local", max_tokens=50, messages=question, tools=[LOOK]) as stream:
        streamed = stream.get_final_message()
    assert [block.input for block in streamed.content if block.type == "tool_use"] == [{"at": 1}, {"at": 2}]

    alone = client.messages.create(
        model="local",
        max_tokens=50,
        messages=question,
        tools=[LOOK],
        tool_choice={"type": "auto", "disable_parallel_tool_use": True},
    )
    assert [block.input for block in alone.content if block.type == "tool_use"] == [{"at": 1}]

    results: Any = [{"type": "tool_result", "tool_use_id": block.id, "content": "nothing there"} for block in calls]
    history: Any = [*question, {"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    after = client.messages.create(model="local", max_tokens=50, messages=history, tools=[LOOK])
    assert "nothing there" in words_of(after)


def test_what_a_local_model_cant_do_is_refused(client: anthropic.Anthropic) -> None:
    """A call that has to be made, a format, a picture and a document that nobody can look into: refused by Anthropic's
    names, and nothing dropped.
    """
    picture: Any = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    paper: Any = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}
    for field, more in {
        "tool_choice": {"tools": [LOOK], "tool_choice": {"type": "any"}},
        "output_config": {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
        "image": {"messages": [{"role": "user", "content": [picture]}]},
        "file": {"messages": [{"role": "user", "content": [paper]}]},
    }.items():
        asked: Any = {"model": "local", "max_tokens": 9, "messages": user("hi"), **more}
        with pytest.raises(anthropic.BadRequestError) as caught:
            client.messages.create(**asked)
        assert field in str(caught.value)


def test_what_is_left_aside_is_told(client: anthropic.Anthropic) -> None:
    """Fields that change nothing here are listed in a header, by Anthropic's names."""
    raw = client.messages.with_raw_response.create(
        model="local",
        max_tokens=2000,
        messages=user("hi"),
        system=[{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}],
        thinking={"type": "enabled", "budget_tokens": 1024},
        metadata={"user_id": "somebody"},
    )

    assert set(raw.headers["x-nearloop-ignored"].split(", ")) == {
        "cache_control",
        "thinking",
        "budget_tokens",
        "metadata",
    }


def test_errors(client: anthropic.Anthropic, daemon: RunningDaemon) -> None:
    """Each error is the one that the client has a class for, with words that say what to do."""
    with pytest.raises(anthropic.NotFoundError, match="local/play") as unknown:
        client.messages.create(model="claude-unheard-of", max_tokens=9, messages=user("hi"))
    assert unknown.value.type == "not_found_error"
    assert unknown.value.request_id

    with pytest.raises(anthropic.BadRequestError, match=r"100.*500") as long:
        client.messages.create(model="local", max_tokens=9, messages=user("hi [[prompt=500]]"))
    assert long.value.error_code == "context_length_exceeded"

    with pytest.raises(anthropic.PermissionDeniedError, match="client add"):
        client.messages.create(model="cloud", max_tokens=9, messages=user("hi"))

    with pytest.raises(anthropic.AuthenticationError):
        client.with_options(api_key="nl_unknown").messages.create(model="local", max_tokens=9, messages=user("hi"))

    large = httpx.post(
        f"{daemon.url}/v1/messages", content=b" " * (70 << 20), headers={"content-type": "application/json"}, timeout=20
    )
    assert (large.status_code, large.json()["error"]["type"]) == (413, "request_too_large")


def test_an_error_in_mid_stream_is_raised(client: anthropic.Anthropic) -> None:
    """An engine that breaks after the first words raises in the reader of the stream."""
    words = ""
    with pytest.raises(anthropic.APIStatusError, match="process"):
        with client.messages.stream(model="local", max_tokens=50, messages=user("[[tokens=9]] [[fail=3]]")) as stream:
            for text in stream.text_stream:
                words += text

    assert words in ("", "0 ", "0 1 ", "0 1 2 ")


def test_an_address_that_is_none(daemon: RunningDaemon) -> None:
    """Who says that he speaks Anthropic's protocol gets its errors at any address, and others get OpenAI's."""
    theirs = httpx.get(f"{daemon.url}/v1/unheard-of", headers={"anthropic-version": "2023-06-01"}).json()
    ours = httpx.get(f"{daemon.url}/v1/unheard-of").json()
    batch = httpx.post(f"{daemon.url}/v1/messages/batches", json={}).json()

    assert theirs["type"] == batch["type"] == "error"
    assert theirs["error"]["type"] == "not_found_error"
    assert "type" not in ours


def test_both_ways_to_send_a_key(daemon: RunningDaemon) -> None:
    """A token is taken as x-api-key and as Bearer; what is no token of ours is nobody's."""
    with daemon.client() as control:
        token = control.add_client("claude", None).token
    for keys in ({"api_key": token}, {"auth_token": token}):
        with anthropic.Anthropic(base_url=daemon.url, max_retries=0, timeout=20, **keys) as client:
            raw = client.messages.with_raw_response.create(model="local", max_tokens=9, messages=user("hi"))
        with daemon.client() as control:
            assert control.record(raw.headers["x-nearloop-record"]).record.client == "claude"


def test_counts(client: anthropic.Anthropic) -> None:
    """A loaded local model's own tokenizer counts: what is counted is what the answer's usage says."""
    asked: Any = {"model": "local", "system": "be very brief", "messages": user("one two three"), "tools": [LOOK]}
    raw = client.messages.with_raw_response.count_tokens(**asked)
    message = client.messages.create(max_tokens=9, **asked)

    assert raw.parse().input_tokens == message.usage.input_tokens
    assert raw.headers["x-nearloop-count"] == "exact"
    beyond = client.messages.with_raw_response.count_tokens(model="local", messages=user("hi [[prompt=500]]"))
    assert (beyond.parse().input_tokens, beyond.headers["x-nearloop-count"]) == (500, "estimate")
    with pytest.raises(anthropic.NotFoundError):
        client.messages.count_tokens(model="claude-unheard-of", messages=user("hi"))
    with pytest.raises(anthropic.BadRequestError):
        client.messages.count_tokens(model="local", messages=[])


def test_models(client: anthropic.Anthropic) -> None:
    """The list has Anthropic's shape for its client, page by page, with the names that write messages."""
    models = {model.id: model for model in client.models.list(limit=2)}

    assert {"auto", "local", "local/play"} <= set(models)
    assert models["local/play"].max_input_tokens == 100
    assert client.models.retrieve("local/play").display_name == "local/play"
    with pytest.raises(anthropic.NotFoundError):
        client.models.retrieve("unheard-of")
    with pytest.raises(anthropic.BadRequestError):
        list(client.models.list(limit=0))


# ---- with a provider ------------------------------------------------------------------------------------------------

PROVIDER: Final = """
[policy]
privacy = "open"
[routing.names]
"claude-*" = "cloud"
[providers.work]
base_url = "{url}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
"""


class House:
    """A daemon's client, and the provider behind it."""

    def __init__(self, client: anthropic.AsyncAnthropic, served: Upstream, renew: Callable[[], None]) -> None:
        self.renew = renew
        self.client = client
        self.served = served

    def answering(self, *answers: Answer) -> tuple[anthropic.AsyncAnthropic, Upstream]:
        """From now on with these, in order, whatever it did before."""
        self.renew()
        self.served.answers[:] = answers
        self.served.requests.clear()
        return self.client, self.served


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with upstream() as served:
        settings = SCRIPTED.format(options="") + PROVIDER.format(url=served.url)
        home = tmp_path_factory.mktemp("home")
        daemon = await asyncio.to_thread(RunningDaemon, home, settings, {"NEARLOOP_TEST_KEY": "sk-live"})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
            async with anthropic.AsyncAnthropic(
                base_url=daemon.url, api_key=token, max_retries=0, timeout=30
            ) as client:
                yield House(client, served, daemon.renew)
        finally:
            await asyncio.to_thread(daemon.stop)


in_its_loop = pytest.mark.asyncio(loop_scope="module")


def calling(*pieces: dict[str, Any]) -> Answer:
    """A stream of tool calls, each piece as OpenAI's servers send it."""
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None}]} for piece in pieces]
    return Answer(frames(*chunks, said("", "tool_calls"), USAGE))


def piece(index: int, id: str | None = None, name: str | None = None, arguments: str = "") -> dict[str, Any]:
    opening = {"id": id, "type": "function"} if id else {}
    return {"index": index, **opening, "function": {**({"name": name} if name else {}), "arguments": arguments}}


@in_its_loop
async def test_a_tool_session_with_a_provider(house: House) -> None:
    """Calls in pieces become blocks; the results go back under the ids that the provider gave, pictures behind them."""
    calls = calling(
        piece(0, "call:0", "look", '{"at'), piece(0, arguments='": 1}'), piece(1, "call:1", "look", '{"at": 2}')
    )
    client, served = house.answering(calls, HELLO)
    async with client.messages.stream(
        model="claude-opus", max_tokens=99, messages=user("look twice"), tools=[LOOK]
    ) as stream:
        first = await stream.get_final_message()
    uses = [block for block in first.content if block.type == "tool_use"]
    assert [(use.id, use.input) for use in uses] == [("call:0", {"at": 1}), ("call:1", {"at": 2})]
    assert first.stop_reason == "tool_use"

    picture: Any = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    results: Any = [
        {"type": "tool_result", "tool_use_id": "call:0", "content": [{"type": "text", "text": "seen"}, picture]},
        {"type": "tool_result", "tool_use_id": "call:1", "content": "nothing", "is_error": True},
        {"type": "text", "text": "and now?"},
    ]
    history: Any = [*user("look twice"), {"role": "assistant", "content": first.content}]
    raw = await client.messages.with_raw_response.create(
        model="claude-opus",
        max_tokens=99,
        messages=[*history, {"role": "user", "content": results}],
        tools=[LOOK],
        tool_choice={"type": "auto", "disable_parallel_tool_use": True},
    )

    assert words_of(await raw.parse()) == "Hello"
    assert "x-nearloop-ignored" not in raw.headers
    sent = served.requests[1].json
    assert sent["parallel_tool_calls"] is False
    assert [turn["role"] for turn in sent["messages"]] == ["user", "assistant", "tool", "tool", "user", "user"]
    assert [(call["id"], json.loads(call["function"]["arguments"])) for call in sent["messages"][1]["tool_calls"]] == [
        ("call:0", {"at": 1}),
        ("call:1", {"at": 2}),
    ]
    assert sent["messages"][2] == {"role": "tool", "tool_call_id": "call:0", "content": "seen"}
    assert sent["messages"][3]["content"] == "Error: nothing"
    assert sent["messages"][4]["content"][0]["image_url"]["url"] == "data:image/png;base64,AAAA"


@in_its_loop
async def test_the_sdks_own_tool_loop(house: House) -> None:
    """It wants a thread that we would hold: refused, it sends all of the conversation each time."""
    call = {"id": "call:0", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
    calls = {"role": "assistant", "content": None, "tool_calls": [call]}
    words = {"role": "assistant", "content": "Hello"}
    client, served = house.answering(
        as_json({"choices": [{"index": 0, "message": calls, "finish_reason": "tool_calls"}]}),
        as_json({"choices": [{"index": 0, "message": words, "finish_reason": "stop"}]}),
    )

    @anthropic.beta_async_tool
    async def look(at: int) -> str:
        """Look there."""
        return f"seen {at}"

    runner = client.beta.messages.tool_runner(
        model="claude-opus", max_tokens=99, messages=user("look once"), tools=[look]
    )
    last = await runner.until_done()

    assert [block.text for block in last.content if block.type == "text"] == ["Hello"]
    sent = served.requests[1].json
    assert [turn["role"] for turn in sent["messages"]] == ["user", "assistant", "tool"]
    assert sent["messages"][2]["content"] == "seen 1"
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["look"]


@in_its_loop
async def test_thinking_of_a_provider(house: House) -> None:
    """Reasoning arrives as a thinking block, and goes back as what it was."""
    thoughts = {"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}, "finish_reason": None}]}
    client, served = house.answering(Answer(frames(thoughts, said("so", "stop"), USAGE)), HELLO)
    async with client.messages.stream(model="claude-opus", max_tokens=99, messages=user("hi")) as stream:
        first = await stream.get_final_message()
    history: Any = [*user("hi"), {"role": "assistant", "content": first.content}, *user("and?")]
    await client.messages.create(model="claude-opus", max_tokens=99, messages=history)

    assert [block.type for block in first.content] == ["thinking", "text"]
    assert served.requests[1].json["messages"][1] == {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
    }


@in_its_loop
async def test_an_overloaded_provider(house: House) -> None:
    """Overload is 529 with when to come back, and too many requests are 429: the client knows both."""
    full = as_json({"error": {"message": "full"}}, 529, retry_after="60")
    many = as_json({"error": {"message": "slow down"}}, 429, retry_after="61")
    client, _ = house.answering(full, many)
    with pytest.raises(anthropic.APIStatusError) as overloaded:
        await client.messages.create(model="claude-opus", max_tokens=9, messages=user("hi"))
    house.renew()
    with pytest.raises(anthropic.RateLimitError) as limited:
        async with client.messages.stream(model="claude-opus", max_tokens=9, messages=user("hi")):
            pass

    assert (overloaded.value.status_code, overloaded.value.type) == (529, "overloaded_error")
    assert overloaded.value.response.headers["retry-after"] == "60"
    assert (limited.value.type, limited.value.response.headers["retry-after"]) == ("rate_limit_error", "61")


@in_its_loop
async def test_overload_in_mid_stream(house: House) -> None:
    """What comes too late for a status is an error event of the same type, behind the words that were said."""
    late = frames(said("Hel"), {"error": {"message": "full", "type": "overloaded_error"}}, done=False)
    client, _ = house.answering(Answer(late))
    words = ""
    with pytest.raises(anthropic.APIStatusError) as caught:
        async with client.messages.stream(model="claude-opus", max_tokens=9, messages=user("hi")) as stream:
            async for text in stream.text_stream:
                words += text

    assert words == "Hel"
    assert caught.value.type == "overloaded_error"


@in_its_loop
async def test_signs_of_life(house: House) -> None:
    """A provider that is silent for long is bridged with pings, which come before anything else may."""
    slow = Answer((Pause(6.0), *frames(said("Hello", "stop"), USAGE)))
    client, _ = house.answering(slow)
    body = {"model": "claude-opus", "max_tokens": 9, "messages": user("hi"), "stream": True}
    async with httpx.AsyncClient(base_url=str(client.base_url), trust_env=False, timeout=30) as plain:
        answer = await plain.post("/v1/messages", json=body, headers={"x-api-key": client.api_key or ""})

    names = [line.removeprefix("event: ") for line in answer.text.splitlines() if line.startswith("event: ")]
    assert names[:2] == ["ping", "message_start"]
    assert names[-1] == "message_stop"


@in_its_loop
async def test_a_prompt_for_a_provider_is_estimated(house: House) -> None:
    """No provider is asked for a count: nothing leaves for it, and the header says that it is an estimate."""
    client, served = house.answering(HELLO)
    raw = await client.messages.with_raw_response.count_tokens(model="claude-opus", messages=user("one two three"))

    assert 0 < (await raw.parse()).input_tokens < 30
    assert raw.headers["x-nearloop-count"] == "estimate"
    assert served.requests == []
