"""A daemon that routes by a recipe: who answers, what leaves, and what the client is told of it."""

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
from tests.fakes.upstream import HELLO, Answer, Upstream, upstream

pytestmark = pytest.mark.slow

CHAT: Final = "/v1/chat/completions"
SETTINGS: Final = """
[routing]
recipe = "mine.dsl"
{routing}
[providers.work]
base_url = "{url}"
models = ["big"]
key = "{key}"
place = "{place}"
{provider}
"""
RECIPE: Final = """
SIGNAL keyword code { keywords: ["traceback", "C++"] }
SIGNAL pii personal {}
MODEL local {}
MODEL "work/big" {}
MODEL "far/away" {}
ROUTE private { TIER 1 WHEN pii("personal") MODEL "local" }
ROUTE code { TIER 2 WHEN keyword("code") MODEL "far/away", "work/big" }
ROUTE rest { MODEL "local" }
ENTRYPOINT { model_names: ["team/rest"] recipe: "plain" }
RECIPE plain { ROUTE any { MODEL "local" } }
"""


class House:
    """A daemon with a recipe and a provider."""

    def __init__(self, daemon: RunningDaemon, control: Client, client: httpx.AsyncClient, served: Upstream) -> None:
        self.daemon = daemon
        self.control = control
        self.client = client
        self.served = served

    async def ask(self, text: str, model: str = "auto", headers: dict[str, str] | None = None, **more: Any) -> Any:
        body = {"model": model, "messages": [{"role": "user", "content": text}], **more}
        return await self.client.post(CHAT, json=body, headers=headers)

    async def record(self, answer: httpx.Response) -> Any:
        return (await asyncio.to_thread(self.control.record, answer.headers["x-nearloop-record"])).record


@asynccontextmanager
async def house(
    folder: Path,
    *answers: Answer,
    recipe: str = RECIPE,
    routing: str = "",
    place: str = "device",
    provider: str = "",
) -> AsyncIterator[House]:
    async with upstream(*answers) as served:
        (folder / "home" / "config").mkdir(parents=True)
        (folder / "home" / "config" / "mine.dsl").write_text(recipe)
        settings = SCRIPTED.format(options="") + SETTINGS.format(
            url=served.url,
            routing=routing,
            place=place,
            provider=provider,
            key="none" if place == "device" else "env:NEARLOOP_TEST_KEY",
        )
        daemon = await asyncio.to_thread(RunningDaemon, folder / "home", settings, {"NEARLOOP_TEST_KEY": "x" * 20})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=30) as client:
                    yield House(daemon, control, client, served)
        finally:
            await asyncio.to_thread(daemon.stop)


async def test_a_recipe_chooses(tmp_path: Path) -> None:
    """`auto` goes where the recipe says; headers, record and `why` say which decision it was."""
    async with house(tmp_path, HELLO) as here:
        code = await here.ask("why this traceback?", headers={"x-vsr-debug": "true"})
        rest = await here.ask("hello")
        record = await here.record(code)

    assert code.json()["model"] == "work/big"
    assert rest.json()["model"] == "local/play"
    assert {name: value for name, value in code.headers.items() if name.startswith("x-vsr-")} == {
        "x-vsr-schema-version": "2",
        "x-vsr-response-path": "upstream",
        "x-vsr-selected-recipe": "default",
        "x-vsr-selected-decision": "code",
        "x-vsr-selected-algorithm": "static",
        "x-vsr-selected-model": "work/big",
        "x-vsr-replay-id": code.headers["x-nearloop-record"],
        "x-vsr-matched-keywords": "code",
        "x-vsr-context-token-count": code.headers["x-vsr-context-token-count"],
    }
    assert "x-vsr-matched-keywords" not in rest.headers
    assert record.decision.rule == "default/code"
    assert record.decision.route.notes == ("not-set-up",)
    assert record.decision.route.model == "work/big"
    told = " ".join(explain(record))
    assert "the recipe default took its decision code" in told
    assert "nobody of that name is set up" in told


