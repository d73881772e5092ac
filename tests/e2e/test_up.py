"""Starting and stopping, as a user does it: the real command in a real process."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from daemon.client import Client, NotRunning
from daemon.paths import Paths
from tests.fakes.running import SCRIPTED, RunningDaemon, running, wait_until

NEARLOOP = [sys.executable, "-m", "daemon.cli.main"]


def nearloop(*args: str, check: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, and hold it to its exit status."""
    done = subprocess.run([*NEARLOOP, *args], capture_output=True, text=True, timeout=60)
    assert done.returncode == check, done.stdout + done.stderr
    return done


@pytest.fixture
def scripted(where: Paths) -> Paths:
    """This test's home, with the scripted engine as the default model."""
    where.config.mkdir(parents=True)
    where.settings.write_text(SCRIPTED.format(options=""))
    return where


def start(*args: str) -> subprocess.Popen[str]:
    """`nearloop up` in the foreground of its own process group, as in a terminal."""
    return subprocess.Popen(
        [*NEARLOOP, "up", *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def read_until(process: subprocess.Popen[str], mark: str) -> str:
    """Lines up to the one with `mark`."""
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if mark in line:
            break
    return "".join(lines)


def test_foreground(scripted: Paths) -> None:
    """`up` says where it is and prints a curl line that works when pasted; Ctrl-C ends it with status 0."""
    process = start("--port", "0")
    told = read_until(process, "curl")
    curl = next(line.strip() for line in told.splitlines() if line.strip().startswith("curl"))

    answer = subprocess.run(["bash", "-c", curl], capture_output=True, text=True, timeout=20)

    assert json.loads(answer.stdout)["choices"][0]["message"]["content"] == "What is 2 + 2?"
    assert str(scripted.admin_token) in told
    assert stat.S_IMODE(scripted.admin_token.stat().st_mode) == 0o600
    assert stat.S_IMODE(scripted.runtime.stat().st_mode) == 0o700
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=20)[0].endswith("Nearloop is down.\n")
    assert process.returncode == 0
    assert not scripted.discovery.exists()
    assert not scripted.admin_token.exists()


@pytest.mark.slow
def test_a_second_ctrl_c_ends_it_at_once(scripted: Paths) -> None:
    """Answers in flight are cut without a traceback, all is closed as after one, and their records are kept."""
    process = start("--port", "0")
    read_until(process, "curl")
    with Client(scripted) as client:
        request = {
            "model": "local",
            "stream": True,
            "messages": [{"role": "user", "content": "[[tokens=9999]] [[delay=50]]"}],
        }
        with httpx.stream("POST", f"{client.url}/v1/chat/completions", json=request, trust_env=False) as answer:
            record = answer.headers["x-nearloop-record"]
            next(answer.iter_lines())
            os.killpg(process.pid, signal.SIGINT)
            port = client.discovery.port
            wait_until(lambda: not _listens(port), why="the end of listening")
            began = time.monotonic()
            os.killpg(process.pid, signal.SIGINT)
            said = process.communicate(timeout=20)[0]
    assert time.monotonic() - began < 3  # after which one Ctrl-C would have ended it as well
    assert said.endswith("Nearloop is down.\n")
    assert "Traceback" not in said
    assert process.returncode == 0
    with closing(sqlite3.connect(scripted.records)) as store:
        assert store.execute("SELECT count(*) FROM records WHERE id = ?", (record,)).fetchone() == (1,)


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 5):
            return True
    except OSError:
        return False


def test_detached(scripted: Paths) -> None:
    """`up -d` returns once the model is ready, `down` once the process is gone; both are told by exit statuses."""
    up = nearloop("up", "-d", "--port", "0")
    assert "local/play" in up.stdout

    status = json.loads(nearloop("status", "--json").stdout)
    assert status["models"][0]["state"] == "ready"
    assert json.loads(scripted.discovery.read_bytes())["pid"] == status["pid"]

    nearloop("down")
    assert _is_gone(status["pid"])
    assert "nearloop up" in nearloop("status", check=4).stderr
    nearloop("down", check=4)


