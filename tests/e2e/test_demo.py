"""`nearloop demo` on a machine where nothing is set up: all of it for real, and a leak that is told."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from daemon.demo.answers import read_answers
from daemon.demo.assets import shipped
from daemon.demo.own_daemon import OwnDaemon, settings
from daemon.demo.planted import plant
from daemon.demo.provider import MODEL, RecordedProvider
from daemon.demo.story import EXIT_LEFT, Story
from tests.fakes.running import wait_until

ROOT: Final = Path(__file__).resolve().parents[2]
COMMAND: Final = [sys.executable, "-m", "daemon.cli.main", "demo"]


def environment(folder: Path) -> dict[str, str]:
    """An empty home, and temporary files where they can be counted. NEARLOOP_HOME is somebody's own, and stays untouched."""
    for name in ("home", "own", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEARLOOP_", "XDG_"))}
    return {
        **kept, "HOME": str(folder / "home"), "NEARLOOP_HOME": str(folder / "own"), "TMPDIR": str(folder / "tmp"),
        "HTTP_PROXY": "http://127.0.0.1:9", "COLUMNS": "80",
    }  # fmt: skip


def demo(folder: Path, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *words], env=environment(folder), capture_output=True, text=True, timeout=500)
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_nothing_planted_arrives(tmp_path: Path) -> None:
    """It ends well: what it shows is what its records, receipts and files say, and it leaves nothing behind but those."""
    documented = re.findall(r"^nearloop demo (.*)$", (ROOT / "docs" / "demo.md").read_text(), re.MULTILINE)[0].split()
    done = demo(tmp_path, *documented, "--keep")
    kept = Path(re.findall(r"^Kept: (.*)$", done.stdout, re.MULTILINE)[0])
    keys = dict(line.split("=", 1) for line in (kept / "billing" / ".env").read_text().splitlines())

    told = done.stdout
    assert not done.stderr
    assert "\x1b" not in told
    assert max(len(line) for line in told.splitlines() if not line.startswith("Kept: ")) <= 80
    assert "0 of 13 planted values arrived" in told
    assert "In 1 tool call secrets were left masked" in told
    assert "tests      Ran 3 tests: OK" in told
    assert "local-only off" in told
    assert "smollm2-135m-instruct writes:" in told
    assert ": whole" in told
    assert "nothing left this machine through Nearloop." in told
    assert "3 requests to recorded at 127.0.0.1 (cloud)" in told

    body = re.findall(r"body +(.*)", told)
    for line in body:
        name, _, value = line.partition("=")
        assert value.rstrip("…") not in keys[name]  # an alias stands there
    assert len(body) == len(keys) == 4

    home = kept / "nearloop"
    env = {**environment(tmp_path), "NEARLOOP_HOME": str(home)}
    verified = subprocess.run(
        [*COMMAND[:-1], "receipts", "verify"], env=env, capture_output=True, text=True, timeout=60
    )
    assert verified.returncode == 0, verified.stdout
    for file in home.rglob("*"):
        if file.is_file() and "cache" not in file.parts:
            assert not any(key.encode() in file.read_bytes() for key in keys.values()), file
    assert not [*(tmp_path / "own").rglob("*")]
    assert [path for path in (tmp_path / "tmp").iterdir() if path.name.startswith("nearloop-demo-")] == [kept]
    assert not left_running(home)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_leak_is_told(tmp_path: Path) -> None:
    """With a policy that lets personal data leave it does: the demonstration finds it at the provider and ends with 1."""
    done = demo(tmp_path, "--json", "--privacy", "open", status=1)
    outcome: dict[str, Any] = json.loads(done.stdout)

    assert outcome["ok"] is False
    assert set(outcome["leaked"]) == {"customer's name", "customer's address", "customer's card"}  # and no key
    assert [check["what"] for check in outcome["checks"] if not check["holds"]] == [
        "no planted value came to the provider"
    ]
    assert outcome["blocked"] == 1
    assert not [path for path in (tmp_path / "tmp").iterdir() if path.name.startswith("nearloop-demo-")]


@pytest.mark.slow
def test_without_a_local_model(tmp_path: Path) -> None:
    """Nobody answers while local-only is on, the task is finished all the same, and all that has to hold does."""
    work = tmp_path / "work"
    work.mkdir()
    planted = plant(work, shipped(), random.Random(7))
    recipe = (shipped() / "demo.dsl").read_text()
    with RecordedProvider(read_answers(shipped() / "answers.json")) as provider:
        told = settings(provider.url, MODEL, "balanced") + "[models.gone]\npath = '/nowhere/to/be/found.gguf'\n"
        with OwnDaemon(tmp_path / "home", told, recipe) as daemon, daemon.client() as client:
            story = Story(daemon, client, provider, work, planted)
            sent = (story.ask(), story.read())
            _, held = story.stolen(sent[1])
            mended = story.mend()
            kept = story.stay(lambda said: None)
            commands = story.prove(kept)
            outcome = story.settle((*sent, mended), kept)

    assert (kept.local, outcome.local, outcome.local_words) == (None, None, None)
    assert "local-only" in (kept.refused or "")
    assert [each.status for each in commands] == [0, EXIT_LEFT, 0]
    assert not held
    assert outcome.ok, outcome.checks
    assert len(outcome.checks) == 10


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform == "win32", reason="no ctrl+c can be sent to another process there")
@pytest.mark.parametrize("ends", ["SIGINT", "SIGHUP"])
def test_ctrl_c_takes_all_away(tmp_path: Path, ends: str) -> None:
    """Folder and daemon, in the midst of it; and so does the end of its terminal."""
    running = subprocess.Popen(
        COMMAND, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert running.stdout
    for line in running.stdout:
        if line.startswith("1 "):
            break
    (folder,) = (tmp_path / "tmp").glob("nearloop-demo-*")
    assert left_running(folder / "nearloop")
    running.send_signal(getattr(signal, ends))
    began = time.monotonic()
    running.communicate(timeout=60)

    assert running.returncode == 1
    assert not folder.exists()
    wait_until(lambda: not left_running(folder / "nearloop"), max(1.0, 30 - (time.monotonic() - began)), "its end")


def left_running(home: Path) -> list[int]:
    """Daemons of that home."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        try:
            if "daemon" in (process.info["cmdline"] or ()) and process.environ().get("NEARLOOP_HOME") == str(home):
                found.append(process.pid)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            pass
    return found
