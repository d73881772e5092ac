"""Servers that are found on this machine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from providers.http import Http
from providers.local_servers import LocalServer, local_servers
from providers.vendors import VENDORS, Vendor
from tests.fakes.cleared import Crossings
from tests.fakes.upstream import Answer, Pause, upstream

GONE = Vendor("http://127.0.0.1:9/v1")


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    client = Http("test", Crossings())
    yield client
    await client.close()


def listing(*names: str) -> Answer:
    body = json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode()
    return Answer((body,), headers={"content-type": "application/json"})


async def test_those_that_answer_are_found(http: Http) -> None:
    """A server that answers is told with its models: those that chat first, and none that its makers run."""
    async with upstream(listing("nomic-embed-text", "qwen3:4b", "big:120b-cloud")) as served:
        table = {"ollama": Vendor(served.url), "lmstudio": GONE, "openai": Vendor(served.url, "OPENAI_API_KEY")}

        found = await local_servers(http, table)

        assert found == (LocalServer("ollama", served.url, ("qwen3:4b", "nomic-embed-text")),)
        assert [(request.method, request.path) for request in served.requests] == [("GET", "/v1/models")]
        assert "authorization" not in served.requests[0].headers


async def test_what_is_something_else_is_none(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program at the port, an error, silence: nothing is found, and nothing is raised."""
    monkeypatch.setattr("providers.local_servers.PATIENCE_S", 0.2)
    for answer in (Answer((b"<html>hello</html>",)), Answer((b"{}",), 401), Answer((Pause(),))):
        async with upstream(answer) as served:
            found = await local_servers(http, {"vllm": Vendor(served.url)})
            assert all(not server.models for server in found)


def test_only_this_machine_is_asked() -> None:
    """Every vendor without a key is at a loopback address."""
    keyless = [vendor.base_url for vendor in VENDORS.values() if vendor.key_variable is None and vendor.base_url]

    assert keyless
    assert all(url.startswith("http://127.0.0.1:") for url in keyless)
