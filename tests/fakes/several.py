"""A daemon whose recipe asks several models of a provider's server, which answers by model and by what it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from daemon.client import Client
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import USAGE, Answer, Received, Upstream, frames, said, serving

SETTINGS = """
[routing]
recipe = "mine.dsl"
[providers.work]
base_url = "{url}"
models = ["a", "b", "c"]
key = "env:NEARLOOP_TEST_KEY"
[signals]
deadline_s = 60.0  # a busy machine looks as long as it takes
{more}
"""
Speaks = Callable[[str, str, dict[str, Any]], str | Answer]
"""From the model's name, the last turn's words and the whole body to what it says."""


def words(text: str, reason: str = "stop") -> Answer:
    """A streamed answer."""
    return Answer(frames(said(text), said("", reason), USAGE))


def called(name: str, arguments: str) -> Answer:
    """A streamed call of a tool."""
    call = {"index": 0, "id": "call_theirs", "type": "function", "function": {"name": name, "arguments": arguments}}
    delta = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
    return Answer(frames(delta, said("", "tool_calls"), USAGE))


class Models(Upstream):
    """Each request is answered by `speaks`."""

    def __init__(self, speaks: Speaks) -> None:
        super().__init__()
        self._speaks = speaks

    def choose(self, request: Received) -> Answer:
        body = request.json
        answer = self._speaks(body["model"], words_of(body["messages"][-1]), body)
        return answer if isinstance(answer, Answer) else words(answer)


def words_of(message: dict[str, Any]) -> str:
    """Of one turn on the wire."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class Several:
    """The daemon, and what reaches it."""

    def __init__(self, daemon: RunningDaemon, control: Client, http: httpx.AsyncClient, models: Models) -> None:
        self.daemon = daemon
        self.control = control
        self.http = http
        self.models = models

    async def ask(self, text: str, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
        body = {"model": "auto", "messages": [{"role": "user", "content": text}], **more}
        return await self.http.post("/v1/chat/completions", json=body, headers=headers or {})

    async def record(self, answer: httpx.Response) -> Any:
        return (await asyncio.to_thread(self.control.record, answer.headers["x-nearloop-record"])).record


def spoken(text: str) -> str:
    """What has the local model say a text that no signal can read in it."""
    digits = text.encode().hex()
    return f"[[bytes={'.'.join(digits[at : at + 3] for at in range(0, len(digits), 3))}]]"


def content(answer: httpx.Response) -> str:
    """The words of a whole answer."""
    assert answer.status_code == 200, answer.text
    said: str = answer.json()["choices"][0]["message"]["content"]
    return said


@asynccontextmanager
async def several(folder: Path, recipe: str, speaks: Speaks, more: str = "") -> AsyncIterator[Several]:
    """recipe: in the language. more: of settings.toml, with the server's address at `{url}`."""
    async with serving(Models(speaks)) as served:
        home = folder / "home"
        (home / "config").mkdir(parents=True)
        (home / "config" / "mine.dsl").write_text(recipe)
        settings = SCRIPTED.format(options="") + SETTINGS.format(url=served.url, more=more.replace("{url}", served.url))
        daemon = await asyncio.to_thread(RunningDaemon, home, settings, {"NEARLOOP_TEST_KEY": "sk-test-1"})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
                headers = {"authorization": f"Bearer {token}"}
                async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=60) as http:
                    yield Several(daemon, control, http, served)
        finally:
            await asyncio.to_thread(daemon.stop)
