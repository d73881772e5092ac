"""`nearloop connect` from an empty home, with a daemon and without."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli import connect as command
from daemon.cli.main import cli, exit_status
from daemon.client import Rejected
from daemon.errors import NearloopError
from tests.fakes.running import SCRIPTED, RunningDaemon, running

ASK = {"model": "local", "messages": [{"role": "user", "content": "hello you"}]}


class Shell:
    """A user's home, and the command in it."""

    def __init__(self, folder: Path, nearloop_home: Path) -> None:
        self.home = folder
        self._environment = {"HOME": str(folder), "NEARLOOP_HOME": str(nearloop_home), "XDG_CONFIG_HOME": None}

    def connect(self, *words: str, check: int = 0) -> str:
        """Run it, and return all that it said."""
        done = CliRunner().invoke(cli, ["connect", *words], env=self._environment)
        status, said = done.exit_code, done.output
        if isinstance(done.exception, NearloopError):
            status, said = exit_status(done.exception), f"{said}{done.exception}\n"
        assert status == check, said
        return said


def test_without_a_daemon(tmp_path: Path) -> None:
    """A diff is shown, nothing is done without a yes, everything is listed, and all of it can be taken back."""
    user = Shell(tmp_path / "user", tmp_path / "nearloop")
    user.home.mkdir()
    settings = user.home / ".config" / "zed" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{\n  "theme": "x" // mine\n}\n')

    shown = user.connect("zed", check=2)
    assert '+  "language_models": {' in shown
    assert "--yes" in shown
    assert not (tmp_path / "nearloop" / "config").exists()

    said = user.connect("zed", "--yes")
    assert "API key: nl_" in said
    assert "http://127.0.0.1:6327/v1" in settings.read_text()
    assert "connected to http://127.0.0.1:6327, as zed" in user.connect("--list")
    assert "connected already" in user.connect("zed")

    settings.write_text(settings.read_text().replace('"x"', '"y"'))
    refused = user.connect("zed", "--undo", check=1)
    assert '+  "theme": "y", // mine' in refused
    assert "was changed since" in refused
    settings.write_text(settings.read_text().replace('"y"', '"x"'))
    user.connect("zed", "--undo")
    assert settings.read_text() == '{\n  "theme": "x" // mine\n}\n'
    assert list(settings.parent.iterdir()) == [settings]
    assert "as zed" not in user.connect("--list")


def test_what_is_told_when_it_cant_be_done(tmp_path: Path) -> None:
    """An unknown client, a client without files, a broken file, nothing to undo."""
    user = Shell(tmp_path / "user", tmp_path / "nearloop")
    user.home.mkdir()
    (user.home / ".aider.conf.yml").write_text("model: [x\n")

    assert "no client known here" in user.connect("emacs", check=2)
    assert "in no file" in user.connect("cline", "--file", "x", check=1)
    assert "line 2: " in user.connect("aider", "--yes", check=1)
    assert "nothing to undo" in user.connect("zed", "--undo", check=1)
    assert list(user.home.iterdir()) == [user.home / ".aider.conf.yml"]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    with running(tmp_path_factory.mktemp("home")) as daemon:
        yield daemon


def test_a_token_that_works(daemon: RunningDaemon, tmp_path: Path) -> None:
    """The client is told the port of the daemon that runs and its window; its token works at once, and no longer after undo."""
    user = Shell(tmp_path, daemon.home)

    said = user.connect("llm", "--yes", "--model", "local")

    folder = user.home / ".config" / "io.datasette.llm"
    token = json.loads((folder / "keys.json").read_text())["nearloop"]
    assert "now, where the settings say 6327" in said
    assert f"api_base: {daemon.url}/v1" in (folder / "extra-openai-models.yaml").read_text()
    with daemon.http(headers={"authorization": f"Bearer {token}"}) as client:
        assert client.post("/v1/chat/completions", json=ASK).status_code == 200
        user.connect("llm", "--undo")
        assert client.post("/v1/chat/completions", json=ASK).status_code == 401
    assert not folder.exists()


def test_variables_for_a_shell(daemon: RunningDaemon, tmp_path: Path) -> None:
    """They can be evaluated as they come, and are the same each time."""
    user = Shell(tmp_path, daemon.home)

    lines = user.connect("env", "--shell", "sh")
    values = dict(line.removeprefix("export ").split("=", 1) for line in lines.splitlines())

    assert values["OPENAI_BASE_URL"] == f"{daemon.url}/v1"
    assert values["ANTHROPIC_BASE_URL"] == daemon.url
    assert user.connect("env", "--shell", "sh") == lines
    with daemon.http(headers={"authorization": f"Bearer {values['OPENAI_API_KEY']}"}) as client:
        assert client.post("/v1/chat/completions", json=ASK).status_code == 200
    assert "no longer valid" in user.connect("env", "--undo")


def test_on_a_terminal(daemon: RunningDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks; no is no."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("NEARLOOP_HOME", str(daemon.home))
    monkeypatch.setattr(command, "_is_terminal", lambda: True)

    done = CliRunner().invoke(command.connect, ["vscode"], input="n\n")
    assert "nothing was changed" in done.output
    assert list(tmp_path.iterdir()) == []
    done = CliRunner().invoke(command.connect, ["vscode"], input="\n")
    assert "made " in done.output
    assert (tmp_path / ".config" / "Code" / "User" / "chatLanguageModels.json").stat().st_mode & 0o777 == 0o600
    assert "gone again" in CliRunner().invoke(command.connect, ["vscode", "--undo"]).output
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    """It shows what would change; where nothing would be changed by a command, it has nothing to show."""
    user = Shell(tmp_path / "user", tmp_path / "nearloop")
    user.home.mkdir()

    assert "will be made" in user.connect("zed", "--dry-run")
    assert list(user.home.rglob("*")) == []
    for words in (("zed", "--undo"), ("--list",), ("env",)):
        assert "name one" in user.connect(*words, "--dry-run", check=2)


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningDaemon, Path]]:
    """A daemon whose user has a home of their own."""
    folder = tmp_path_factory.mktemp("theirs")
    (user := folder / "user").mkdir()
    environment = {"HOME": str(user), "XDG_CONFIG_HOME": str(user / ".config")}
    daemon = RunningDaemon(folder / "home", SCRIPTED.format(options=""), environment)
    try:
        daemon.wait_ready()
        yield daemon, user
    finally:
        daemon.stop()