@pytest.mark.slow
def test_second_instance(tmp_path: Path, home: Path) -> None:
    """A second daemon of the same user is refused with the first one's place, in the foreground and detached."""
    with running(home) as daemon:
        for args in (("up", "--port", "0"), ("up", "-d", "--port", "0")):
            told = nearloop(*args, check=3).stderr

            assert str(daemon.process.pid) in told
            assert daemon.url in told
        assert daemon.process.poll() is None


def test_port_taken(scripted: Paths) -> None:
    """A port that somebody else has is named, with its owner."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for args in (("up", "--port", str(port)), ("up", "-d", "--port", str(port))):
            told = nearloop(*args, check=1).stderr

            assert str(port) in told
            assert f"process {os.getpid()}" in told
            assert "--port" in told


@pytest.mark.slow
def test_the_port_of_ollamas_clients(scripted: Paths) -> None:
    """Where the settings ask for a second port, `up` says that it is there, or who is there instead, and starts."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with scripted.settings.open("a") as file:
            file.write(f"[server]\nollama_port = {port}\n")
        told = nearloop("up", "-d", "--port", "0").stdout
        assert f"Warning: port {port} is taken by" in told
        assert str(os.getpid()) in told
        assert "ollama_port" in nearloop("status").stdout
        nearloop("down")

    process = start("--port", "0")
    told = read_until(process, "Nearloop is up")
    assert f"and http://127.0.0.1:{port}" in told
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=20)


@pytest.mark.slow
def test_stale_discovery(scripted: Paths) -> None:
    """After a kill -9 the leftovers fool nobody: status says that nothing runs, and up starts."""
    daemon = RunningDaemon(scripted.config.parent, SCRIPTED.format(options=""))
    daemon.process.kill()
    daemon.process.wait()
    assert scripted.discovery.exists()

    nearloop("status", check=4)
    nearloop("up", "-d", "--port", "0")
    nearloop("down")


@pytest.mark.slow
def test_worker_dies_with_a_killed_daemon(home: Path) -> None:
    """kill -9 of the daemon leaves no model process behind."""
    daemon = RunningDaemon(home, SCRIPTED.format(options=""))
    daemon.wait_ready()
    worker = daemon.worker_pid()
    assert worker

    daemon.process.kill()
    daemon.process.wait()

    wait_until(lambda: _is_gone(worker), 10, "the worker's end")


def _is_gone(pid: int) -> bool:
    """Ended, or ended and not yet collected by its parent."""
    import psutil

    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_bad_settings(scripted: Paths) -> None:
    """A misspelt key stops the start with a hint, as a usage error."""
    scripted.settings.write_text("[server]\nprot = 1\n")

    told = nearloop("up", "--port", "0", check=2).stderr

    assert "server.prot" in told
    assert "'port'" in told
    assert "server.prot" in nearloop("up", "-d", "--port", "0", check=2).stderr


@pytest.mark.slow
def test_model_that_cannot_load(where: Paths) -> None:
    """Without a usable model the daemon runs, says why, and answers with a 503 that names the remedy."""
    where.config.mkdir(parents=True)
    where.settings.write_text('[models.mine]\npath = "/nowhere/model.gguf"\n')
    told = nearloop("up", "-d", "--port", "0").stdout
    try:
        assert "can't be loaded" in told
        with Client(where) as client:
            answer = httpx.post(
                f"{client.url}/v1/chat/completions",
                json={"model": "local", "messages": [{"role": "user", "content": "hi"}]},
                trust_env=False,
                timeout=30,
            )
            assert answer.status_code == 503
            assert "/nowhere/model.gguf" in answer.json()["error"]["message"]
            assert client.status().warnings[0].code == "model-failed"
    finally:
        nearloop("down")


@pytest.mark.slow
def test_stop_does_not_wait_for_watchers(home: Path) -> None:
    """A watcher in a long poll is sent home when the daemon stops."""
    with running(home) as daemon:
        with daemon.client() as client:
            since = client.events(None, 0).next
            url = f"{client.url}/nearloop/v1/events?since={since}&wait_s=60"
        watcher = subprocess.Popen(
            ["curl", "-s", "-H", f"Authorization: Bearer {daemon.admin_token}", url], stdout=subprocess.DEVNULL
        )
        wait_until(lambda: _connected(daemon.process.pid), 10, "the watcher's connection")
        began = time.monotonic()

        assert daemon.stop() == 0

        assert time.monotonic() - began < 4
        watcher.wait(10)