async def test_names_without_the_recipe(tmp_path: Path) -> None:
    """Explicit names are answered as ever, without upstream's headers; a file's other recipes have their own names."""
    routing = 'names = { "gpt-*" = "team/rest" }'
    async with house(tmp_path, HELLO, routing=routing) as here:
        local = await here.ask("why this traceback?", "local")
        named = await here.ask("why this traceback?", "team/rest")
        program = await here.ask("why this traceback?", "gpt-4o")
        listed = (await here.client.get("/v1/models")).json()["data"]
        record = await here.record(program)

    assert local.json()["model"] == "local/play"
    assert not [name for name in local.headers if name.startswith("x-vsr-")]
    assert named.headers["x-vsr-selected-decision"] == program.headers["x-vsr-selected-decision"] == "any"
    assert record.model == "team/rest"  # what a program calls it is its own words
    assert "team/rest" in {model["id"] for model in listed}


async def test_a_recipe_that_cannot_be_used(tmp_path: Path) -> None:
    """The daemon says what is wrong instead of starting with another policy."""
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    (home / "config" / "mine.dsl").write_text("ROUTE rest { MODEL 5 }")
    settings = SCRIPTED.format(options="") + '[routing]\nrecipe = "mine.dsl"\n'

    try:
        await asyncio.to_thread(RunningDaemon, home, settings)
    except AssertionError as error:
        assert "mine.dsl" in str(error)
        assert "line 1" in str(error)
    else:
        raise AssertionError("it started")


PLUGINS: Final = """
SIGNAL keyword blocked { keywords: ["forbidden"] }
SIGNAL keyword cautious { keywords: ["careful"] }
MODEL "work/big" {}
ROUTE blocked { PRIORITY 2 WHEN keyword("blocked") PLUGIN fast_response { message: "Not here." } }
ROUTE careful {
  PRIORITY 1
  WHEN keyword("cautious")
  MODEL "work/big" (reasoning = true, effort = "high")
  PLUGIN system_prompt { system_prompt: "Mail ops.desk@analytical-engines.net if in doubt." }
  PLUGIN tools { mode: "none" }
  PLUGIN request_params { max_tokens_limit: 64 blocked_params: ["temperature"] }
  PLUGIN header_mutation { add: [{ name: "X-Lane", value: "careful" }, { name: "Authorization", value: "Bearer x" }] }
}
ROUTE rest { MODEL "work/big" }
"""
TOOL: Final = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


async def test_plugins(tmp_path: Path) -> None:
    """What a decision does to a request is in what the provider gets, and the client is told what was taken from it."""
    async with house(tmp_path, HELLO, recipe=PLUGINS, provider='reasoning = "effort"') as here:
        debug = {"x-vsr-debug": "true"}
        answer = await here.ask("be careful", headers=debug, tools=[TOOL], temperature=0.3, max_tokens=500)
        (received,) = here.served.requests
        record = await here.record(answer)

    assert answer.status_code == 200, answer.text
    assert received.json["messages"][0] == {
        "role": "system", "content": "Mail ops.desk@analytical-engines.net if in doubt."
    }  # fmt: skip
    assert "tools" not in received.json
    assert "temperature" not in received.json
    assert received.json["max_tokens"] == 64
    assert received.json["reasoning_effort"] == "high"
    assert received.headers["x-lane"] == "careful"
    assert "authorization" not in received.headers
    assert set(answer.headers["x-nearloop-ignored"].split(", ")) == {"temperature", "tools", "max_tokens"}
    assert answer.headers["x-vsr-selected-reasoning"] == "on"
    assert answer.headers["x-vsr-injected-system-prompt"] == "true"
    assert record.decision.route.plugins == ("request_params", "tools", "system_prompt", "header_mutation")


