"""Signed reasoning through the daemon: the client sees values, and the provider gets the bytes that it signed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.house import House, house_of
from tests.fakes.signing import SigningUpstream, signature

pytestmark = pytest.mark.slow

VALUE: Final = "ada.byron@analytical-engines.net"
SHOWN: Final = f"They wrote {VALUE}; falcon ledger?"
ASKED: Final = f"I am {VALUE}"


def events(text: str) -> list[Any]:
    return [json.loads(line.removeprefix("data: ")) for line in text.split("\n") if line.startswith("data: {")]


# ---- clients that carry signatures: (path, a turn of the user's, from an answer to what stands for it in the next turn)


def anthropics(answer: str, stream: bool) -> list[dict[str, Any]]:
    """The message, as its official client puts it together."""
    if not stream:
        return [{"role": "assistant", "content": json.loads(answer)["content"]}]
    blocks: list[dict[str, Any]] = []
    for event in events(answer):
        if event["type"] == "content_block_start":
            blocks.append(dict(event["content_block"]))
        elif event["type"] == "content_block_delta":
            for name, piece in event["delta"].items():
                if name != "type":
                    blocks[event["index"]][name] = blocks[event["index"]].get(name, "") + piece
    return [{"role": "assistant", "content": blocks}]


def responses(answer: str, stream: bool) -> list[dict[str, Any]]:
    """The items of the answer."""
    output: list[dict[str, Any]] = (events(answer)[-1]["response"] if stream else json.loads(answer))["output"]
    return output


def bodies(protocol: str, turns: list[Any], stream: bool) -> tuple[str, dict[str, Any]]:
    if protocol == "anthropic":
        return "/v1/messages", {"messages": turns, "max_tokens": 500, "stream": stream}
    return "/v1/responses", {
        "input": turns,
        "store": False,
        "stream": stream,
        "include": ["reasoning.encrypted_content"],
    }


CLIENTS: Final[dict[str, Callable[[str, bool], list[dict[str, Any]]]]] = {
    "anthropic": anthropics,
    "responses": responses,
}


def thoughts(protocol: str, answer: list[dict[str, Any]]) -> list[str]:
    """The readable words of an answer's reasoning."""
    if protocol == "anthropic":
        return [block["thinking"] for block in answer[0]["content"] if block["type"] == "thinking"]
    return [part["text"] for item in answer if item["type"] == "reasoning" for part in item.get("content") or ()]


async def turn(here: House[SigningUpstream], protocol: str, turns: list[Any], stream: bool) -> list[dict[str, Any]]:
    path, body = bodies(protocol, turns, stream)
    answer = await here.client.post(path, json={"model": "cloud", **body})
    assert answer.status_code == 200, answer.text
    return CLIENTS[protocol](answer.text, stream)


async def test_conversations(tmp_path: Path) -> None:
    """Over three turns clients read their address in signed words, and what they give back passes its maker's test, also
    once a word of those words has become private, and behind encrypted ones.
    """
    async with house_of(SigningUpstream(), tmp_path) as here:
        for protocol in CLIENTS:
            for stream in (False, True):
                await conversation(here, protocol, stream)
                await here.nearloop("dictionary", "remove", "falcon ledger")
                here.served.returned.clear()


async def conversation(here: House[SigningUpstream], protocol: str, stream: bool) -> None:
    turns: list[Any] = [{"role": "user", "content": ASKED}]
    for number in range(3):
        answer = await turn(here, protocol, turns, stream)
        assert thoughts(protocol, answer) == [SHOWN]
        turns += [*answer, {"role": "user", "content": "and the falcon ledger?"}]
        if number == 0:
            await here.nearloop("dictionary", "add", "falcon ledger")

    assert here.served.faults == []
    assert [[detail["type"] for detail in details] for details in here.served.returned] == [
        ["reasoning.encrypted", "reasoning.text"] * number for number in range(3)
    ]
    assert VALUE.encode() not in here.served.bytes
    last = here.served.requests[-1].json["messages"]
    assert "falcon" in last[1]["reasoning_details"][1]["text"]  # the provider's own word
    said = [message["content"] for message in last if message["role"] == "user"]
    assert "falcon" not in json.dumps(said)
    assert all("reasoning_content" not in message for message in last)


async def test_an_answer_that_is_gone_on_from_by_its_id(tmp_path: Path) -> None:
    """What the daemon itself holds of a conversation goes back as it was signed, too."""
    async with house_of(SigningUpstream(), tmp_path) as here:
        id = None
        for words in (ASKED, "and?"):
            body = {"model": "cloud", "input": words, "previous_response_id": id}
            answer = await here.client.post("/v1/responses", json=body)
            assert answer.status_code == 200, answer.text
            id = answer.json()["id"]

        assert here.served.faults == []
        assert len(here.served.returned[1]) == 2
        assert VALUE.encode() not in here.served.bytes


async def test_what_was_changed_or_is_not_known_is_not_signed(tmp_path: Path) -> None:
    """It goes out as words, masked and without a signature; the client is told; another client's signature is nobody's."""
    async with house_of(SigningUpstream(), tmp_path) as here:
        first = {"role": "user", "content": ASKED}
        (said,) = await turn(here, "anthropic", [first], stream=False)
        sealed, thought, text = said["content"]
        signed = here.served.requests[0].json["messages"][0]["content"].removeprefix("I am ")
        assert thought["signature"] == signature(f"They wrote {signed}; falcon ledger?")
        for changed in (
            {**thought, "thinking": f"{VALUE}!"},
            {**thought, "signature": f"{thought['signature'][:-2]}A="},
        ):
            turns = [first, {"role": "assistant", "content": [sealed, changed, text]}, {"role": "user", "content": "?"}]
            _, body = bodies("anthropic", turns, stream=False)
            answer = await here.client.post("/v1/messages", json={"model": "cloud", **body})

            assert answer.status_code == 200, answer.text
            assert answer.headers["x-nearloop-ignored"] == "messages.thinking"
            assert [detail["type"] for detail in here.served.returned[-1]] == ["reasoning.encrypted"]
            assert here.served.requests[-1].json["messages"][1]["reasoning_content"]
            told = await here.nearloop("why", answer.headers["x-nearloop-record"])
            assert "Not honoured, and said so to the client: thoughts" in told

        turns = [first, said, {"role": "user", "content": "?"}]
        _, body = bodies("anthropic", turns, stream=False)
        answer = await here.client.post("/v1/messages", json={"model": "cloud", **body}, headers={"x-session-id": "b"})
        assert here.served.returned[-1] == []
        assert here.served.faults == []
        assert VALUE.encode() not in here.served.bytes


async def test_words_of_reasoning_are_not_told_twice(tmp_path: Path) -> None:
    """A server that tells them in two fields is heard once, by clients that know no signatures too."""
    async with house_of(SigningUpstream(), tmp_path) as here:
        for stream in (False, True):
            answer = await here.ask(ASKED, stream=stream)
            said = events(answer.text) if stream else [answer.json()]
            parts = [choice["delta" if stream else "message"] for event in said for choice in event["choices"]]
            assert "".join(part.get("reasoning_content") or "" for part in parts) == SHOWN
            assert "".join(part.get("content") or "" for part in parts) == f"Hello {SHOWN}"
