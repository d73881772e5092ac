"""A provider that speaks Anthropic Messages: marks, counts and signatures through real daemons, and the official SDK as judge."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any, Final

import anthropic
import httpx
import pytest
from anthropic.types import Message

from tests.fakes.anthropic_events import block, ending, message, start, words
from tests.fakes.house import CHAT, House, house_of
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.signing import sealed, signature
from tests.fakes.upstream import Answer, Received, Upstream, as_json, upstream

pytestmark = pytest.mark.slow

WIRE: Final = 'wire = "anthropic"'
EMAIL: Final = "ada.byron@analytical-engines.net"
USAGE: Final = {
    "input_tokens": 3,
    "cache_read_input_tokens": 4000,
    "cache_creation_input_tokens": 120,
    "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 20},
}
ALL: Final = Answer(
    (
        start(**USAGE),
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "Hm é"},
            {"type": "signature_delta", "signature": "Er/+aA=="},
        ),
        *block(1, {"type": "redacted_thinking", "data": "b+/="}),
        *words(2, "So", " it is."),
        *block(
            3,
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
            {"type": "input_json_delta", "partial_json": '{"at": '},
            {"type": "input_json_delta", "partial_json": "1.5}"},
        ),
        *ending("tool_use", output_tokens=9, output_tokens_details={"thinking_tokens": 5}),
    )
)
LOOK: Final = {"name": "look", "input_schema": {"type": "object"}}


def client_of(url: str, token: str) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=url, api_key=token, max_retries=0, timeout=60)


async def told(client: anthropic.AsyncAnthropic, model: str) -> Message:
    """A stream's message, as the SDK puts it together."""
    user: Any = [{"role": "user", "content": "go"}]
    tools: Any = [LOOK]
    async with client.messages.stream(model=model, max_tokens=500, messages=user, tools=tools) as stream:
        return await stream.get_final_message()


def essence(said: Message) -> dict[str, Any]:
    """Without what each server names for itself; and of what was written to a cache the SDK reads the kinds only in the event
    that opens a stream, where nobody but the provider knows them yet.
    """
    kept = said.model_dump(exclude_none=True)
    usage = {name: value for name, value in kept["usage"].items() if name not in ("service_tier", "cache_creation")}
    content = [{name: value for name, value in each.items() if name != "parsed_output"} for each in kept["content"]]
    return {"content": content, "stop_reason": kept["stop_reason"], "usage": usage}


async def test_the_sdk_reads_the_same_through_us(tmp_path: Path) -> None:
    """The same stream, read by Anthropic's SDK from the server itself, through a daemon, and through a daemon behind a daemon."""
    async with upstream(ALL) as served:
        async with client_of(served.url.removesuffix("/v1"), "k") as direct:
            expected = essence(await told(direct, "big"))
    async with house_of(Upstream(ALL), tmp_path / "near", row=WIRE) as near:
        token = near.client.headers["authorization"].removeprefix("Bearer ")
        url = str(near.client.base_url)
        async with client_of(url, token) as one:
            assert essence(await told(one, "cloud")) == expected

        (received,) = near.served.requests
        assert (received.path, received.headers["anthropic-version"]) == ("/v1/messages", "2023-06-01")
        assert received.headers["x-api-key"].startswith("sk-live-")
        far = SCRIPTED.format(options="") + (
            f'[providers.near]\nbase_url = "{url}/v1"\nmodels = ["cloud"]\nkey = "env:NEARLOOP_NEAR"\n{WIRE}\n'
        )
        daemon = await asyncio.to_thread(RunningDaemon, tmp_path / "far", far, {"NEARLOOP_NEAR": token})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                far_token = (await asyncio.to_thread(control.add_client, "tests", None)).token
            async with client_of(daemon.url, far_token) as two:
                assert essence(await told(two, "near/cloud")) == expected
                refused = two.messages.create(model="near/nobody-has-this", max_tokens=9, messages=[HI])
                with pytest.raises(anthropic.APIStatusError):
                    await refused
            async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=60) as http:
                tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
                body = {"model": "near/cloud", "messages": [HI], "tools": [tool]}
                answer = await http.post(CHAT, json=body, headers={"authorization": f"Bearer {far_token}"})
            assert answer.status_code == 200, answer.text
            usage = answer.json()["usage"]
            assert (usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]) == (4123, 4000)
            assert (usage["completion_tokens"], usage["completion_tokens_details"]["reasoning_tokens"]) == (9, 5)
        finally:
            await asyncio.to_thread(daemon.stop)


HI: Final[Any] = {"role": "user", "content": "hi"}


