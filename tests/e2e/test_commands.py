"""The commands that look back, against a daemon with the scripted engine."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from daemon.doctor import _pictures, _port, _warnings
from daemon.paths import Paths
from tests.fakes.running import RunningDaemon, free_port, running

pytestmark = pytest.mark.slow

NEARLOOP = [sys.executable, "-m", "daemon.cli.main"]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    extra = f"[server]\nport = {free_port()}\n[records]\ncontent = true\n"
    with running(tmp_path_factory.mktemp("home"), extra=extra) as daemon:
        yield daemon


@pytest.fixture(autouse=True)
def same_home(daemon: RunningDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEARLOOP_HOME", str(daemon.home))


def nearloop(*args: str, check: int = 0, input: str | None = None) -> str:
    """Run the command to its end and return what it said."""
    done = subprocess.run([*NEARLOOP, *args], capture_output=True, text=True, timeout=60, input=input)
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_ask(daemon: RunningDaemon) -> None:
    """`ask` prints the answer, from an argument or from standard input."""
    assert nearloop("ask", "hello you") == "hello you\n"
    assert nearloop("ask", "-m", "local/play", "--reach", "device", input="from a pipe") == "from a pipe\n"


def test_ask_wrong(daemon: RunningDaemon) -> None:
    """What `ask` can't do it says, in a sentence and with a status."""
    assert "no model has this name" in nearloop("ask", "-m", "nobody", "hi", check=1)
    assert "empty" in nearloop("ask", " ", check=2)
    assert "window" in nearloop("ask", "[[prompt=99999]]", check=1)
    assert "process" in nearloop("ask", "[[tokens=5]] [[crash=2]]", check=1)


def test_records_and_why(daemon: RunningDaemon) -> None:
    """`records` lists, `why` explains one in words, and shows the words themselves when they were kept."""
    nearloop("ask", "one two three")
    listed = nearloop("records", "--limit", "1")
    id = listed.split()[0]

    told = nearloop("why", id[:12])

    assert "local/play" in listed
    assert "Nothing left this machine." in told
    assert "Asked by the client admin" in told
    assert "local/play answered on this machine (scripted on CPU)" in told
    assert "one two three" not in told
    assert "answer: one two three" in nearloop("why", id, "--words")
    assert json.loads(nearloop("why", id, "--json"))["record"]["id"] == id
    assert json.loads(nearloop("records", "--json", "--since", "1h"))["records"][0]["id"] == id


def test_why_wrong(daemon: RunningDaemon) -> None:
    """An id that is not there, or isn't one, is told apart from a daemon that isn't."""
    assert "no record starts with" in nearloop("why", "0" * 16, check=1)
    assert "0-9 and a-f" in nearloop("why", "hello", check=1)


def test_purge(daemon: RunningDaemon) -> None:
    """`records purge` asks first, deletes what is old enough, and the words with it."""
    nearloop("ask", "forget me please")
    assert "Aborted" in nearloop("records", "purge", check=1, input="n\n")
    assert nearloop("records", "purge", "--yes", "--older-than", "1d") == "0 records deleted\n"

    assert "records deleted" in nearloop("records", "purge", "--yes")

    assert nearloop("records") == "no records yet\n"
    files = [path for path in daemon.paths.data.iterdir() if path.name.startswith("records.db")]
    assert files
    assert all(b"forget me please" not in path.read_bytes() for path in files)


def test_client_tokens(daemon: RunningDaemon) -> None:
    """`client add` ends with the token, which works until `revoke`; names and scopes are checked."""
    token = nearloop("client", "add", "zed", "--scope", "read:records", "--scope", "infer:local").split()[-1]

    assert "zed: infer:local, read:records" in nearloop("client", "list")
    assert token not in daemon.paths.settings.read_text()
    headers = {"authorization": f"Bearer {token}"}
    url = f"{daemon.url}/nearloop/v1/records"
    assert httpx.get(url, headers=headers, trust_env=False).status_code == 200
    assert "already" in nearloop("client", "add", "zed", check=1)
    assert "scopes are" in nearloop("client", "add", "other", "--scope", "king", check=1)
    nearloop("client", "revoke", "zed")
    assert httpx.get(url, headers=headers, trust_env=False).status_code == 401
    assert "[clients.zed]" in nearloop("client", "revoke", "zed", check=1)


def test_status(daemon: RunningDaemon) -> None:
    """`status` is for people, `status --json` is the control API's body."""
    told = nearloop("status")
    body = json.loads(nearloop("status", "--json"))

    assert daemon.url in told
    assert "local/play: ready on CPU (scripted)" in told
    assert body["port"] == daemon.client().discovery.port
    assert body["models"][0]["worker_pid"] == daemon.worker_pid()


def test_version(daemon: RunningDaemon) -> None:
    """`version` is the one that the daemon tells."""
    told = f"nearloop {json.loads(nearloop('status', '--json'))['version']}\n"

    assert nearloop("version") == told
    assert nearloop("--version") == told


def test_doctor(daemon: RunningDaemon, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`doctor` passes on a sound installation, and names what is broken with a remedy."""
    told = nearloop("doctor")
    assert "✗" not in told
    assert "✓ device CPU:" in told
    monkeypatch.setenv("NEARLOOP_HOME", str(home))
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.toml").write_text('[models.mine]\npath = "/nowhere.gguf"\n')
    (home / "data").mkdir()
    (home / "data" / "records.db").write_bytes(b"not a database" * 100)

    findings = {finding["check"]: finding for finding in json.loads(nearloop("doctor", "--json", check=1))}

    assert findings["records"]["severity"] == "error"
    assert "a model's process is held by: " in findings["confinement"]["text"]
    if sys.platform == "linux":
        assert "dies-with-parent" in findings["confinement"]["text"]
    assert "/nowhere.gguf" in nearloop("doctor", check=1)
    (home / "config" / "settings.toml").write_text("[server]\nprot = 1\n")
    assert "did you mean 'port'?" in nearloop("doctor", check=1)


def test_usage_errors(daemon: RunningDaemon) -> None:
    """Wrong usage is status 2."""
    nearloop("nonsense", check=2)
    nearloop("why", check=2)
    nearloop("up", "--port", "99999", check=2)


def test_doctor_repeats_what_the_daemon_warns_of(tmp_path: Path) -> None:
    """Each of its warnings once, with the remedy; what can't be said of it while it is down isn't."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        extra = f"[server]\nport = {free_port()}\nollama_port = {port}\nhost = '203.0.113.7'\n"
        with running(tmp_path / "home", extra=extra, arguments=("--host", "127.0.0.1")) as daemon:
            (found,) = _warnings(daemon.paths)
            assert (found.check, found.severity) == ("daemon", "warning")
            assert f"port {port} is taken by" in found.text
            assert "take server.ollama_port out of settings.toml" in found.remedy
            assert not [each for each in _port(daemon.paths) if each.remedy]

    assert _warnings(daemon.paths) == []
    (asleep,) = _port(daemon.paths)
    assert "203.0.113.7: add --expose" in asleep.remedy


def test_the_doctor_says_whether_pictures_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed, missing with what to install, or switched off."""
    here = Paths(*[tmp_path] * 5)
    assert [each.severity for each in _pictures(here)] == ["ok"]
    monkeypatch.setattr("edge_models.vision.models.find_spec", lambda name: None)
    (missing,) = _pictures(here)
    assert (missing.severity, missing.remedy) == ("info", "pip install 'nearloop[vision]'")
    (tmp_path / "settings.toml").write_text("[pictures]\nlook = false\n")
    assert "by the settings" in _pictures(here)[0].text
