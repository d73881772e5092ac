"""A daemon with a provider, a client that may ask it, and the command line: the whole way, for one test."""

from __future__ import annotations

import asyncio
import os
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import httpx

from daemon.client import Client
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import Answer, Upstream, serving

CHAT: Final = "/v1/chat/completions"
KEY: Final = "sk-live-" + "9f8e7d6c5b4a39281706"
"""The provider's, in the environment."""
_SETTINGS: Final = """
[policy]
patience_s = {patience}
head_start_s = {head_start}  # a busy machine drafts as long as it takes
{policy}
[providers.work]
{wire}
base_url = "{url}"
models = ["{model}"]
key = "env:NEARLOOP_TEST_KEY"
{row}
[signals]
deadline_s = 60.0  # a busy machine looks as long as it takes
"""
Served = TypeVar("Served", bound=Upstream)


class House(Generic[Served]):
    """All of it. control: with the admin's token. client: with one that may ask the cloud. served: the provider."""

    def __init__(self, daemon: RunningDaemon, control: Client, client: httpx.AsyncClient, served: Served) -> None:
        self.daemon = daemon
        self.control = control
        self.client = client
        self.served = served

    async def ask(self, text: str, model: str = "cloud", **more: Any) -> httpx.Response:
        """A question in Chat Completions."""
        body = {"model": model, "messages": [{"role": "user", "content": text}], **more}
        return await self.client.post(CHAT, json=body)

    async def record(self, answer: httpx.Response) -> Any:
        """Of an answer."""
        return (await asyncio.to_thread(self.control.record, answer.headers["x-nearloop-record"])).record

    async def nearloop(self, *args: str, check: int = 0, **environment: str) -> str:
        """A command with this daemon's files."""
        return await asyncio.to_thread(nearloop, self.daemon.home, *args, check=check, **environment)


def nearloop(home: Path, *args: str, check: int = 0, **environment: str) -> str:
    """Run the command to its end and return what it said. check: its exit status."""
    done = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", *args],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "NEARLOOP_HOME": str(home), "NEARLOOP_TEST_KEY": KEY, **environment},
    )
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout + done.stderr


@asynccontextmanager
async def house(
    folder: Path,
    *answers: Answer,
    tls: ssl.SSLContext | None = None,
    patience: float = 20.0,
    model: str = "big",
    extra: str = "",
    policy: str = "",
    options: str = "",
    head_start: float = 20.0,
    wire: str = "openai-chat",
    row: str = "",
    **environment: str,
) -> AsyncIterator[House[Upstream]]:
    """One whose provider gives these answers. model: the provider's. extra: settings. policy: lines of [policy]. options: of
    the scripted engine. wire: the provider's protocol. row: further lines of the provider.
    """
    served = Upstream(*answers)
    async with house_of(
        served, folder, tls, patience, model, extra, policy, options, head_start, wire, row, **environment
    ) as here:
        yield here


@asynccontextmanager
async def house_of(
    provider: Served,
    folder: Path,
    tls: ssl.SSLContext | None = None,
    patience: float = 20.0,
    model: str = "big",
    extra: str = "",
    policy: str = "",
    options: str = "",
    head_start: float = 20.0,
    wire: str = "openai-chat",
    row: str = "",
    **environment: str,
) -> AsyncIterator[House[Served]]:
    """One with a provider of one's own. row: lines of its row in the settings."""
    async with serving(provider, tls) as served:
        settings = (
            SCRIPTED.format(options=options)
            + _SETTINGS.format(
                url=served.url,
                patience=patience,
                head_start=head_start,
                model=model,
                policy=policy,
                wire="" if "wire = " in row else f'wire = "{wire}"',
                row=row,
            )
            + extra
        )
        daemon = await asyncio.to_thread(
            RunningDaemon, folder / "home", settings, {**environment, "NEARLOOP_TEST_KEY": KEY}
        )
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
                headers = {"authorization": f"Bearer {token}"}
                async with httpx.AsyncClient(
                    base_url=daemon.url, headers=headers, trust_env=False, timeout=60
                ) as client:
                    yield House(daemon, control, client, served)
        finally:
            if daemon.process.poll() is None:
                await asyncio.to_thread(daemon.stop)


async def arrived(here: House[Served], count: int) -> None:
    """Until the provider has so many requests."""
    async with asyncio.timeout(20):
        while len(here.served.requests) < count:
            await asyncio.sleep(0.01)
