"""Every client protocol in front of every provider protocol: what is said arrives, there and back, whatever it is.

A real daemon, a server that speaks the provider's protocol, and clients that are written independently of our codecs. A new
line of either registry joins with one line in `tests/fakes/client_dialects.py` or `tests/fakes/upstream_dialects.py`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openai._streaming import SSEDecoder

from daemon.protocols.registry import PROTOCOLS
from providers.registry import FAMILIES
from tests.fakes.client_dialects import CLIENTS, Client, Heard
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.talk import Answer, Talk, User, answers, talks
from tests.fakes.upstream import HELLO, Upstream, upstream
from tests.fakes.upstream import Answer as Served
from tests.fakes.upstream_dialects import DIALECTS, DIFFERENT, Dialect

EXAMPLES: Final = 12
FEATURES: Final[dict[str, dict[str, bool]]] = {
    "text": {},
    "tools": {"tools": True},
    "parallel tools": {"tools": True, "parallel": True},
    "image": {"images": True},
    "JSON schema": {"schema": True},
    "reasoning": {"thoughts": True},
}
OF_ANSWERS: Final = frozenset({"parallel", "thoughts"})
PROVIDER: Final = """
[providers.to-{name}]
wire = "{name}"
base_url = "{url}"
models = ["big"]
key = "none"
place = "device"
"""


class House:
    """A daemon with one provider of each protocol, all of them played by one server."""

    def __init__(self, client: httpx.AsyncClient, served: Upstream) -> None:
        self.client = client
        self.served = served

    async def ask(self, client: Client, wire: str, body: dict[str, Any], *answers: Served) -> httpx.Response:
        """One request, answered so."""
        self.served.answers[:] = answers
        self.served.requests.clear()
        return await self.client.post(client.path, json={"model": f"to-{wire}/big", **body})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with upstream() as served:
        rows = "".join(PROVIDER.format(name=name, url=served.url) for name in FAMILIES)
        home: Path = tmp_path_factory.mktemp("home")
        daemon = await asyncio.to_thread(RunningDaemon, home, SCRIPTED.format(options="") + rows)
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
            headers = {"authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=30) as client:
                yield House(client, served)
        finally:
            await asyncio.to_thread(daemon.stop)


in_its_loop = pytest.mark.asyncio(loop_scope="module")
streams = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


def test_every_line_of_the_tables_is_here() -> None:
    """A protocol that is added is tested here once somebody wrote down how its clients, or its servers, speak."""
    assert CLIENTS.keys() == PROTOCOLS.keys()
    assert DIALECTS.keys() == FAMILIES.keys()


def events_of(body: bytes, media: str) -> list[Any]:
    """What readers make of a stream: those of lines, such as Ollama's official client, and the official ones of events."""
    lines = [line for line in httpx.Response(200, content=body).iter_lines() if line]
    if media.startswith("application/x-ndjson"):
        return list(map(json.loads, lines))
    told = [event.data for event in SSEDecoder().iter_bytes(iter([body]))]
    assert told == [line.removeprefix("data: ") for line in lines if not line.startswith(("event: ", ": "))]
    return ["[DONE]" if data == "[DONE]" else json.loads(data) for data in told]


def heard_by(client: Client, answer: httpx.Response, stream: bool) -> Heard:
    assert answer.status_code == 200, answer.text
    if not stream:
        return client.whole(answer.json())
    return client.streamed(events_of(answer.content, answer.headers["content-type"]))


def served(dialect: Dialect, answer: Answer, stream: bool, data: st.DataObject) -> tuple[Served, tuple[str, ...]]:
    """The answer as a server gives it, cut anywhere, and the names of its calls."""
    ids = tuple(
        data.draw(st.text("abcXYZ019_-:.|/ é", min_size=1, max_size=12)) + str(n) for n in range(len(answer.calls))
    )

    def cut(text: str) -> list[str]:
        places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
        return [text[start:end] for start, end in pairwise([0, *places, len(text)]) if start < end]

    body = dialect.streamed(answer, ids, cut) if stream else dialect.whole(answer, ids)
    places = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=4)))
    kind = "text/event-stream" if stream else "application/json"
    pieces = tuple(body[start:end] for start, end in pairwise([0, *places, len(body)]) if start < end)
    return Served(pieces, headers={"content-type": kind}), ids


CELLS: Final = [
    (protocol, wire, feature) for protocol in PROTOCOLS for wire in DIFFERENT for feature in FEATURES
    if feature not in CLIENTS[protocol].lacks
]  # fmt: skip
WORDLESS: Final = [(protocol, feature) for protocol in PROTOCOLS for feature in sorted(CLIENTS[protocol].lacks)]


@in_its_loop
@pytest.mark.parametrize(("protocol", "wire", "feature"), CELLS)
@streams
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(data=st.data())
async def test_there_and_back(
    house: House, protocol: str, wire: str, feature: str, stream: bool, data: st.DataObject
) -> None:
    """What a client says reaches the provider with the same meaning, what the provider says reaches the client so, and
    nothing is left aside.
    """
    client, dialect, wanted = CLIENTS[protocol], DIALECTS[wire], FEATURES[feature]
    talk = client.asks(data.draw(talks(**wanted)))
    answer = data.draw(answers(talk, **{name: True for name in wanted if name in OF_ANSWERS}))
    said, ids = served(dialect, answer, stream, data)

    got = await house.ask(client, wire, client.body(talk, stream), said)

    assert heard_by(client, got, stream) == Heard(client.known(dialect.known(answer)), ids)
    (received,) = house.served.requests
    assert dialect.asked(received.json) == dialect.takes(talk)
    assert got.headers.get("x-nearloop-ignored") is None


LOOK: Final = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
SAID_ANYWAY: Final[dict[str, dict[str, Any]]] = {
    "tools": {"tools": [LOOK]},
    "parallel tools": {"tools": [LOOK], "parallel_tool_calls": True},
    "image": {"prompt": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
    "JSON schema": {"response_format": {"type": "json_object"}},
}
"""A feature in the words of Chat Completions, for protocols that have none."""


@in_its_loop
@pytest.mark.parametrize(("protocol", "feature"), WORDLESS)
async def test_what_a_protocol_has_no_words_for(house: House, protocol: str, feature: str) -> None:
    """Who asks for it anyway is refused by the field, or told that it was left aside."""
    client = CLIENTS[protocol]
    body = client.body(Talk((User("hi"),)), False) | SAID_ANYWAY[feature]

    got = await house.ask(client, "openai-chat", body, HELLO)

    if got.status_code == 200:
        assert "other" in got.headers["x-nearloop-ignored"]
    else:
        assert got.status_code == 400
        assert next(iter(SAID_ANYWAY[feature])) in got.text
