"""A request that has to stay and can't be answered here ends an agent's run with the way out, and is not asked over and over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from daemon.wire import Record
from tests.fakes.agents import Ended, House, house, installed
from tests.fakes.coding_agents import AGENTS, Agent
from tests.fakes.player import calls

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

KEY: Final = "sk-proj-" + "Zr8mQ2vT5xWk9LpN4bHs7JdF"
ADDRESS: Final = "ada.quellbrunn@quellbrunn-werke.de"
POLICY: Final = """
ask_s = 7.0
[policy.classes]
secret = "device"
EMAIL_ADDRESS = "ask"
"""
"""The wait is longer than the daemon takes to begin a stream, so that the refusal comes in its midst."""
PATIENT: Final = """
[signals]
deadline_s = 60
"""
"""On a busy machine the first look of the models is late otherwise, which is a block as well, and another one."""
MOST: Final = 6
"""Requests of a run that may be refused. Claude Code 2.1.332 was seen to ask four or five times for a turn that is refused, and six
where that comes in a stream's midst, since it then asks without streaming too; Codex 0.171.0, OpenCode 1.18.33 and llm 0.36 once.
"""
ONCE: Final = frozenset({"codex", "opencode", "llm"})


class Bench:
    """One agent, connected so that it asks for the cloud by name."""

    def __init__(self, agent: Agent, house: House) -> None:
        self.agent = agent
        self.house = house
        self.most = 1 if agent.client in ONCE else MOST

    async def run(self, project: Path, asked: str) -> tuple[Ended, list[Record]]:
        """How it ended, and the records of what was refused."""
        before = len(await self.house.records())
        program = installed(self.agent.program)
        words = [word.replace("nearloop/auto", "nearloop/cloud") for word in self.agent.words]
        ended = await self.house.run(program, *words, asked, within=project, **self.agent.quiet)
        records = (await self.house.records())[before:]
        return ended, [record for record in records if record.error == "Private"]


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in AGENTS],
)
async def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    agent = AGENTS[request.param]
    installed(agent.program)
    async with house(tmp_path_factory.mktemp("house"), privacy="open", policy=POLICY, extra=PATIENT) as stands:
        await stands.connect(agent.client, "--context", "120000", "--model", "cloud")
        yield Bench(agent, stands)


async def test_a_block_in_the_midst(bench: Bench) -> None:
    """A file with a key was read, and the key may not leave: the run ends with the command that lets it, after few requests."""
    project = await bench.house.project(deploy__txt=f"OPENAI_API_KEY={KEY}\n")
    bench.house.player.play(calls(bench.agent.read(project / "deploy.txt")), "never said")

    ended, refused = await bench.run(project, "Look at deploy.txt")

    assert 1 <= len(refused) <= bench.most, ended.all
    assert any(f"nearloop allow {record.id} --once" in ended.all for record in refused), ended.all
    assert KEY.encode() not in bytes(bench.house.player.bytes)


async def test_nobody_answers(bench: Bench) -> None:
    """The user was to be asked and nobody was there: the same, though the refusal comes when the stream has begun."""
    project = await bench.house.project(contact__txt=f"write to {ADDRESS}\n")
    bench.house.player.play(calls(bench.agent.read(project / "contact.txt")), "never said")

    ended, refused = await bench.run(project, "Look at contact.txt")

    assert 1 <= len(refused) <= bench.most, ended.all
    assert any(f"nearloop allow {record.id} --once" in ended.all for record in refused), ended.all
    assert sum(record.asked[0].waited_s > 1 for record in refused) == 1  # nobody waits again for the same
    assert ADDRESS.encode() not in bytes(bench.house.player.bytes)
