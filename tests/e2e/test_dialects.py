"""What goes wrong at a provider, with its tool calls or in our queue, as clients of every protocol see it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final

import anthropic
import httpx
import ollama
import openai
import pytest
import pytest_asyncio

from daemon.protocols.registry import PROTOCOLS
from tests.fakes.client_dialects import CLIENTS
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.talk import Talk, Tool, User
from tests.fakes.upstream import HELLO, Answer, Pause, Upstream, as_json, frames, said, upstream

pytestmark = pytest.mark.slow

SETTINGS: Final = """
[server]
queue = 0
[policy]
privacy = "open"
escalate_below = 0.99
[providers.work]
base_url = "{cloud}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
[providers.near]
base_url = "{near}"
models = ["small"]
key = "none"
place = "device"
"""
LOOK: Final = Tool("look", "", {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]})
CALLERS: Final = [name for name, client in CLIENTS.items() if "tools" not in client.lacks]


class House:
    """A daemon, who is behind it, and a token for it."""

    def __init__(
        self,
        url: str,
        token: str,
        client: httpx.AsyncClient,
        cloud: Upstream,
        near: Upstream,
        renew: Callable[[], None],
    ) -> None:
        self.renew = renew
        self.url = url
        self.token = token
        self.client = client
        self.cloud = cloud
        self.near = near

    async def ask(
        self, protocol: str, *answers: Answer, model: str = "work/big", stream: bool = True, tools: bool = False
    ) -> httpx.Response:
        """One question, which the cloud answers so, whatever it did before."""
        await asyncio.to_thread(self.renew)
        self.cloud.answers[:] = answers
        self.cloud.requests.clear()
        client = CLIENTS[protocol]
        body = client.body(Talk((User("hi"),), tools=(LOOK,) if tools else ()), stream)
        return await self.client.post(client.path, json={"model": model, **body})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with upstream() as cloud, upstream() as near:
        settings = SCRIPTED.format(options="parallel=1") + SETTINGS.format(cloud=cloud.url, near=near.url)
        home = tmp_path_factory.mktemp("home")
        daemon = await asyncio.to_thread(RunningDaemon, home, settings, {"NEARLOOP_TEST_KEY": "sk-live"})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
            headers = {"authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=30) as client:
                yield House(daemon.url, token, client, cloud, near, daemon.renew)
        finally:
            await asyncio.to_thread(daemon.stop)


in_its_loop = pytest.mark.asyncio(loop_scope="module")

# ---- calls that can't be run ----------------------------------------------------------------------------------------


def calling(name: str, *pieces: str, reason: str = "tool_calls", first: tuple[dict[str, Any], ...] = ()) -> Answer:
    opening = {"index": 0, "id": "c1", "type": "function", "function": {"name": name, "arguments": ""}}
    calls = [opening, *({"index": 0, "function": {"arguments": piece}} for piece in pieces)]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]} for call in calls]
    return Answer(frames(*first, *chunks, said("", reason)))


WORDS: Final = (said("Wait."),)
BROKEN: Final = {
    "half": ('{"at": ', "look", "bad_answer"),
    "not offered": ('{"at": 1}', "other", "bad_answer"),
    "no JSON": ("at=1", "look", "bad_answer"),
    "without what is required": ('{"to": 1}', "look", "bad_answer"),
    "of another type": ('{"at": "1"}', "look", "bad_answer"),
}

CALLED: Final = {
    "openai-chat": '"tool_calls"',
    "openai-responses": '"function_call"',
    "anthropic": '"tool_use"',
    "ollama-chat": '"tool_calls"',
}
"""What stands in a stream that has a call."""


@in_its_loop
@pytest.mark.parametrize("protocol", CALLERS)
@pytest.mark.parametrize("fault", BROKEN)
async def test_a_call_that_cant_be_run_is_an_error(house: House, protocol: str, fault: str) -> None:
    """Words before it are passed on as they are said, and in its place comes an error of the client's own kind."""
    arguments, name, code = BROKEN[fault]

    answer = await house.ask(protocol, calling(name, arguments, first=WORDS), tools=True)

    assert answer.status_code == 200
    assert "Wait." in answer.text
    assert code in answer.text
    assert CALLED[protocol] not in answer.text


