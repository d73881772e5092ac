"""Every family in front of a strict server that fails in each way that is known: one whole answer, or one clear error.

A real daemon, clients of every protocol at once, and servers that take only what their documentation allows. What they refuse
with quotes the request and the key; neither is in anything that a client, a log or a record gets.
"""

from __future__ import annotations

import asyncio
import shutil
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import pytest_asyncio
from msgspec.structs import replace

from daemon.protocols.registry import PROTOCOLS
from providers.cleared import Place
from providers.contract import Finish, Key, Message, ProviderError, Sampling, Text, Tool, Unreachable, fold
from providers.http import Http, Timeouts
from providers.registry import FAMILIES, provider_of
from providers.target import Quirks, Target
from tests.fakes.cleared import ASKED, Crossings, HeldKey, cleared
from tests.fakes.client_dialects import CLIENTS, Heard
from tests.fakes.client_outcomes import outcome
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.strict_provider import ANSWERS, FAULTS, StrictProvider, expected_of, faults_of, server_of
from tests.fakes.strict_provider import FAMILIES as RECORDED
from tests.fakes.talk import Talk, User
from tests.fakes.upstream import Received, certificate, serving

CANARY: Final = "my cat is called Schroedinger 4711"
KEY: Final = "sk-canary-0815-strict"
SILENT: Final = frozenset({"silence"})
"""It is waited for longer than a test may take, so it is met at the provider's own door."""
HEAVY: Final = frozenset({"oversized", "slow"})
"""For which one client is enough."""
WAITED_FOR: Final = frozenset({"429", "503", "529"})
"""Which are asked again after a while."""
ROW: Final = """
[providers.{family}-{fault}]
wire = "{family}"
base_url = "{url}"
models = ["big"]
key = "env:STRICT_KEY"
place = "device"
"""