async def test_what_a_recipe_adds_is_looked_at_too(tmp_path: Path) -> None:
    """Its own words leave masked like the client's: the boundary judges what would leave, at its new places."""
    async with house(tmp_path, HELLO, recipe=PLUGINS, place="cloud") as here:
        token = (await asyncio.to_thread(here.control.add_client, "tests", None)).token
        headers = {"authorization": f"Bearer {token}"}
        answer = await here.ask("be careful with ada.byron@analytical-engines.net", headers=headers)
        (received,) = here.served.requests

    assert answer.headers["x-nearloop-egress"] == "masked"
    assert "analytical-engines" not in received.body.decode()
    assert received.json["messages"][1]["content"].startswith("be careful with ")


async def test_a_fixed_answer(tmp_path: Path) -> None:
    """Whole and streamed, with nobody asked."""
    async with house(tmp_path, HELLO, recipe=PLUGINS) as here:
        whole = await here.ask("this is forbidden")
        streamed = await here.ask("this is forbidden", stream=True)
        record = await here.record(whole)

        assert here.served.requests == []
    assert whole.json()["choices"][0]["message"]["content"] == "Not here."
    assert "Not here." in streamed.text
    assert whole.headers["x-vsr-response-path"] == "fast_response"
    assert whole.headers["x-vsr-fast-response"] == "true"
    assert (record.outcome, record.egress, record.attempts) == ("answered", "none", ())


async def test_vault_never_leaves(tmp_path: Path) -> None:
    """With an open policy and a client that may, the recipe's name alone keeps a request here."""
    async with house(tmp_path, HELLO, recipe=PLUGINS, place="cloud", routing='[policy]\nprivacy = "open"') as here:
        token = (await asyncio.to_thread(here.control.add_client, "tests", None)).token
        headers = {"authorization": f"Bearer {token}"}
        answer = await here.ask("prove it", "nearloop/vault", headers=headers)
        record = await here.record(answer)

        assert here.served.requests == []
    assert answer.json()["model"] == "local/play"
    assert answer.headers["x-vsr-selected-recipe"] == "vault"
    assert record.clearance.reach == "device"


async def test_ultra_takes_over_what_is_not_sure(tmp_path: Path) -> None:
    """A draft that isn't sure goes on to the strongest model, with a thought and a receipt; not for who has no token."""
    async with house(tmp_path, HELLO, recipe=PLUGINS, place="cloud", provider='reasoning = "effort"') as here:
        token = (await asyncio.to_thread(here.control.add_client, "tests", None)).token
        headers = {"authorization": f"Bearer {token}"}
        unsure = await here.ask("prove it", "nearloop/ultra", headers=headers, stream=True)
        record = await here.record(unsure)
        anonymous = await here.ask("prove it", "nearloop/ultra")
        (received,) = here.served.requests

    assert unsure.headers["x-vsr-response-path"] == "looper"
    assert unsure.headers["x-vsr-selected-model"] == "work/big"
    assert [attempt.passed for attempt in record.attempts] == [False, None]
    assert len(record.receipts) == 1
    assert received.json["reasoning_effort"] == "high"
    assert anonymous.json()["model"] == "local/play"


async def test_no_words_are_kept(tmp_path: Path) -> None:
    """Of what is asked, previewed or refused under a recipe, nothing stands in records, logs, versions or other files."""
    canary = "zq7canary"
    routing = 'names = { "gpt-*" = "auto" }'
    async with house(tmp_path, HELLO, HELLO, recipe=PLUGINS, routing=routing) as here:
        for said in (f"be careful {canary}", f"forbidden {canary}", canary):
            await here.ask(said, f"gpt-{canary}", headers={"x-vsr-debug": "true"})
        previewed = await here.client.post("/api/v1/eval?trace=true", json={"text": f"careful {canary}"})
        broken = await here.client.post("/api/v1/eval", json={"text": "x", "messages": canary})
        refused = await here.ask("hello", f"nobody/{canary}")
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]

    assert previewed.json()["routing_decision"] == "careful"
    assert canary not in previewed.text + broken.text + refused.text
    assert len(kept) > 3
    for path in kept:
        assert canary.encode() not in path.read_bytes(), path