def test_the_daemon_connects(theirs: tuple[RunningDaemon, Path]) -> None:
    """By the control API: what would change is told without a token, doing it makes one that works, and undoing brings all back
    to the byte.
    """
    daemon, user = theirs
    settings = user / ".config" / "zed" / "settings.json"
    settings.parent.mkdir(parents=True)
    before = '{\n  "theme": "x" // mine\n}\n'
    settings.write_text(before)
    with daemon.client() as client:
        plan = client.connect_plan("zed")
        assert [(each.path, each.made) for each in plan.files] == [(str(settings), False)]
        assert '+  "language_models": {' in plan.files[0].diff
        assert (plan.makes_token, plan.token, plan.url) == (True, "zed", daemon.url)
        assert "nl_" not in repr(plan)
        assert settings.read_text() == before

        settings.write_text(before.replace('"x"', '"y"'))
        with pytest.raises(Rejected, match="not what was shown any more"):
            client.connect_program("zed", plan.digest)
        assert settings.read_text() == before.replace('"x"', '"y"')
        settings.write_text(before)
        done = client.connect_program("zed", client.connect_plan("zed").digest)
        assert done.files == (str(settings),)
        token = re.findall(r"nl_[A-Za-z0-9_-]{43}", repr(done.steps))[0]
        assert f"{daemon.url}/v1" in settings.read_text()
        assert token not in settings.read_text()
        assert {each.name: each.token for each in client.programs()}["zed"] == "zed"
        again = client.connect_plan("zed")
        assert (again.files, again.makes_token) == ((), False)
        assert token not in repr(again)
        with daemon.http(headers={"authorization": f"Bearer {token}"}) as http:
            assert http.post("/v1/chat/completions", json=ASK).status_code == 200
            assert client.undo_connection("zed").restored == (str(settings),)
            assert http.post("/v1/chat/completions", json=ASK).status_code == 401
        assert settings.read_text() == before
        assert list(settings.parent.iterdir()) == [settings]
        assert token not in daemon.log.read_text()


def test_what_the_daemon_wont_connect(theirs: tuple[RunningDaemon, Path]) -> None:
    """Unknown programs, options in place of a name, variables for a shell, other digests, and what isn't connected."""
    daemon, user = theirs
    with daemon.client() as client:
        for name, words in (
            ("emacs", "no client known here"),
            ("--yes", "no program of this name"),
            ("env", "belong into a shell"),
        ):
            with pytest.raises(Rejected, match=words):
                client.connect_plan(name)
        with pytest.raises(Rejected, match="nothing to undo"):
            client.undo_connection("codex")
        with pytest.raises(Rejected, match="a connection is"):
            client.connect_program("zed", "--yes")
        reader = client.add_client("reader", ("read:records",)).token
        with daemon.http(headers={"authorization": f"Bearer {reader}"}) as http:
            for method in ("GET", "POST", "DELETE"):
                assert http.request(method, "/nearloop/v1/clients/programs/zed", json={}).status_code == 403
    assert not (user / ".config" / "codex").exists()