def _connected(pid: int) -> bool:
    import psutil

    return any(connection.status == "ESTABLISHED" for connection in psutil.Process(pid).net_connections("tcp"))


@pytest.mark.slow
def test_a_terminal_that_goes_away(scripted: Paths) -> None:
    """Who reads `up`'s output may leave; a model that dies after that is started again all the same."""
    process = start("--port", "0")
    read_until(process, "curl")
    assert process.stdout
    process.stdout.close()
    with Client(scripted) as client:
        before = client.models().models[0].worker_pid
        assert before
        os.kill(before, signal.SIGKILL)
        wait_until(lambda: client.models().models[0].worker_pid not in (None, before), 20, "a new worker")
        assert "".join(client.ask("local", "hello", None)) == "hello"
    process.terminate()
    assert process.wait(20) == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", ["closed", "latin-1", "head"])
def test_odd_output(scripted: Paths, how: str) -> None:
    """A closed or narrow standard output is no reason not to start."""
    command = f"{sys.executable} -m daemon.cli.main up -d --port 0"
    script = {
        "closed": f"{command} >&-",
        "latin-1": f"PYTHONIOENCODING=latin-1 {command}",
        "head": f"set -o pipefail; {command} | head -c 1 > /dev/null; true",
    }[how]

    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)

    assert "Traceback" not in done.stderr
    nearloop("status")
    nearloop("down")


@pytest.mark.slow
def test_odd_homes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home that can't be one is told in words."""
    (tmp_path / "file").write_text("")
    for home in (str(tmp_path / "file" / "x"), "~nobody-of-this-name/x", "/proc/x"):
        monkeypatch.setenv("NEARLOOP_HOME", home)
        for args in (("up", "--port", "0"), ("up", "-d", "--port", "0")):
            told = subprocess.run([*NEARLOOP, *args], capture_output=True, text=True, timeout=60)
            assert told.returncode == 1
            assert told.stderr.startswith("nearloop: ")
            assert "Traceback" not in told.stderr


@pytest.mark.slow
def test_the_runtime_folder_is_deleted(home: Path, where: Paths) -> None:
    """What a logout deletes is no way to a second daemon on the same records."""
    with running(home) as daemon:
        shutil.rmtree(where.runtime)

        assert "running already" in nearloop("up", "--port", "0", check=3).stderr

        daemon.process.terminate()
        assert daemon.process.wait(20) == 0


@pytest.mark.slow
def test_status_without_records(home: Path, where: Paths) -> None:
    """Records that were deleted or damaged while the daemon runs are told by status, and written anew."""
    with running(home) as daemon:
        for path in where.data.glob("records.db*"):
            path.unlink()
        assert "records can't be" in nearloop("status").stdout
        nearloop("ask", "hello")
        with daemon.client() as client:
            wait_until(lambda: client.status().records == 1, 15, "a record in a new file")


def test_help_names_every_command() -> None:
    """The help page lists each command with its line, and loads none of them."""
    from daemon.cli.main import COMMANDS

    told = nearloop("--help").stdout

    for name, (_, line) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line[:40])}", told, re.MULTILINE)
    code = "import sys; from daemon.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20).stdout
    assert "'click'" in loaded
    for heavy in ("litestar", "httpx", "msgspec", "asyncio", "numpy"):
        assert f"'{heavy}'" not in loaded


def test_not_running_is_said(where: Paths) -> None:
    """Every command that needs a daemon says how to start one, with exit status 4."""
    for args in (("status",), ("records",), ("why", "ab"), ("ask", "hi"), ("client", "list"), ("down",)):
        assert "nearloop up" in nearloop(*args, check=4).stderr
    with pytest.raises(NotRunning):
        Client(where)


def test_nothing_that_it_is_built_on_complains(tmp_path: Path) -> None:
    """Its routes are declared as its framework wants them from now on."""
    daemon = RunningDaemon(tmp_path, SCRIPTED.format(options=""), {"PYTHONWARNINGS": "always"})
    daemon.stop()

    assert "LitestarDeprecationWarning" not in daemon.log.read_text()
