"""Coding agents that call tools, each through whole sessions: what they were told to do is done, and nothing is lost on the way."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from tests.fakes.agents import GREETING, MENDED, NOTES, Ended, House, house, installed
from tests.fakes.coding_agents import AGENTS, Agent
from tests.fakes.player import BUSY, FULL, Body, Calls, Player, Slowly, Turn, call_id, calls, text
from tests.fakes.upstream import Answer, Cut, Pause, frames, said

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

OLD, NEW = GREETING.splitlines()[1], MENDED.splitlines()[1]
DONE: Final = "All of it is done — ✓."
ASKED: Final = "Mend the spelling in hello.py, as notes.txt says"
QUIET_S: Final = 5.5
"""Longer than the daemon waits before it sends a heartbeat."""


class Bench:
    """One agent in its house."""

    def __init__(self, agent: Agent, house: House) -> None:
        self.agent = agent
        self.house = house
        self.player: Player = house.player
        self._program = installed(agent.program)

    async def begin(self, project: Path, *turns: Turn, asked: str = ASKED) -> Ended:
        """A session from its beginning; `turns` are the model's."""
        self.player.play(*turns)
        return await self._run(self.agent.words, project, asked)

    async def go_on(self, project: Path, *turns: Turn, after: int, asked: str) -> Ended:
        """The project's last session, of which the model has taken turns before."""
        self.player.play(*turns, after=after)
        return await self._run(self.agent.again, project, asked)

    async def _run(self, words: tuple[str, ...], project: Path, asked: str) -> Ended:
        return await self.house.run(self._program, *words, asked, within=project, **self.agent.quiet)

    def reading(self, *files: Path) -> Calls:
        """All of them at once."""
        return calls(*map(self.agent.read, files), said="I look at them first.", thought="Which files? Both.")

    def mending(self, project: Path) -> Calls:
        return calls(self.agent.edit(project / "hello.py", OLD, NEW))


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in AGENTS],
)
async def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    agent = AGENTS[request.param]
    installed(agent.program)
    async with house(tmp_path_factory.mktemp("house")) as stands:
        await stands.connect(agent.client, "--context", "120000")
        yield Bench(agent, stands)


def holds(result: str, file: str) -> bool:
    """Whether each line of a file is in a tool's result; agents number them."""
    return all(line.strip() in result for line in file.splitlines())


def made(told: list[Body]) -> list[Body]:
    """The calls in a conversation, in order."""
    return [call for each in told if each["role"] == "assistant" for call in each.get("tool_calls") or ()]


async def test_a_session(bench: Bench) -> None:
    """Two files are read at once and one is changed: the file is as told, and calls and results came back as they were made."""
    project = await bench.house.project()
    reading, mending = bench.reading(project / "hello.py", project / "notes.txt"), bench.mending(project)
    before = len(await bench.house.records())

    ended = await bench.begin(project, reading, mending, DONE)

    assert ended.status == 0, ended.all
    assert DONE in ended.output, ended.all
    assert (project / "hello.py").read_text(encoding="utf-8") == MENDED, ended.all
    assert (project / "notes.txt").read_text(encoding="utf-8") == NOTES
    assert len(bench.player.session) == 3
    results = bench.player.results
    assert holds(results[call_id(0, 0)], GREETING)
    assert holds(results[call_id(0, 1)], NOTES)
    assert set(results) == {call_id(0, 0), call_id(0, 1), call_id(1)}  # those of one turn may be done in any order
    for call, written in zip((*reading.calls, *mending.calls), made(bench.player.told), strict=True):
        assert written["function"]["name"] == call.name
        assert json.loads(written["function"]["arguments"]).items() >= call.arguments.items()
    records = (await bench.house.records())[before:]
    assert {(record.outcome, record.egress) for record in records} <= {("answered", "open"), ("answered", "masked")}
    assert {record.client for record in records} == {bench.agent.client}
    assert len({record.session for record in records}) == 1
    assert (records[-1].session is not None) == bench.agent.session


async def test_a_provider_that_is_full(bench: Bench) -> None:
    """A 429, four 529 in a row and a silence in the midst are got over: some by the daemon, the others by the agent."""
    project = await bench.house.project()
    turns = (bench.reading(project / "hello.py"), FULL, BUSY, BUSY, BUSY, bench.mending(project))

    ended = await bench.begin(project, *turns, Slowly((Pause(QUIET_S),), DONE))

    assert ended.status == 0, ended.all
    assert DONE in ended.output, ended.all
    assert (project / "hello.py").read_text(encoding="utf-8") == MENDED, ended.all
    assert len(bench.player.session) == 7
    assert list(bench.player.results) == [call_id(0), call_id(5)]


async def test_a_provider_that_breaks_off(bench: Bench) -> None:
    """An answer that breaks off is asked for again, and the session goes on; or the agent says so, and fails."""
    project = await bench.house.project()
    half = Answer((*frames(said("I now mend "), done=False), Cut()))

    ended = await bench.begin(project, bench.reading(project / "hello.py"), half, bench.mending(project), DONE)

    assert (ended.status == 0) == bench.agent.mends, ended.all
    assert ((project / "hello.py").read_text(encoding="utf-8") == MENDED) == bench.agent.mends, ended.all
    assert bench.agent.mends or "went away in mid-answer" in ended.errors


async def test_going_on(bench: Bench) -> None:
    """A session that goes on later has all of what was said, called and answered before."""
    project = await bench.house.project()
    await bench.begin(project, bench.reading(project / "hello.py"), "It says helo.")

    ended = await bench.go_on(project, bench.mending(project), DONE, after=2, asked="Then mend it")

    assert ended.status == 0, ended.all
    assert (project / "hello.py").read_text(encoding="utf-8") == MENDED, ended.all
    words = [text(each["content"]) for each in bench.player.told]
    assert any(ASKED in each for each in words)
    assert any("It says helo." in each for each in words)
    assert any("Then mend it" in each for each in words)
    assert holds(bench.player.results[call_id(0)], GREETING)


async def test_what_a_file_holds_stays_here(bench: Bench) -> None:
    """An e-mail address in a file that the agent reads is masked on its way, and stands in the file that it writes."""
    address = "ada.quellbrunn@mail.quellbrunn-werke.de"
    project = await bench.house.project(contact__txt=f"write to {address}\n")

    def answers_in_kind(body: Body) -> Turn:
        results = [text(each["content"]) for each in body["messages"] if each["role"] == "tool"]
        masked = next(line for line in results[-1].splitlines() if "write to " in line).partition("write to ")[2]
        return calls(bench.agent.edit(project / "hello.py", OLD, f'    return "{masked.strip()}"'))

    ended = await bench.begin(
        project, bench.reading(project / "contact.txt"), answers_in_kind, DONE, asked="Greet our contact"
    )

    assert ended.status == 0, ended.all
    assert (project / "hello.py").read_text() == GREETING.replace(OLD, f'    return "{address}"'), ended.all
    assert b"quellbrunn" not in bytes(bench.player.bytes)
