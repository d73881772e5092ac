"""What each provider may see: by its own rules, the client's and the project's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from daemon.cli.why import explain
from daemon.client import Client
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import HELLO, Answer, Upstream, as_json, upstream

pytestmark = pytest.mark.slow

CHAT: Final = "/v1/chat/completions"
ADDRESS: Final = "ada.quellbrunn@quellbrunn-werke.de"
SAID: Final = f"Write to {ADDRESS}"
SETTINGS: Final = """
[policy]
privacy = "balanced"
[signals]
deadline_s = 60
[routing]
recipe = "mine.dsl"
[providers.cheap]
base_url = "{cheap}"
models = ["small"]
key = "env:NEARLOOP_TEST_KEY"
privacy = "strict"
[providers.gateway]
base_url = "{gateway}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
classes = {{ EMAIL_ADDRESS = "allow" }}
[providers.plain]
base_url = "{plain}"
models = ["other"]
key = "env:NEARLOOP_TEST_KEY"
[projects.clinic]
privacy = "strict"
[projects.guarded]
classes = {{ EMAIL_ADDRESS = "mask" }}
"""
RECIPE: Final = """
SIGNAL keyword twice { keywords: ["twice"] }
MODEL local {}
MODEL "cheap/small" {}
MODEL "gateway/big" {}
MODEL "plain/other" {}
ROUTE twice { PRIORITY 2 WHEN keyword("twice") MODEL "cheap/small", "plain/other", "gateway/big" ALGORITHM confidence { threshold: 0.99 } }
ROUTE rest { PRIORITY 1 MODEL "cheap/small", "plain/other" }
"""


class House:
    """A daemon with three providers."""

    def __init__(self, daemon: RunningDaemon, control: Client, url: str, served: dict[str, Upstream]) -> None:
        self.daemon = daemon
        self.control = control
        self.served = served
        self._url = url
        self._tokens: dict[str, str] = {}

    async def ask(self, model: str, client: str = "tests", text: str = SAID, **headers: str) -> httpx.Response:
        if client not in {each.name for each in (await asyncio.to_thread(self.control.clients)).clients}:
            self._tokens[client] = (await asyncio.to_thread(self.control.add_client, client, None)).token
        sent = {
            "authorization": f"Bearer {self._tokens[client]}",
            **{n.replace("_", "-"): v for n, v in headers.items()},
        }
        body = {"model": model, "messages": [{"role": "user", "content": text}]}
        async with httpx.AsyncClient(base_url=self._url, trust_env=False, timeout=30) as http:
            return await http.post(CHAT, json=body, headers=sent)

    async def record(self, answer: httpx.Response) -> Any:
        return (await asyncio.to_thread(self.control.record, answer.headers["x-nearloop-record"])).record

    def saw(self, provider: str) -> bool:
        """Whether the address reached a provider."""
        return ADDRESS.encode() in bytes(self.served[provider].bytes)


@asynccontextmanager
async def house(folder: Path, plain: Answer = HELLO) -> AsyncIterator[House]:
    async with upstream(HELLO) as cheap, upstream(HELLO) as gateway, upstream(plain) as other:
        served = {"cheap": cheap, "gateway": gateway, "plain": other}
        (folder / "home" / "config").mkdir(parents=True)
        (folder / "home" / "config" / "mine.dsl").write_text(RECIPE)
        settings = SCRIPTED.format(options="") + SETTINGS.format(**{name: each.url for name, each in served.items()})
        key = {"NEARLOOP_TEST_KEY": "sk-of-the-tests-0123456789"}
        daemon = await asyncio.to_thread(RunningDaemon, folder / "home", settings, key)
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                yield House(daemon, control, daemon.url, served)
        finally:
            await asyncio.to_thread(daemon.stop)


async def test_each_provider_sees_what_it_may(tmp_path: Path) -> None:
    """A gateway gets the address, another an alias, a cheap one nothing; project and client tighten that; receipts say by what."""
    async with house(tmp_path) as here:
        assert (await here.ask("gateway/big")).headers["x-nearloop-egress"] == "open"
        assert (await here.ask("plain/other")).headers["x-nearloop-egress"] == "masked"
        refused = await here.ask("cheap/small")
        assert refused.status_code == 403
        assert "1 EMAIL_ADDRESS in messages[0].parts[0]" in refused.json()["error"]["message"]
        assert (here.saw("gateway"), here.saw("plain"), here.saw("cheap")) == (True, False, False)
        assert here.served["cheap"].requests == []

        claimed = await here.ask("gateway/big", x_nearloop_project="clinic")
        assert claimed.status_code == 403
        guarded = await here.ask("gateway/big", client="guarded")
        assert guarded.headers["x-nearloop-egress"] == "masked"
        (receipt,) = (await here.record(guarded)).receipts
        assert receipt.policy == "balanced: masked"


async def test_who_may_not_see_it_is_left_out(tmp_path: Path) -> None:
    """`auto` and recipes pass over a provider that may not see the request, and the explanation says whom and why."""
    async with house(tmp_path) as here:
        record = await here.record(await here.ask("auto"))
        assert [attempt.provider for attempt in record.attempts] == ["plain"]
        assert "private" in record.decision.route.notes
        told = "\n".join(explain(record))
        assert "For cheap: It had to stay on this machine" in told
        assert "others of its models may not see the request" in told


async def test_a_fall_back_crosses_no_clearance(tmp_path: Path) -> None:
    """After a provider that failed the next one gets the request as it may see it, and nobody else is asked."""
    full = as_json({"error": {"message": "slow down"}}, 429, retry_after="60")
    async with house(tmp_path, plain=full) as here:
        record = await here.record(await here.ask("auto", text=f"twice: {SAID}"))

        assert [(each.provider, each.outcome) for each in record.attempts] == [
            ("plain", "failed"),
            ("gateway", "answered"),
        ]
        assert (here.saw("gateway"), here.saw("plain")) == (True, False)
        assert here.served["cheap"].requests == []
        assert [receipt.policy for receipt in record.receipts] == ["balanced: masked", "balanced: open"]
        assert record.egress == "open"
