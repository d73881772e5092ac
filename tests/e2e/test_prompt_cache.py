"""A growing conversation keeps its beginning to the byte, so that what a provider holds of it in its cache is found again."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.anthropic_events import message
from tests.fakes.house import House, house_of
from tests.fakes.talk import PNG
from tests.fakes.upstream import Answer, Received, Upstream, as_json

pytestmark = pytest.mark.slow

TURNS: Final = 20
PEOPLE: Final = ("ada.byron@analytical-engines.net", "grace@navy-yard.org", "+49 30 901820", "DE89370400440532013000")
RECIPE: Final = """
MODEL "work/big" { description: "theirs" }
ROUTE all { PRIORITY 1 MODEL "work/big" PLUGIN system_prompt { system_prompt: "Desk: ops.desk@analytical-engines.net." } }
"""
SETTINGS: Final = """
[routing]
recipe = "mine.dsl"
[pictures]
look = false
[policy.classes]
opaque = "allow"
"""
_MAIL: Final = re.compile(r"[\w.+-]+@[\w.-]+\w")
_MARK: Final = re.compile(rb',"cache_control":\{"type":"ephemeral"\}')
LOOK: Final = {"type": "object", "properties": {"who": {"type": "string"}}}


class Desk(Upstream):
    """Answers in the protocol that it is asked in: every third time with a call, else with words, and with the mail address
    that it was told last in both.
    """

    def choose(self, request: Received) -> Answer:
        number = len(self.requests)
        found = _MAIL.findall(json.dumps(request.json["messages"]))
        who = found[-1] if found else "nobody"
        called = {"who": who, "n": number}
        usage = {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 3}
        if request.path.endswith("/messages"):
            call = {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": called}
            said = {"type": "text", "text": f"I ask {who}."}
            if number % 3 == 0:
                return as_json(message(said, call, reason="tool_use", **usage))
            return as_json(message(said, **usage))
        told: dict[str, Any] = {"role": "assistant", "content": f"I ask {who}."}
        if number % 3 == 0:
            function = {"name": "look", "arguments": json.dumps(called)}
            told["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
        reason = "tool_calls" if number % 3 == 0 else "stop"
        return as_json({"choices": [{"index": 0, "message": told, "finish_reason": reason}]})


def next_turn(number: int) -> str:
    """Something long, with a private value that was or wasn't told before."""
    return f"Turn {number}: write to {PEOPLE[number % 4]} about {PEOPLE[0]}, please. " + "The matter is the same. " * 12


async def chat_turn(here: House[Desk], turns: list[Any], number: int) -> None:
    """One more in Chat Completions, with what stands for its answer behind it."""
    content: Any = next_turn(number)
    if number % 5 == 4:
        url = f"data:image/png;base64,{_picture()}"
        content = [{"type": "text", "text": content}, {"type": "image_url", "image_url": {"url": url}}]
    if turns and turns[-1].get("tool_calls"):
        call = turns[-1]["tool_calls"][0]
        turns.append({"role": "tool", "tool_call_id": call["id"], "content": f"{PEOPLE[1]} is at their desk"})
    turns.append({"role": "user", "content": content})
    tool = {"type": "function", "function": {"name": "look", "description": f"Of {PEOPLE[0]}.", "parameters": LOOK}}
    system = {"role": "system", "content": f"You work for {PEOPLE[1]}."}
    body = {"model": "auto", "messages": [system, *turns], "tools": [tool]}
    turns.append((await _ask(here, "/v1/chat/completions", body))["choices"][0]["message"])


async def messages_turn(here: House[Desk], turns: list[Any], number: int) -> None:
    """The same in Anthropic's."""
    blocks: list[Any] = []
    if turns and (calls := [block for block in turns[-1]["content"] if block["type"] == "tool_use"]):
        told = [{"type": "text", "text": f"{PEOPLE[1]} is at their desk"}]
        blocks.append(
            {"type": "tool_result", "tool_use_id": calls[0]["id"], "content": told, "is_error": number % 2 == 0}
        )
    blocks.append({"type": "text", "text": next_turn(number)})
    if number % 5 == 4:
        source = {"type": "base64", "media_type": "image/png", "data": _picture()}
        blocks.append({"type": "image", "source": source})
    turns.append({"role": "user", "content": blocks})
    tool = {"name": "look", "description": f"Of {PEOPLE[0]}.", "input_schema": LOOK}
    body = {
        "model": "auto",
        "max_tokens": 500,
        "system": f"You work for {PEOPLE[1]}.",
        "messages": turns,
        "tools": [tool],
    }
    answer = await _ask(here, "/v1/messages", body)
    turns.append({"role": "assistant", "content": answer["content"]})


CLIENTS: Final = {"openai-chat": chat_turn, "anthropic": messages_turn}


async def _ask(here: House[Desk], path: str, body: Any) -> Any:
    answer = await here.client.post(path, json=body, headers={"x-session-id": "s-1"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-nearloop-egress"] == "masked"
    return answer.json()


def _picture() -> str:
    import base64

    return base64.b64encode(PNG).decode()


def beginning(body: bytes) -> bytes:
    """All that stands before the end of the last message: marks aside, which no cache compares."""
    bare = _MARK.sub(b"", body).decode()
    start = bare.index('"messages":') + len('"messages":')
    _, end = json.JSONDecoder().raw_decode(bare, start)
    return bare[: end - 1].encode()


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
@pytest.mark.parametrize("client", CLIENTS)
async def test_each_request_begins_as_the_one_before(tmp_path: Path, wire: str, client: str) -> None:
    """Over 20 turns with private values, tools, pictures and a recipe's own words, whatever the client's protocol and the
    provider's.
    """
    (tmp_path / "home" / "config").mkdir(parents=True)
    (tmp_path / "home" / "config" / "mine.dsl").write_text(RECIPE)
    async with house_of(Desk(), tmp_path, extra=SETTINGS, row=f'wire = "{wire}"') as here:
        turns: list[Any] = []
        for number in range(TURNS):
            await CLIENTS[client](here, turns, number)
        bodies = [request.body for request in here.served.requests]

        assert len(bodies) == TURNS
        for value in (*PEOPLE, "ops.desk@"):
            assert value.encode() not in bytes(here.served.bytes)
        for before, after in pairwise(bodies):
            assert _MARK.sub(b"", after).startswith(beginning(before))
        if wire == "anthropic":
            assert all(1 <= body.count(b'"cache_control"') <= 4 for body in bodies[8:])
