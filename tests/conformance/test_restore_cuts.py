"""Aliases come back in every protocol, however an answer is cut: in words, in reasoning and in arguments nested in one another."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.boundary.clear import Passage, clear
from daemon.boundary.judge import Clearance
from daemon.boundary.masker import Masker
from daemon.boundary.restore import restored
from daemon.boundary.vault import Vault
from daemon.protocols.base import Envelope
from daemon.protocols.registry import PROTOCOLS
from daemon.tool_turns import ToolTurns
from providers.cleared import Place
from providers.contract import Delta, Message, Request, Text
from tests.conformance.test_splits import names, read
from tests.fakes.aliases import VALUES
from tests.fakes.client_dialects import CLIENTS, Heard
from tests.fakes.talk import Answer, Call, Talk, Tool, User
from tests.fakes.upstream_dialects import DIALECTS, DIFFERENT

ENVELOPE: Final = Envelope("00000000000000aa", None, None, None, "device", 1_700_000_000)
SAVE: Final = Tool("write_file", "", {"type": "object"})
REQUEST: Final = Request(id="0" * 16, model="cloud", messages=(Message("user", (Text("hi"),)),), protocol="test")
CLEARED: Final = clear(REQUEST, Clearance("open"), Place.CLOUD, Vault()).cleared
SECRETS: Final = frozenset({"OPENAI_KEY", "GITHUB_TOKEN", "PASSWORD", "PRIVATE_KEY"})
MASKER: Final = Masker(b"k" * 32, [])
ALIASES: Final = {value: MASKER.alias(label, value).text for label, value in VALUES}
PASSAGE: Final = Passage(CLEARED, MASKER.aliases, SECRETS)
ONE_LINE: Final = [value for value in ALIASES if "\n" not in value]
FEW: Final = [ONE_LINE[at : at + 5] for at in range(0, len(ONE_LINE), 5)]
assert PASSAGE.aliases, "there are some"


def answer(values: list[str], written: Callable[[str], str]) -> Answer:
    """One that says each value in every place that an answer has."""
    said = [written(value) for value in values]
    nested: dict[str, Any] = {
        "edits": [{"path": "a.txt", "lines": said[:2]}, [{"ä": {"to": said[-1], "n": [1.5, None, True]}}]],
        "packed": json.dumps({"inner": said, "more": [json.dumps(len(said))]}, ensure_ascii=False),
    }
    calls = (Call("write_file", nested), Call("write_file", {"text": f"({'; '.join(said)})"}))
    return Answer(" — ".join(said) + ".", "so " + ", ".join(said), calls, "tool_calls")


def without_calls(whole: Answer) -> Answer:
    return Answer(whole.text, whole.thought)


async def replay(deltas: list[Delta]) -> AsyncGenerator[Delta, None]:
    for delta in deltas:
        yield delta


async def heard(wire: str, protocol: str, masked: Answer, cutter: Callable[[str], list[str]]) -> Heard:
    """What a client understands of a masked answer that a provider says in pieces."""
    codec, client, dialect = PROTOCOLS[protocol], CLIENTS[protocol], DIALECTS[wire]
    toolless = "tools" in client.lacks
    talk = client.asks(Talk((User("hi"),), tools=() if toolless else (SAVE,)))
    request = codec.read(json.dumps({"model": "m", **client.body(talk, True)}).encode(), ENVELOPE)
    deltas = dialect.hear([dialect.streamed(masked, names(masked), cutter)])
    writer = codec.writer(request, ENVELOPE)
    turns = ToolTurns(request)
    there = restored(replay(deltas), PASSAGE, lambda signed: None)
    back = [ready async for delta in there for ready in turns.ready(delta)]
    stream = b"".join(writer.feed(delta, "work/big") for delta in back) + writer.end()
    return client.streamed([data if data == "[DONE]" else json.loads(data) for data in read([stream], protocol)])


def cut_at(place: int) -> Callable[[str], list[str]]:
    return lambda text: [piece for piece in (text[:place], text[place:]) if piece] or [text]


async def one_by_one(wire: str, protocol: str, values: list[str], places: list[int]) -> None:
    """Hold an answer to what it says without a boundary, cut at each place."""
    client = CLIENTS[protocol]
    plain, masked = answer(values, str), answer(values, ALIASES.__getitem__)
    if "tools" in client.lacks:
        plain, masked = without_calls(plain), without_calls(masked)
    expected = Heard(client.known(DIALECTS[wire].known(plain)), names(plain))
    for place in places:
        assert await heard(wire, protocol, masked, cut_at(place)) == expected, place
    assert await heard(wire, protocol, masked, list) == expected  # character by character


def longest(values: list[str]) -> int:
    masked = answer(values, ALIASES.__getitem__)
    return max(len(masked.text), len(masked.thought), *(len(json.dumps(call.arguments)) for call in masked.calls))


@pytest.mark.parametrize("wire", DIFFERENT)
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_cut_at_every_character(wire: str, protocol: str) -> None:
    """Of its words, its reasoning and its arguments, escaped or not."""
    values = ["ada.byron@lovelace.dev", "Maria Keller", "김민수", "4111 1111 1111 1111", "hunter2"]
    await one_by_one(wire, protocol, values, list(range(1, longest(values))))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("values", FEW, ids=lambda values: values[0])
async def test_each_value_in_each_protocol(protocol: str, values: list[str]) -> None:
    """Of every class and script, cut at every seventh character."""
    await one_by_one("openai-chat", protocol, values, list(range(1, longest(values), 7)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(
    values=st.lists(st.sampled_from(ONE_LINE), min_size=1, max_size=6),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=12),
)
@settings(max_examples=25, deadline=None)
async def test_cut_in_any_way(protocol: str, values: list[str], sizes: list[int]) -> None:
    """In pieces of any sizes."""

    def cutter(text: str) -> list[str]:
        pieces, at, turn = [], 0, 0
        while at < len(text):
            size = sizes[turn % len(sizes)]
            pieces.append(text[at : at + size])
            at, turn = at + size, turn + 1
        return pieces or [text]

    client = CLIENTS[protocol]
    plain, masked = answer(values, str), answer(values, ALIASES.__getitem__)
    if "tools" in client.lacks:
        plain, masked = without_calls(plain), without_calls(masked)

    assert await heard(next(iter(DIALECTS)), protocol, masked, cutter) == Heard(client.known(plain), names(plain))
