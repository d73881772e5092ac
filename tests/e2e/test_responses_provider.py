"""OpenAI Responses in front of a provider that speaks Chat Completions: what crosses, and what comes back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.house import House, house
from tests.fakes.upstream import HELLO, Answer, Cut, Upstream, as_json, frames, said

pytestmark = pytest.mark.slow

EMAIL: Final = "ada.byron@analytical-engines.net"
LOOK: Final = {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": True}


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def call(index: int, arguments: str, id: str | None = None, name: str | None = None) -> dict[str, Any]:
    function = {**({"name": name} if name else {}), "arguments": arguments}
    return delta(tool_calls=[{"index": index, **({"id": id, "type": "function"} if id else {}), "function": function}])


PARALLEL: Final = Answer(
    frames(
        delta(reasoning_content="hm"),
        said("Wait."),
        call(0, "", "c1", "look"),
        call(0, '{"at"'),
        call(1, "{}", "c2", "look"),
        call(0, ": 1}"),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        {
            "choices": [],
            "usage": {
                "prompt_tokens": 9,
                "completion_tokens": 6,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 1},
            },
        },
    )
)


async def respond(here: House[Upstream], **body: Any) -> Any:
    answer = await here.client.post("/v1/responses", json={"model": "cloud", **body})
    assert answer.status_code == 200, answer.text
    return answer


def events(text: str) -> list[Any]:
    return [json.loads(line.removeprefix("data: ")) for line in text.split("\n") if line.startswith("data: ")]


async def test_a_tool_session(tmp_path: Path) -> None:
    """Reasoning, words and parallel calls come as items, streamed; their results go on as the provider's own protocol has them."""
    async with house(tmp_path, PARALLEL, HELLO) as here:
        told = events((await respond(here, input="go", tools=[LOOK], parallel_tool_calls=True, stream=True)).text)
        last = told[-1]["response"]
        output = last["output"]
        calls = [item for item in output if item["type"] == "function_call"]

        assert [item["type"] for item in output] == ["reasoning", "message", "function_call", "function_call"]
        assert [(item["call_id"], item["arguments"]) for item in calls] == [("c1", '{"at": 1}'), ("c2", "{}")]
        assert last["usage"]["input_tokens_details"]["cached_tokens"] == 4
        assert last["usage"]["output_tokens_details"]["reasoning_tokens"] == 1

        results = [{"type": "function_call_output", "call_id": id, "output": id.upper()} for id in ("c1", "c2")]
        await respond(here, input=results, tools=[LOOK], previous_response_id=last["id"], reasoning={"effort": "low"})
        sent = here.served.requests[1].json

        assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "tool", "tool"]
        assert sent["messages"][1] == {
            "role": "assistant",
            "content": "Wait.",
            "reasoning_content": "hm",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}},
                {"id": "c2", "type": "function", "function": {"name": "look", "arguments": "{}"}},
            ],
        }
        assert [message["content"] for message in sent["messages"][2:]] == ["C1", "C2"]
        assert sent["tools"][0]["function"]["strict"] is True
        assert sent["reasoning_effort"] == "low"
        assert "previous_response_id" not in sent


async def test_a_kept_conversation_is_masked_each_time(tmp_path: Path) -> None:
    """What was masked on the way out is masked again when the conversation goes on; the client sees its own words."""
    echo = Answer(frames(said("I write to "), said("[EMAIL"), said("_ADDRESS_1]"), said("", "stop")))
    async with house(tmp_path, echo, HELLO) as here:
        first = (await respond(here, input=f"Write to {EMAIL}.")).json()
        placeholder = here.served.requests[0].json["messages"][0]["content"].removeprefix("Write to ").removesuffix(".")
        await respond(here, input="Do it.", previous_response_id=first["id"])

        assert placeholder != EMAIL
        assert EMAIL.encode() not in bytes(here.served.bytes)
        said_again = here.served.requests[1].json["messages"]
        assert [message["role"] for message in said_again] == ["user", "assistant", "user"]
        kept = (await here.client.get(f"/v1/responses/{first['id']}/input_items")).json()
        assert kept["data"][0]["content"][0]["text"] == f"Write to {EMAIL}."


async def test_a_pinned_conversation_does_not_leave_when_it_goes_on(tmp_path: Path) -> None:
    """A conversation that was kept on this machine can't be taken to the cloud by going on from it."""
    async with house(tmp_path, HELLO) as here:
        pinned = await here.client.post(
            "/v1/responses", json={"model": "local", "input": "stay"}, headers={"x-nearloop-reach": "device"}
        )
        went_on = await here.client.post(
            "/v1/responses", json={"model": "cloud", "input": "go", "previous_response_id": pinned.json()["id"]}
        )

        assert went_on.status_code == 400
        assert went_on.json()["error"]["code"] == "private"
        assert here.served.requests == []


async def test_failures_keep_their_status_and_their_time(tmp_path: Path) -> None:
    """A full provider is a 429 with its time; one that breaks off in mid-answer fails the answer, which is not kept."""
    full = as_json({"error": {"message": "slow down"}}, 429, retry_after="60")
    broken = Answer((*frames(said("Hel"), done=False), Cut()))
    async with house(tmp_path, full, broken) as here:
        refused = await here.client.post("/v1/responses", json={"model": "cloud", "input": "hi", "stream": True})
        await asyncio.to_thread(here.daemon.renew)
        told = events((await respond(here, input="hi", stream=True)).text)

        assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
        assert refused.json()["error"]["type"] == "rate_limit_error"
        assert [event["type"] for event in told[-2:]] == ["error", "response.failed"]
        assert (await here.client.get(f"/v1/responses/{told[0]['response']['id']}")).status_code == 404


async def test_completions_reach_a_provider(tmp_path: Path) -> None:
    """An old prompt is a chat there, with the fields that both have; several answers are several choices."""
    two = Answer(
        frames(
            said("one"),
            {"choices": [{"index": 1, "delta": {"content": "two"}, "finish_reason": "stop"}]},
            said("", "stop"),
        )
    )
    async with house(tmp_path, two) as here:
        body = {"model": "cloud", "prompt": "hi", "n": 2, "user": "u", "stream": True}
        answer = await here.client.post("/v1/completions", json=body)
        sent = here.served.requests[0].json

        assert sent["messages"] == [{"role": "user", "content": "hi"}]
        assert (sent["n"], sent["user"]) == (2, "u")
        texts = ["", ""]
        for event in events(answer.text.replace("data: [DONE]", "")):
            for choice in event["choices"]:
                texts[choice["index"]] += choice["text"]
        assert texts == ["one", "two"]