@in_its_loop
@pytest.mark.parametrize("protocol", CALLERS)
async def test_before_any_words_it_is_a_status(house: House, protocol: str) -> None:
    """Streamed or whole; one that max_tokens cut names what to change, and SDKs don't ask again."""
    for stream in (True, False):
        body = as_json(
            {
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "tool_calls",
                        "message": {"tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}]},
                    }
                ]
            }
        )
        broken = await house.ask(protocol, calling("look", "{}") if stream else body, stream=stream, tools=True)
        cut = await house.ask(protocol, calling("look", '{"at"', reason="length"), stream=stream, tools=True)

        assert (broken.status_code, cut.status_code) == (502, 400)
        assert "required" in broken.text
        assert PROTOCOLS[protocol].field("max_tokens") in cut.text


@in_its_loop
async def test_the_next_candidate_is_asked(house: House) -> None:
    """A sure draft whose call can't be run has failed like any other: the cloud answers, and nobody saw half a call."""
    sure = {"content": [{"token": "Wait.", "logprob": -0.001, "bytes": None, "top_logprobs": []}]}
    words = {"choices": [{"index": 0, "delta": {"content": "Wait."}, "logprobs": sure, "finish_reason": None}]}
    house.near.answers[:] = [calling("look", '{"at": ', first=(words,))]

    answer = await house.ask("openai-chat", HELLO, model="auto", tools=True)

    told = CLIENTS["openai-chat"].streamed
    events = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    heard = told([data if data == "[DONE]" else json.loads(data) for data in events])
    assert heard.answer.text == "Hello"
    assert len(house.near.requests) == len(house.cloud.requests) == 1


@in_its_loop
async def test_signs_of_life_while_a_call_is_held(house: House) -> None:
    """A long call that comes slowly is bridged like any silence, and arrives whole."""
    first, *rest = calling("look", '{"at": 1}').pieces

    answer = await house.ask("openai-chat", Answer((first, Pause(5.5), *rest)), tools=True)

    assert answer.text.startswith(": ")
    assert '"arguments":"{\\"at\\": 1}"' in answer.text


# ---- when to come back ----------------------------------------------------------------------------------------------

SDK: Final = {
    "openai-chat": lambda house: openai_asked(house, lambda client: client.chat.completions.create(
        model="work/big", messages=[{"role": "user", "content": "hi"}]
    )),
    "openai-responses": lambda house: openai_asked(house, lambda client: client.responses.create(
        model="work/big", input="hi"
    )),
    "openai-completions": lambda house: openai_asked(house, lambda client: client.completions.create(
        model="work/big", prompt="hi"
    )),
    "anthropic": lambda house: anthropic_asked(house),
}  # fmt: skip
"""Programs with the official clients, which ask again by themselves."""


def openai_asked(house: House, ask: Callable[[openai.OpenAI], Any]) -> Any:
    with openai.OpenAI(base_url=f"{house.url}/v1", api_key=house.token, max_retries=2, timeout=20) as client:
        return ask(client)


def anthropic_asked(house: House) -> Any:
    with anthropic.Anthropic(base_url=house.url, api_key=house.token, max_retries=2, timeout=20) as client:
        return client.messages.create(model="work/big", max_tokens=9, messages=[{"role": "user", "content": "hi"}])


def ollama_asked(house: House) -> Any:
    headers = {"authorization": f"Bearer {house.token}"}
    with ollama.Client(host=house.url, headers=headers, trust_env=False) as client:
        return client.chat("work/big", [{"role": "user", "content": "hi"}])