async def test_what_a_client_of_anthropics_says_arrives(tmp_path: Path) -> None:
    """Its marks, its features and its own fields, and nothing of them is said to be left aside; words are masked as ever."""
    mark = {"type": "ephemeral", "ttl": "1h"}
    async with house_of(Upstream(ALL), tmp_path, row=WIRE) as here:
        answer = await here.client.post(
            "/v1/messages",
            json={
                "model": "cloud",
                "max_tokens": 77,
                "system": [{"type": "text", "text": f"Of {EMAIL}.", "cache_control": mark}],
                "messages": [{"role": "user", "content": [{"type": "text", "text": EMAIL, "cache_control": mark}]}],
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "max"},
                "tools": [{**LOOK, "cache_control": mark}],
            },
            headers={"anthropic-version": "2023-06-01", "anthropic-beta": f"context-1m-2025-08-07, {EMAIL}, x"},
        )
        (received,) = here.served.requests
        body = received.json

    assert answer.status_code == 200, answer.text
    assert "x-nearloop-ignored" not in answer.headers
    assert [each["cache_control"] for each in (*body["system"], *body["messages"][0]["content"], *body["tools"])] == [
        mark
    ] * 3
    assert (body["thinking"], body["max_tokens"]) == ({"type": "adaptive", "display": "summarized"}, 77)
    assert body["output_config"] == {"effort": "max"}
    assert received.headers["anthropic-beta"] == "context-1m-2025-08-07"
    assert EMAIL.encode() not in bytes(here.served.bytes)


async def test_marks_that_nobody_is_told_of(tmp_path: Path) -> None:
    """A provider of another protocol hears nothing of them, and the client learns it."""
    from tests.fakes.upstream import HELLO

    async with house_of(Upstream(HELLO), tmp_path) as here:
        content = [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]
        body = {"model": "cloud", "max_tokens": 9, "messages": [{"role": "user", "content": content}]}
        answer = await here.client.post("/v1/messages", json=body)

        assert answer.headers["x-nearloop-ignored"] == "cache_control"
        assert b"cache_control" not in here.served.requests[0].body


class Signing(Upstream):
    """Thinks aloud of the last address that it is told, signs that, and refuses what comes back otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.returned: list[list[Any]] = []
        self.faults: list[Any] = []

    def choose(self, request: Received) -> Answer:
        turns = request.json["messages"]
        thoughts = [each for turn in turns for each in turn["content"] if each["type"].endswith("thinking")]
        self.returned.append([each["type"] for each in thoughts])
        for each in thoughts:
            hidden = each["type"] == "redacted_thinking"
            known = [sealed(f"{number}") for number in range(9)]
            if each["data"] not in known if hidden else each["signature"] != signature(each["thinking"]):
                self.faults.append(each)
        said = re.findall(r"[\w.+-]+@[\w.-]+\w", json.dumps(turns))
        thought = f"They wrote {said[-1] if said else 'nothing'}; falcon ledger?"
        number = len(self.requests)
        pieces = [{"type": "thinking_delta", "thinking": letter} for letter in thought]
        signed = {"type": "signature_delta", "signature": signature(thought)}
        if request.json.get("stream"):
            thinking = block(0, {"type": "thinking", "thinking": "", "signature": ""}, *pieces, signed)
            hidden = block(1, {"type": "redacted_thinking", "data": sealed(f"{number}")})
            return Answer((start(), *thinking, *hidden, *words(2, "Well."), *ending()))
        return as_json(
            message(
                {"type": "thinking", "thinking": thought, "signature": signature(thought)},
                {"type": "redacted_thinking", "data": sealed(f"{number}")},
                {"type": "text", "text": "Well."},
            )
        )


async def conversation(here: House[Signing], stream: bool) -> None:
    token = here.client.headers["authorization"].removeprefix("Bearer ")
    turns: list[Any] = [{"role": "user", "content": f"I am {EMAIL}"}]
    async with client_of(str(here.client.base_url), token) as client:
        for _ in range(3):
            if stream:
                async with client.messages.stream(model="cloud", max_tokens=500, messages=turns) as answer:
                    said = await answer.get_final_message()
            else:
                said = await client.messages.create(model="cloud", max_tokens=500, messages=turns)
            assert said.content[0].type == "thinking"
            assert said.content[0].thinking == f"They wrote {EMAIL}; falcon ledger?"
            turns += [{"role": "assistant", "content": said.content}, {"role": "user", "content": "and?"}]


async def test_signed_reasoning_goes_back_as_it_was_signed(tmp_path: Path) -> None:
    """The client reads its own address in it, and the provider gets the bytes that it signed, streamed and whole."""
    async with house_of(Signing(), tmp_path, row=WIRE) as here:
        for stream in (True, False):
            here.served.returned.clear()
            await conversation(here, stream)

            assert here.served.faults == []
            assert here.served.returned == [["thinking", "redacted_thinking"] * number for number in range(3)]
        assert EMAIL.encode() not in bytes(here.served.bytes)
