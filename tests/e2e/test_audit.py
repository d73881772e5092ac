"""`nearloop audit`, as it is typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from daemon.auditing import work
from daemon.cli.main import main
from daemon.paths import Paths
from tests.fakes.agent_logs import MAKERS
from tests.fakes.audited import written

pytestmark = pytest.mark.slow

WORDS = "please write to peter.lang@northwind-shop.com"
RESULT = "DB_PASSWORD=hunter2Correct77horse\nOWNER=maria.keller@acme-gmbh.de"
VALUES = ("hunter2", "Correct77", "peter.", "lang@", "northwind", "maria", "keller", "acme")


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with logs of all tools, in which the command is given."""
    user = tmp_path / "user"
    for maker in MAKERS.values():
        written(user, maker(WORDS, RESULT))
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("USERPROFILE", str(user))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "CONTINUE_GLOBAL_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(user)
    return user


def audit(*options: str) -> Result:
    from daemon.cli.audit import audit as command

    return CliRunner(env={"COLUMNS": "80"}).invoke(command, options)


def _tree(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in sorted(folder.rglob("*"))}


@pytest.mark.usefixtures("user")
def test_a_report_card() -> None:
    """Classes, tools, projects, share and money; and how that was reckoned."""
    done = audit()

    assert done.exit_code == 0, done.output
    for told in (
        "1 secret and 2 personal values",
        "Password",
        "Email address",
        "Claude Code",
        "Codex",
        "Continue",
        "Aider",
        "~/project",
        "/srv/project",
        "could have been answered on this machine",
        "no log tells",
        "list prices of",
    ):
        assert told in " ".join(done.output.replace("│", " ").split()), told
    assert "LiteLLM" not in done.output  # it is read where --path names it
    assert all(len(line) <= 80 for line in done.output.splitlines())


def test_no_value_anywhere(user: Path, tmp_path: Path) -> None:
    """The console script says none on either stream, in no form and in no file, and writes nothing but the picture."""
    svg = tmp_path / "card.svg"
    before = _tree(user)
    told = ""
    for options in (("--svg", str(svg)), ("--json",), ("--path", str(user)), ("--tool", "codex", "--since", "9000d")):
        done = subprocess.run(
            [sys.executable, "-m", "daemon.cli.main", "audit", *options],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
            cwd=user,
        )
        assert done.returncode == 0, done.stderr
        told += done.stdout + done.stderr
    told += svg.read_text()

    for value in VALUES:
        assert value.lower() not in told.lower(), value
    assert _tree(user) == before
    assert "project" not in svg.read_text()


def test_nothing_is_loaded_or_asked(user: Path) -> None:
    """It reads no more than it must: no engine, no encoder, no HTTP client, no keyring, and opens no socket."""
    code = (
        "import sys, socket\n"
        "def no(*_, **__): raise SystemExit('a socket was opened')\n"
        "socket.socket.__init__ = no\n"
        "from daemon.cli.main import main\n"
        "try: main(['audit'])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "names = ('openvino', 'numpy', 'tokenizers', 'aiohttp', 'httpx', 'litestar', 'uvicorn', 'keyring')\n"
        "print('loaded:', [name for name in names if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=user)

    assert done.stdout.endswith("loaded: []\n"), done.stdout + done.stderr


@pytest.mark.usefixtures("user")
def test_json() -> None:
    """The same as data."""
    told: dict[str, Any] = json.loads(audit("--json").output)

    assert told["complete"] is True
    assert {tool["name"] for tool in told["tools"]} == {"claude-code", "codex", "continue", "aider"}
    assert {(each["label"], each["values"]) for each in told["classes"]} == {("PASSWORD", 1), ("EMAIL_ADDRESS", 2)}
    assert all(tool["turns"] == 1 for tool in told["tools"])


@pytest.mark.usefixtures("user")
def test_choosing() -> None:
    """Only some tools, only what is young, only a path."""
    assert {tool["name"] for tool in json.loads(audit("--json", "--tool", "codex").output)["tools"]} == {"codex"}
    young = json.loads(audit("--json", "--since", "1d", "--tool", "codex").output)
    assert (young["classes"], young["tools"][0]["requests"]) == ([], 0)
    (tool,) = json.loads(audit("--json", "--path", "litellm.jsonl").output)["tools"]
    assert (tool["name"], tool["turns"]) == ("litellm", 1)


@pytest.mark.usefixtures("user")
def test_the_users_settings(where: Paths) -> None:
    """The user's dictionary and patience count; settings that can't be read are as if there were none."""
    where.config.mkdir(parents=True)
    where.settings.write_text(
        'version = 1\n[policy]\npatience_s = 5\n[dictionary]\nharmless = ["maria.keller@acme-gmbh.de"]\n'
    )
    told = json.loads(audit("--json").output)
    assert {(each["label"], each["values"]) for each in told["classes"]} == {("PASSWORD", 1), ("EMAIL_ADDRESS", 1)}
    assert told["device"]["patience_s"] == 5

    where.settings.write_text("version = 1\nnonsense = 2\n")
    assert json.loads(audit("--json").output)["device"]["patience_s"] == 20


@pytest.mark.usefixtures("user")
def test_the_picture(tmp_path: Path) -> None:
    """It is written where it was asked for, and said so."""
    done = audit("--svg", str(tmp_path / "card.svg"))

    assert (tmp_path / "card.svg").read_text().startswith("<svg ")
    assert "counts alone" in done.output


def test_nothing_found(user: Path) -> None:
    """Without logs it says what it looked for, and what to do; that is no failure."""
    done = audit("--path", str(user / "project" / ".."), "--tool", "litellm")
    assert done.exit_code == 0

    empty = user / "empty"
    empty.mkdir()
    done = audit("--path", str(empty))
    assert done.exit_code == 0
    assert "No logs were found of Claude Code, Codex" in done.output
    assert "--path" in done.output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--tool", "cursor"), "cursor is no tool known here: there are claude-code, codex"),
        (("--since", "yesterday"), "for example 12h"),
        (("--path", "/nowhere/at/all"), "does not exist"),
    ],
)
def test_wrong_options(options: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are refused with what would be right, and status 2."""
    with pytest.raises(SystemExit) as ended:
        main(["audit", *options])

    assert ended.value.code == 2
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("user")
def test_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read until then is shown, marked as a part, with status 130."""
    whole = work.audit

    def interrupted(*given: Any) -> None:
        whole(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(work, "audit", interrupted)

    done = audit("--json")
    assert done.exit_code == 130
    assert json.loads(done.output)["complete"] is False
    assert "interrupted: a part of the logs" in audit().output


def test_folders_that_a_terminal_would_obey(user: Path) -> None:
    """A project's name is shown without its control characters, and not as markup."""
    log = next((user / ".claude").rglob("*.jsonl"))
    log.write_bytes(log.read_bytes().replace(b'"/srv/project"', b'"/srv/\\u001b[31m[red]x"'))

    done = audit("--tool", "claude-code")
    assert "/srv/?[31m[red]x" in done.output
    assert "\x1b" not in done.output
