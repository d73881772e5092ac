"""Agents as their makers publish them, run on a project of ours against a daemon behind which a session is played.

They are set up by `nearloop connect` alone, in a home that holds nothing else.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Struct

from daemon.wire import Record
from tests.fakes.player import Player
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import serving

MUST: Final = "NEARLOOP_AGENTS"
"""The folder in which `.ci/run` installed the agents; where it is set, they have to be there."""
ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = Path(os.environ.get(MUST) or ROOT / ".ci-venv" / "agents").absolute()
LIMIT_S: Final = 240.0
"""The longest that one run of an agent may take; the slowest took 85 s on two cores with ten others at each."""

GREETING: Final = 'def hello():\n    return "helo wörld"\n'
MENDED: Final = 'def hello():\n    return "hello wörld ✓"\n'
NOTES: Final = 'keep in mind: ünïcode ✓\n\ttabs, \\ and "quotes"\n'

SETTINGS: Final = """
[policy]
privacy = "{privacy}"
{policy}
[providers.work]
base_url = "{url}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
reasoning = "effort"
"""
SMALL: Final = "context=8"
"""A local model into which no agent's prompt fits, so that `auto` asks the cloud after it."""


def installed(path: str) -> str:
    """A program of an agent's, else the test is skipped; or fails, where it has to be there."""
    found = FOLDER / path
    if not found.exists():
        said = f"{found} is not there: .ci/run installs it (see docs/clients.md)"
        pytest.fail(said) if os.environ.get(MUST) else pytest.skip(said)
    return str(found)


class Ended(Struct, frozen=True):
    """How a run ended."""

    status: int
    output: str
    errors: str

    @property
    def all(self) -> str:
        """Everything that it said."""
        return f"status {self.status}\n{self.output}\n{self.errors}"


class House:
    """A daemon, the provider behind it, and a user's home in which clients are connected."""

    def __init__(self, folder: Path, daemon: RunningDaemon, player: Player) -> None:
        self.daemon = daemon
        self.player = player
        self.home = folder / "user"
        self.home.mkdir()
        self._projects = 0
        self._environment = {
            **{name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TZ", "TMPDIR")},
            "HOME": str(self.home),
            "NEARLOOP_HOME": str(daemon.home),
            "TERM": "dumb",
            "GIT_AUTHOR_NAME": "u",
            "GIT_AUTHOR_EMAIL": "u@example.invalid",
            "GIT_COMMITTER_NAME": "u",
            "GIT_COMMITTER_EMAIL": "u@example.invalid",
        }

    async def run(self, *command: str, within: Path | None = None, **environment: str) -> Ended:
        """Run a program to its end, with an empty standard input."""
        return await asyncio.to_thread(self._run, command, within or self.home, environment)

    def _run(self, command: tuple[str, ...], within: Path, environment: Mapping[str, str]) -> Ended:
        done = subprocess.run(
            command,
            cwd=within,
            env={**self._environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
        )
        return Ended(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    async def connect(self, client: str, *words: str) -> None:
        """As a user does it."""
        ended = await self.run(sys.executable, "-m", "daemon.cli.main", "connect", client, "--yes", *words, within=ROOT)
        assert ended.status == 0, ended.all

    async def project(self, **more: str) -> Path:
        """A repository with two files and those that are named besides, their dots written as `__`.

        Its path holds no name, as those of tests do: `claude` is a person's, and would be masked.
        """
        self._projects += 1
        folder = self.home / "work" / str(self._projects)
        files = {
            "hello.py": GREETING,
            "notes.txt": NOTES,
            **{name.replace("__", "."): said for name, said in more.items()},
        }
        folder.mkdir(parents=True)
        for name, said in files.items():
            (folder / name).write_text(said, encoding="utf-8")
        for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "start")):
            ended = await self.run("git", *words, within=folder)
            assert ended.status == 0, ended.all
        return folder

    async def token(self, name: str) -> str:
        """Of a client that is no program of its own."""
        with self.daemon.client() as control:
            return (await asyncio.to_thread(control.add_client, name, None)).token

    async def records(self) -> list[Record]:
        """All that the daemon answered, the oldest first."""
        return await asyncio.to_thread(self._records)

    def _records(self) -> list[Record]:
        with self.daemon.client() as control:
            listed = control.records(None, 200).records
            return [control.record(each.id).record for each in reversed(listed)]


@asynccontextmanager
async def house(
    folder: Path, options: str = SMALL, privacy: str = "balanced", policy: str = "", extra: str = "", **player: Any
) -> AsyncIterator[House]:
    """It stands meanwhile. options: of the scripted engine. policy: more lines of it. extra: more settings. player: how sessions are told."""
    async with serving(Player(**player)) as played:
        settings = (
            SCRIPTED.format(options=options) + SETTINGS.format(url=played.url, privacy=privacy, policy=policy) + extra
        )
        key = {"NEARLOOP_TEST_KEY": "sk-of-the-tests-0123456789"}
        daemon = await asyncio.to_thread(RunningDaemon, folder / "nearloop", settings, key)
        try:
            await asyncio.to_thread(daemon.wait_ready)
            yield House(folder, daemon, played)
        finally:
            await asyncio.to_thread(daemon.stop)