class House:
    """A daemon, and a server of each family."""

    def __init__(self, client: httpx.AsyncClient, servers: dict[str, StrictProvider], home: Path) -> None:
        self.client = client
        self.servers = servers
        self.home = home

    async def ask(self, family: str, fault: str, protocol: str, stream: bool) -> httpx.Response:
        client = CLIENTS[protocol]
        body = client.body(client.asks(Talk((User(CANARY),))), stream)
        return await self.client.post(client.path, json={**body, "model": f"{family}-{fault}/big"})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        servers = {name: await stack.enter_async_context(serving(StrictProvider(name, KEY))) for name in RECORDED}
        rows = "".join(
            ROW.format(family=name, fault=fault, url=server.url_of(fault))
            for name, server in servers.items()
            for fault in FAULTS
        )
        home: Path = tmp_path_factory.mktemp("home")
        daemon = await asyncio.to_thread(RunningDaemon, home, SCRIPTED.format(options="") + rows, {"STRICT_KEY": KEY})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
            headers = {"authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=90) as client:
                yield House(client, servers, home)
        finally:
            await asyncio.to_thread(daemon.stop)


in_its_loop = pytest.mark.asyncio(loop_scope="module")
CELLS: Final = [
    pytest.param(family, fault, marks=pytest.mark.slow) if fault in WAITED_FOR else (family, fault)
    for family in RECORDED
    for fault in FAULTS
    if fault not in SILENT
]


@in_its_loop
@pytest.mark.parametrize(("family", "fault"), CELLS)
async def test_every_fault(house: House, family: str, fault: str) -> None:
    """Clients of each protocol, streaming or not, get all of an answer or an error, and never a word too much."""
    asked = [(protocol, stream) for protocol in PROTOCOLS for stream in (True, False)]
    if fault in HEAVY:
        asked = [("openai-chat", True)]
    got = await asyncio.gather(*(house.ask(family, fault, *each) for each in asked))

    meant = expected_of(family)["text"]
    for (protocol, stream), answer in zip(asked, got, strict=True):
        found = outcome(protocol, answer, stream)
        if fault in ANSWERS:
            assert isinstance(found, Heard), answer.text
            assert found.answer.text == meant["text"]
            assert found.answer.reason == meant["reason"]
            assert [found.answer.prompt_tokens, found.answer.completion_tokens] == meant["usage"][:2]
        else:
            assert found == "error" or (fault == "garbage-inside" and found.answer.text == meant["text"])
            assert CANARY not in answer.text
            assert "Schroedinger" not in answer.text
        assert KEY not in answer.text
        assert KEY not in str(answer.headers)
    refused = [
        b"".join(each for each in answer.pieces if isinstance(each, bytes)) for answer in house.servers[family].refused
    ]
    assert refused == [], "each request is one that the documentation allows"


@in_its_loop
async def test_nothing_is_written_down(house: House) -> None:
    """After all that: no file of the daemon's holds the key or a word of the user's."""
    for fault in ("429-after", "garbage", "402"):
        for family in RECORDED:
            await house.ask(family, fault, "openai-chat", True)
    searched = 0
    for path in house.home.rglob("*"):
        if path.is_file():
            told = path.read_bytes()
            searched += 1
            assert KEY.encode() not in told, path
            assert b"Schroedinger" not in told, path
    assert searched > 3


# ---- the strict server itself, and what a daemon would wait too long for -------------------------------------------


TOOL: Final = Tool("look", "looks", {"type": "object", "properties": {}, "additionalProperties": False})
RICH: Final = replace(
    ASKED,
    messages=(Message("system", (Text("be brief"),)), Message("user", (Text(CANARY),))),
    sampling=Sampling(max_tokens=64, temperature=0.5, top_p=0.9),
    tools=(TOOL,),
    tool_choice="look",
    schema={
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    },
)


def provided(server: StrictProvider, http: Http, fault: str = "none", key: str = KEY) -> Any:
    return provider_of(server.family, http, target(server, fault), HeldKey(key))


def target(server: StrictProvider, fault: str = "none") -> Target:
    """As its vendor's row has it, which is stricter than most."""
    return Target("work", server.url_of(fault), Place.CLOUD, quirks=Quirks(reads_thoughts=False))


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("family", RECORDED)
async def test_what_is_asked_is_allowed(family: str, stream: bool) -> None:
    """A request with all that every family can be told is one of its documentation."""
    http = Http("1.2.3", Crossings())
    try:
        async with serving(StrictProvider(family, KEY)) as server:
            deltas = [
                delta
                async for delta in provided(server, http).stream(
                    cleared(replace(RICH, stream=stream)), "big", Crossings()
                )
            ]
            assert server.refused == []
            assert sum(isinstance(delta, Finish) for delta in deltas) == 1
    finally:
        await http.close()


@pytest.mark.parametrize("family", RECORDED)
async def test_what_is_not_allowed_is_refused(family: str) -> None:
    """The strict server sees an unknown field, a wrong type, a wrong path and a missing key: it is no empty promise."""
    told = server_of(family)
    body = FAMILIES[family].body(RICH, "big", target_at())
    path = f"{told.version}/{FAMILIES[family].path(RICH, 'big')}"
    headers = {"content-type": "application/json", told.key_header: told.key.format(key=KEY)}

    def status(body: bytes = body, path: str = path, **changed: str) -> int | None:
        named = {name.replace("_", "-"): value for name, value in changed.items()}
        answer = faults_of(Received("POST", path, {**headers, **named}, body, 0), family, KEY)
        return answer and answer.status

    assert status() is None
    assert status(body[:-1] + b',"no_such_field":1}') == 400
    assert status(body.replace(b'"temperature":0.5', b'"temperature":"warm"')) == 400
    assert status(b"[]") == 400
    assert status(path="/v1/nowhere") == 404
    assert status(**{told.key_header.replace("-", "_"): "wrong"}) == 401


def target_at() -> Target:
    return Target("work", "https://x.example/v1", Place.CLOUD)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("family", RECORDED)
async def test_silence(family: str, stream: bool) -> None:
    """Who says nothing for too long is gone."""
    http = Http("1.2.3", Crossings(), timeouts=Timeouts(1.0, 0.3, 0.3))
    try:
        async with serving(StrictProvider(family, KEY)) as server:
            with pytest.raises(Unreachable):
                asked = cleared(replace(ASKED, stream=stream))
                await fold(provided(server, http, "silence").stream(asked, "big", Crossings()))
    finally:
        await http.close()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate")
@pytest.mark.parametrize("family", RECORDED)
async def test_bad_tls(family: str, tmp_path: Path) -> None:
    """A certificate that nobody vouches for ends it before a word or the key is sent."""
    context: ssl.SSLContext
    context, _ = certificate(tmp_path / "tls")
    http = Http("1.2.3", Crossings())
    try:
        async with serving(StrictProvider(family, KEY), context) as server:
            with pytest.raises(ProviderError) as caught:
                await fold(provided(server, http).stream(cleared(ASKED), "big", Crossings()))
            assert server.requests == []
            assert KEY not in str(caught.value)
    finally:
        await http.close()


@pytest.mark.parametrize("family", RECORDED)
async def test_a_wrong_key(family: str) -> None:
    """It is told as such, and isn't said again."""
    http = Http("1.2.3", Crossings())
    try:
        async with serving(StrictProvider(family, KEY)) as server:
            with pytest.raises(ProviderError, match="key") as caught:
                await fold(provided(server, http, key="sk-wrong").stream(cleared(ASKED), "big", Crossings()))
            assert "sk-wrong" not in str(caught.value)
            assert Key("sk-wrong").reveal() in str(server.requests[0].headers)
    finally:
        await http.close()