@in_its_loop
@pytest.mark.parametrize("protocol", SDK)
@pytest.mark.parametrize("status", [429, 503, 529])
async def test_the_official_clients_wait_as_they_are_told(
    house: House, protocol: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the provider wants to be waited is what the client waits, and its next try is answered."""
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        house.renew()  # as if that time were over

    await asyncio.to_thread(house.renew)
    monkeypatch.setattr("time.sleep", wait)
    full = as_json({"error": {"message": "slow down", "type": "overloaded_error"}}, status, retry_after="31")
    house.cloud.answers[:] = [full, as_json({"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]})]
    house.cloud.requests.clear()

    answer = await asyncio.to_thread(SDK[protocol], house)

    assert waits == [31.0]
    assert "Hello" in answer.model_dump_json()
    assert len(house.cloud.requests) == 2


@in_its_loop
async def test_ollamas_client_is_told(house: House) -> None:
    """It asks once, and its error has the status."""
    for status, told in ((429, 429), (503, 503), (529, 503), (402, 402)):
        await asyncio.to_thread(house.renew)
        house.cloud.answers[:] = [as_json({"error": {"message": "no"}}, status, retry_after="31")]
        with pytest.raises(ollama.ResponseError) as caught:
            await asyncio.to_thread(ollama_asked, house)
        assert caught.value.status_code == told


@in_its_loop
@pytest.mark.parametrize("protocol", SDK)
async def test_an_empty_account_is_not_asked_again(house: House, protocol: str) -> None:
    """It is the error that each client has for it, once."""
    await asyncio.to_thread(house.renew)
    house.cloud.answers[:] = [
        as_json({"error": {"message": "x", "type": "insufficient_quota", "code": "insufficient_quota"}}, 429)
    ]
    house.cloud.requests.clear()

    with pytest.raises((openai.RateLimitError, anthropic.APIStatusError)) as caught:
        await asyncio.to_thread(SDK[protocol], house)

    assert len(house.cloud.requests) == 1
    error: Any = caught.value
    if protocol == "anthropic":
        assert (error.status_code, error.type) == (402, "billing_error")
    else:
        assert (error.status_code, error.code, error.type) == (429, "insufficient_quota", "insufficient_quota")


@in_its_loop
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_every_way_to_say_when(house: House, protocol: str) -> None:
    """Seconds, milliseconds, a date, a limit that is free again: always whole seconds of Retry-After, rounded up."""
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    for headers, least, most in (
        ({"retry-after": "12"}, 12, 12),
        ({"retry-after-ms": "12500"}, 13, 13),
        ({"retry-after": date}, 80, 91),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m12s"}, 72, 72),
    ):
        body = json.dumps({"error": {"message": "slow down"}}).encode()
        answer = await house.ask(protocol, Answer((body,), 429, headers))

        assert answer.status_code == 429
        assert least <= int(answer.headers["retry-after"]) <= most


LATE: Final = {"error": {"message": "full", "type": "overloaded_error"}}


@in_its_loop
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_overload_inside_a_stream_before_any_words(house: House, protocol: str) -> None:
    """SDKs don't ask again for what comes behind a status of 200: here it is asked again before one is sent."""
    answer = await house.ask(protocol, Answer(frames(LATE, done=False)), HELLO)

    assert answer.status_code == 200
    assert "lo" in answer.text
    assert "overloaded" not in answer.text
    assert len(house.cloud.requests) == 2


@in_its_loop
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_overload_in_mid_stream(house: House, protocol: str) -> None:
    """Behind words it is the protocol's own error at the stream's end, which says when to come back."""
    answer = await house.ask(protocol, Answer(frames(said("Hel"), LATE, done=False)))

    assert answer.status_code == 200
    assert "Hel" in answer.text
    assert "overloaded" in answer.text
    assert "try again in 2 s" in answer.text
    assert len(house.cloud.requests) == 1


@in_its_loop
async def test_our_own_queue(house: House) -> None:
    """A queue that is full is each client's own overload, with when to come back."""
    slow = {"model": "local", "stream": True, "messages": [{"role": "user", "content": "[[tokens=900]] [[delay=20]]"}]}
    async with house.client.stream("POST", "/v1/chat/completions", json=slow) as running:
        assert running.status_code == 200
        answers = {protocol: await house.ask(protocol, model="local") for protocol in PROTOCOLS}

    assert {protocol: answer.status_code for protocol, answer in answers.items()} == {
        protocol: 529 if protocol == "anthropic" else 503 for protocol in PROTOCOLS
    }
    for answer in answers.values():
        assert int(answer.headers["retry-after"]) >= 1
        assert "overloaded" in answer.text
