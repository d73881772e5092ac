"""Aider, which calls no tools: its edits stand in the answer's words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from tests.fakes.agents import GREETING, MENDED, Ended, House, house, installed
from tests.fakes.player import BUSY, FULL, Slowly, text
from tests.fakes.upstream import Answer, Cut, Pause, frames, said

pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("aider"),
]

WORDS: Final = ("--yes-always", "--no-check-update", "--analytics-disable", "--no-show-release-notes", "--message")
MESSAGE: Final = "fix: mend the greeting"


def whole(text: str) -> str:
    """A file in the form that Aider asks for from models that it doesn't know."""
    return f"Here is all of it.\n\nhello.py\n```\n{text}```\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def aided(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    installed("aider/bin/aider")
    async with house(tmp_path_factory.mktemp("house"), main=lambda body: True) as stands:
        await stands.connect("aider", "--context", "32000")
        yield stands


async def run(house: House, project: Path) -> Ended:
    return await house.run(installed("aider/bin/aider"), *WORDS, "Mend the spelling", "hello.py", within=project)


async def test_a_session(aided: House) -> None:
    """The file is as the answer says, and committed with the message that was asked for."""
    project = await aided.project()
    aided.player.play(whole(MENDED), MESSAGE)

    ended = await run(aided, project)

    assert ended.status == 0, ended.all
    assert (project / "hello.py").read_text(encoding="utf-8") == MENDED, ended.all
    assert (await aided.run("git", "log", "-1", "--format=%s", within=project)).output.strip() == MESSAGE
    first, second = aided.player.session
    assert any(GREETING in text(each["content"]) for each in first["messages"])
    assert '+    return "hello wörld ✓"' in second["messages"][-1]["content"]
    assert "Unknown context window" not in ended.all


async def test_a_provider_that_is_full(aided: House) -> None:
    """A 429, three 529 in a row and a silence are got over."""
    project = await aided.project()
    aided.player.play(FULL, BUSY, BUSY, BUSY, Slowly((Pause(5.5),), whole(MENDED)), MESSAGE)

    ended = await run(aided, project)

    assert ended.status == 0, ended.all
    assert (project / "hello.py").read_text(encoding="utf-8") == MENDED, ended.all


async def test_a_provider_that_breaks_off(aided: House) -> None:
    """Half an answer is asked for again, and changes no file."""
    project = await aided.project()
    half = Answer((*frames(said(whole(MENDED)[:-12]), done=False), Cut()))
    aided.player.play(half, whole(MENDED), MESSAGE)

    ended = await run(aided, project)

    assert ended.status == 0, ended.all
    assert (project / "hello.py").read_text(encoding="utf-8") == MENDED, ended.all
    assert len(aided.player.session) == 3
