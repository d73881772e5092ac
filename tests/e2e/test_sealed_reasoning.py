"""Sealed reasoning of a provider that speaks Responses: clients read values in it, and its maker gets back what it sealed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.house import House, house, house_of
from tests.fakes.responses_events import ended, events
from tests.fakes.upstream import Answer, Received, Upstream, as_json

pytestmark = pytest.mark.slow

VALUE: Final = "ada.byron@analytical-engines.net"
ASKED: Final = {"role": "user", "content": f"I am {VALUE}"}
LOOK: Final = {"type": "function", "name": "look", "parameters": {"type": "object"}}


def sealed(request: Received) -> dict[str, Any]:
    """An item of reasoning about the alias that the request has for the address, in two parts, with fields of its own."""
    found = re.search(rb"I am (\S+?)\"", request.body)
    assert found
    alias = found[1].decode()
    assert alias != VALUE
    return {
        "type": "reasoning",
        "id": "rs_67ccf7eabb1881909a2ec4d4f4b6bbcb",
        "summary": [
            {"type": "summary_text", "text": f"**{alias}** asks."},
            {"type": "summary_text", "text": "I look."},
        ],
        "encrypted_content": "gAAAAABnzPfq+x/Ky9Q==",
        "of_its_own": {"b": 1, "a": [None, 2.5]},
    }


CALL: Final = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{}"}


class Sealing(Upstream):
    """Reasons and calls a tool, and says "done" once the tool's result is there."""

    def __init__(self) -> None:
        super().__init__()
        self.item: dict[str, Any] = {}

    def choose(self, request: Received) -> Answer:
        said = any(item.get("type") == "function_call_output" for item in request.json["input"])
        self.item = self.item or sealed(request)
        message = {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "done"}],
        }
        output = [message] if said else [self.item, {**CALL}]
        if not request.json.get("stream"):
            return as_json({**ended()["response"], "output": output})
        told: list[dict[str, Any]] = []
        for place, item in enumerate(output):
            for part, words in enumerate(item.get("summary", ())):
                at = {"item_id": item["id"], "output_index": place, "summary_index": part}
                told.append({"type": "response.reasoning_summary_text.delta", **at, "delta": words["text"]})
            told.append({"type": "response.output_item.done", "output_index": place, "item": item})
        return Answer(events(*told, ended(output=output)))


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_what_was_sealed_comes_back(tmp_path: Path, stream: bool) -> None:
    """Between the same items, with every field, though the client was shown the user's own address in it."""
    provider = Sealing()
    async with house_of(provider, tmp_path, wire="openai-responses") as here:
        first = await respond(here, [ASKED], stream)
        reasoning, call = first["output"]
        assert VALUE in json.dumps(reasoning)
        assert "\n\n" in reasoning["content"][0]["text"]
        assert reasoning["encrypted_content"] == provider.item["encrypted_content"]
        result = {"type": "function_call_output", "call_id": call["call_id"], "output": "seen"}
        second = await respond(here, [ASKED, *first["output"], result], stream)

        assert second["output"][-1]["content"][0]["text"] == "done"
        (_, again) = here.served.requests
        assert again.json["input"][1:3] == [
            provider.item,
            {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"},
        ]
        assert again.json["include"] == ["reasoning.encrypted_content"]
        assert again.json["store"] is False
        assert VALUE.encode() not in here.served.bytes


async def respond(here: House[Sealing], items: list[Any], stream: bool) -> Any:
    body = {"model": "cloud", "input": items, "tools": [LOOK], "store": False, "stream": stream}
    answer = await here.client.post("/v1/responses", json={**body, "include": ["reasoning.encrypted_content"]})
    assert answer.status_code == 200, answer.text
    if not stream:
        return answer.json()
    told = [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n") if line.startswith("data: {")]
    return told[-1]["response"]


async def test_its_own_fields_travel(tmp_path: Path) -> None:
    """What a client says of reasoning arrives where it is understood."""
    message = {"type": "message", "content": [{"type": "output_text", "text": "hi"}]}
    async with house(tmp_path, as_json({**ended()["response"], "output": [message]}), wire="openai-responses") as here:
        body = {"input": "hi", "reasoning": {"effort": "low", "summary": "auto"}, "text": {"verbosity": "low"}}
        answer = await here.client.post("/v1/responses", json={"model": "cloud", **body, "prompt_cache_key": "k"})

        assert answer.status_code == 200, answer.text
        (asked,) = here.served.requests
        assert asked.path == "/v1/responses"
        assert asked.json["reasoning"] == {"effort": "low", "summary": "auto"}
        assert asked.json["text"] == {"verbosity": "low"}
        assert asked.json["prompt_cache_key"] == "k"
        assert asked.json["include"] == ["reasoning.encrypted_content"]
