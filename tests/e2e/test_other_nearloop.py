"""Another Nearloop as a provider, by each protocol that both speak: a real one, in its own process with its own token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final, NamedTuple

import httpx
import pytest
import pytest_asyncio

from daemon.protocols.registry import PROTOCOLS
from tests.fakes.client_dialects import CLIENTS, Heard
from tests.fakes.client_outcomes import outcome
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.talk import Talk, User

pytestmark = pytest.mark.slow

WIRES: Final = {"openai-chat": "/v1", "openai-responses": "/v1"}
"""Where the other one speaks each."""
ROW: Final = """
[providers.by-{wire}]
wire = "{wire}"
base_url = "{url}"
key = "env:OTHER_TOKEN"
place = "device"
"""


class Near(NamedTuple):
    """The nearer one, and a client of its."""

    daemon: RunningDaemon
    client: httpx.AsyncClient


in_its_loop = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def near(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Near]:
    far_home: Path = tmp_path_factory.mktemp("far")
    near_home: Path = tmp_path_factory.mktemp("near")
    far = await asyncio.to_thread(RunningDaemon, far_home, SCRIPTED.format(options=""))
    try:
        await asyncio.to_thread(far.wait_ready)
        rows = "".join(ROW.format(wire=wire, url=f"{far.url}{path}") for wire, path in WIRES.items())
        settings = SCRIPTED.format(options="") + rows
        here = await asyncio.to_thread(RunningDaemon, near_home, settings, {"OTHER_TOKEN": token_of(far)})
        try:
            await asyncio.to_thread(here.wait_ready)
            headers = {"authorization": f"Bearer {token_of(here)}"}
            async with httpx.AsyncClient(base_url=here.url, headers=headers, trust_env=False, timeout=60) as made:
                yield Near(here, made)
        finally:
            await asyncio.to_thread(here.stop)
    finally:
        await asyncio.to_thread(far.stop)


def token_of(daemon: RunningDaemon) -> str:
    with daemon.client() as control:
        return control.add_client("tests", None).token


@in_its_loop
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("wire", WIRES)
async def test_it_answers(near: Near, wire: str, stream: bool) -> None:
    """To clients of every protocol, with its own words and counts."""
    for protocol in PROTOCOLS:
        dialect = CLIENTS[protocol]
        body = dialect.body(dialect.asks(Talk((User("one two three four"),))), stream)
        answer = await near.client.post(dialect.path, json={**body, "model": f"by-{wire}/local"})

        found = outcome(protocol, answer, stream)
        assert isinstance(found, Heard), answer.text
        assert found.answer.text == "one two three four"
        assert found.answer.reason == "stop"
        assert (found.answer.prompt_tokens, found.answer.completion_tokens) == (4, 4)


@in_its_loop
@pytest.mark.parametrize("wire", WIRES)
async def test_it_breaks(near: Near, wire: str) -> None:
    """What goes wrong there is an error here, behind the words that came."""
    for protocol in ("openai-responses", "anthropic"):  # each time its model is loaded anew
        dialect = CLIENTS[protocol]
        body = dialect.body(dialect.asks(Talk((User("[[fail=3]] one two three four five"),))), True)
        answer = await near.client.post(dialect.path, json={**body, "model": f"by-{wire}/local"})

        assert outcome(protocol, answer, True) == "error"


@in_its_loop
@pytest.mark.parametrize("wire", WIRES)
async def test_it_lists_its_models(near: Near, wire: str) -> None:
    """When they are asked for."""
    with near.daemon.client() as control:
        tested = await asyncio.to_thread(control.test_provider, f"by-{wire}")

    assert "local" in tested.models
