"""The user's own words, from the command to what leaves."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli.main import cli
from daemon.errors import BadRequest
from daemon.paths import Paths
from daemon.settings import Dictionary, SettingsFile
from tests.fakes.house import House, house
from tests.fakes.upstream import HELLO, Upstream

pytestmark = pytest.mark.slow


def nearloop(here: House[Upstream], *words: str) -> str:
    line = [sys.executable, "-m", "daemon.cli.main", "dictionary", *words]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, env=here.daemon.environment)
    return done.stdout + done.stderr


async def test_words_of_ones_own(tmp_path: Path) -> None:
    """A word that was added is masked from the next request on, in identifiers too; a harmless value is none any more; and
    what was removed leaves again.
    """
    text = "select * from falcon_ledger_2 where mail = 'info@tannhauser.io'"
    async with house(tmp_path, *[HELLO] * 4) as here:

        async def sent() -> str:
            answer = await here.ask(text)
            assert answer.status_code == 200, answer.text
            content: str = here.served.requests[-1].json["messages"][0]["content"]
            return content

        first = await sent()
        assert "falcon_ledger" in first
        assert "tannhauser" not in first

        assert await asyncio.to_thread(nearloop, here, "add", "falcon ledger") == "falcon ledger is known now\n"
        second = await sent()
        assert "falcon" not in second.lower()
        assert second.endswith(first[first.index("_2 where") :].split("'")[0] + second[second.index("'") :])

        await asyncio.to_thread(nearloop, here, "add", "INFO@tannhauser.io", "--as", "harmless")
        assert "'info@tannhauser.io'" in await sent()
        listed = await asyncio.to_thread(nearloop, here, "list")
        assert listed.split() == ["term", "falcon", "ledger", "harmless", "INFO@tannhauser.io"]

        await asyncio.to_thread(nearloop, here, "remove", "Falcon Ledger", "info@tannhauser.io")
        assert "falcon_ledger" in await sent()


def test_names_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`from-git` takes the names that remotes have, whatever their form, once; elsewhere it says what is missing."""
    monkeypatch.setenv("NEARLOOP_HOME", str(tmp_path / "home"))
    line = [sys.executable, "-m", "daemon.cli.main", "dictionary"]

    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run([*line, *words], capture_output=True, text=True, timeout=60, cwd=tmp_path)
        return done.returncode, done.stdout + done.stderr

    assert run("list") == (0, "no words yet: `nearloop dictionary add NAME` takes one in\n")
    repository = tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    assert run("from-git", str(repository))[0] == 1
    for name, url in (
        ("origin", "git@git.invalid:tannhauser/falcon-ledger.git"),
        ("two", "https://git.invalid/other/falcon-ledger/"),
    ):
        subprocess.run(["git", "-C", str(repository), "remote", "add", name, url], check=True)
    status, said = run("from-git", str(repository))
    assert status == 0
    assert said.startswith("tannhauser, falcon-ledger, other known now\n")
    assert said.count("everyday word") == said.count("warning: other is an everyday word") == 1
    assert run("list")[1].split() == ["term", "tannhauser", "term", "falcon-ledger", "term", "other"]
    assert run("from-git", str(tmp_path))[0] == 2
    assert run("remove", "nobody")[0] == 1
    assert run("add", "x")[0] == 2


@pytest.mark.parametrize("word", ["\u200b", " ", "a", "я", "\u00a0", "--", "", "a\u200bb", "x" * 201])
def test_what_is_no_word(word: str, where: Paths) -> None:
    """Blanks, what nobody sees, one letter, and what is too long are refused, with what a word has."""
    done = CliRunner().invoke(cli, ["dictionary", "add", "--", word])

    assert isinstance(done.exception, BadRequest)
    assert "two letters or digits" in str(done.exception)
    assert not where.settings.exists()


def test_everyday_words_are_taken_with_a_warning(where: Paths) -> None:
    """It says what follows and how to take it back; a name and a harmless value have none."""
    for words, warned in ((["the"], True), (["falcon", "王"], False), (["table", "--as", "harmless"], False)):
        done = CliRunner().invoke(cli, ["dictionary", "add", *words])
        assert done.exit_code == 0, done.output
        assert ("is an everyday word" in done.stderr) is warned
    assert "`nearloop dictionary remove the`" in CliRunner().invoke(cli, ["dictionary", "add", "the"]).stderr
    assert SettingsFile(where.settings).settings.dictionary == Dictionary(
        terms=("the", "falcon", "王"), harmless=("table",)
    )
