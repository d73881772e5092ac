"""Models' processes, as clients and the user see them: loaded, unloaded, waited for, killed, and stood in for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from daemon.client import Rejected
from tests.fakes.running import SCRIPTED, RunningDaemon, running, wait_until
from tests.fakes.upstream import USAGE, Answer, as_json, frames, said, upstream

pytestmark = pytest.mark.slow

CHAT = "/v1/chat/completions"
NEARLOOP = [sys.executable, "-m", "daemon.cli.main"]
SECOND = '[models.second]\npath = ""\nengine = "scripted"\n'
CYCLES = 100
GROWTH_BYTES = 5_000_000
WARM_CYCLES = 10


def body(text: str = "hi", **more: Any) -> dict[str, Any]:
    return {"model": "local", "messages": [{"role": "user", "content": text}], **more}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    with running(tmp_path_factory.mktemp("home"), "parallel=1", SECOND) as daemon:
        yield daemon


# ---- by hand --------------------------------------------------------------------------------------------------------


def test_a_model_is_loaded_and_unloaded_by_the_api(daemon: RunningDaemon) -> None:
    """Loading answers when the model is ready, unloading when its process is gone, and watchers are told why."""
    with daemon.client() as control:
        before = control.events(None, 0).next
        loaded = control.load_model("second", 20)
        assert (loaded.name, loaded.state) == ("local/second", "ready")
        assert loaded.worker_pid
        assert psutil.pid_exists(loaded.worker_pid)

        assert control.unload_model("second").state == "cold"

        assert not psutil.pid_exists(loaded.worker_pid)
        told = [event.data for event in control.events(before, 0).events if event.kind == "unloaded"]
        assert told == [{"model": "local/second", "why": "asked"}]
        with pytest.raises(Rejected, match="no local model has this name"):
            control.load_model("third", 1)


def test_a_model_is_loaded_and_unloaded_by_the_command(daemon: RunningDaemon) -> None:
    """`nearloop models load` says what it runs on, by either form of its name; `unload` says that it is cold."""

    def said(*args: str) -> str:
        done = subprocess.run(
            [*NEARLOOP, "models", *args], capture_output=True, text=True, env=daemon.environment, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert said("load", "second") == "local/second: ready on CPU, window 8192 tokens\n"
    assert said("unload", "local/second") == "local/second: cold\n"


def test_local_means_what_was_made_the_default(tmp_path: Path) -> None:
    """`nearloop models default` has a running daemon answer `local` with that model at once."""
    settings = '[models.one]\nengine = "scripted"\npath = ""\n[models.two]\nengine = "scripted"\npath = "context=77"\n'
    daemon = RunningDaemon(tmp_path / "home", settings)
    try:
        done = subprocess.run(
            [*NEARLOOP, "models", "default", "two"], capture_output=True, text=True, env=daemon.environment, timeout=60
        )
        assert done.stdout == "`local` means local/two\n", done.stderr
        with daemon.client() as control, daemon.http() as http:
            control.load_model("one", 20)  # it is loaded by itself, being what `local` meant
            control.unload_model("one")
            http.post(CHAT, json=body("hello", model="local")).raise_for_status()
            states = {model.name: model.state for model in control.status().models}
        assert (states["local/one"], states["local/two"]) == ("cold", "ready")
    finally:
        daemon.stop()


def test_a_model_that_answers_is_not_unloaded(daemon: RunningDaemon) -> None:
    """Unloading a model in mid-answer is refused as a conflict, and the answer goes on."""
    with daemon.client() as control, daemon.http() as http:
        with http.stream("POST", CHAT, json=body("[[tokens=200]] [[delay=10]]", stream=True)) as answer:
            lines = answer.iter_lines()
            next(lines)
            with pytest.raises(Rejected, match="is answering") as caught:
                control.unload_model("play")
            assert (caught.value.status, caught.value.code) == (409, "busy")
            assert "data: [DONE]" in list(lines)


def test_only_the_admin_loads_and_unloads(daemon: RunningDaemon) -> None:
    """A client without the right can't have models loaded or unloaded."""
    with daemon.http() as http:
        for what in ("load", "unload"):
            assert http.post(f"/nearloop/v1/models/second/{what}").status_code == 403


def test_status_tells_what_holds_a_model(daemon: RunningDaemon) -> None:
    """The API and the command name what a model's process is held by."""
    with daemon.client() as control:
        held = control.status().models[0].confinement
    shown = subprocess.run([*NEARLOOP, "status"], capture_output=True, text=True, env=daemon.environment, timeout=60)

    if sys.platform == "linux":
        assert "dies-with-parent" in held
    assert f"held by {', '.join(held)}" in shown.stdout


# ---- waiting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_request_that_waited_too_long_is_told_when_to_come_back(tmp_path: Path, stream: bool) -> None:
    """Who stands in line longer than the settings let it gets a 503 with Retry-After, and the one in front goes on."""
    with running(tmp_path / "home", "parallel=1", "[pool]\nwait_s = 0.3\n") as daemon, daemon.client() as control:
        first: list[httpx.Response] = []

        def ask() -> None:
            with daemon.http() as http:
                first.append(http.post(CHAT, json=body("[[tokens=150]] [[delay=10]]")))

        asking = threading.Thread(target=ask)
        asking.start()
        wait_until(lambda: control.status().models[0].running == 1, 10, "the first one's start")
        with daemon.http() as http:
            second = http.post(CHAT, json=body(stream=stream))
        asking.join(30)

        assert second.status_code == 503
        assert second.json()["error"]["code"] == "overloaded"
        assert 1 <= int(second.headers["retry-after"]) <= 60
        assert first[0].status_code == 200
        assert control.status().models[0].waiting == 0


# ---- stood in for ---------------------------------------------------------------------------------------------------

PROVIDER = """
[policy]
escalate_below = 0.0
patience_s = 0.5
[providers.work]
base_url = "{url}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
"""
WHOLE = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]}


async def with_a_cloud(home: Path, options: str, answer: Answer, *texts: str, stream: bool) -> list[str]:
    """What `auto` says to each text, one after the other; all are started at once but the first, which is in front."""
    async with upstream(*[answer] * len(texts)) as served:
        settings = SCRIPTED.format(options=options) + PROVIDER.format(url=served.url)
        daemon = await asyncio.to_thread(RunningDaemon, home, settings, {"NEARLOOP_TEST_KEY": "sk-test-0123456789"})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
                headers = {"authorization": f"Bearer {token}"}
                async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=30) as http:
                    asking = []
                    for place, text in enumerate(texts):
                        asked = {**body(text, stream=stream), "model": "auto"}
                        asking.append(asyncio.create_task(http.post(CHAT, json=asked)))
                        while place == 0 and len(texts) > 1:
                            status = await asyncio.to_thread(control.status)
                            if status.models[0].running:
                                break
                    answers = [await task for task in asking]
                assert {answer.status_code for answer in answers} == {200}
                return [answer.text for answer in answers]
        finally:
            await asyncio.to_thread(daemon.stop)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_the_cloud_stands_in_for_a_worker_that_dies(tmp_path: Path, stream: bool) -> None:
    """If the local model's process dies before its first word, `auto` is answered by the next candidate, without an error."""
    answer = Answer(frames(said("Hello"), said("", "stop"), USAGE)) if stream else as_json(WHOLE)

    told = await with_a_cloud(tmp_path / "home", "", answer, "[[crash=0]]", stream=stream)

    assert "Hello" in told[0]
    assert "error" not in told[0]


@pytest.mark.slow
async def test_the_cloud_stands_in_for_a_long_line(tmp_path: Path) -> None:
    """Where the cloud may answer, nobody stands in the local line longer than the user's patience."""
    told = await with_a_cloud(
        tmp_path / "home", "parallel=1", as_json(WHOLE), "[[tokens=1200]] [[delay=2]]", "short", stream=False
    )

    assert "1199" in told[0]
    assert "Hello" in told[1]


# ---- many times -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_hundred_loads_and_unloads_leave_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """100 times loaded, asked and unloaded, the daemon has grown by 5 MB at most, and no process and no file is left."""
    with running(tmp_path / "home") as daemon, daemon.client() as control, daemon.http() as http:
        process = psutil.Process(daemon.process.pid)

        def cycle() -> None:
            control.load_model("play", 20)
            assert http.post(CHAT, json=body("[[tokens=20]]")).status_code == 200
            wait_until(lambda: control.status().in_flight == 0, 10, "the end of the request")
            assert control.unload_model("play").state == "cold"

        for _ in range(WARM_CYCLES):
            cycle()
        before, files = process.memory_info().rss, process.num_fds()
        for _ in range(CYCLES):
            cycle()
        grown = process.memory_info().rss - before
        with capsys.disabled():
            print(f"\n{CYCLES} load/unload cycles: the daemon grew by {grown / 1e6:.2f} MB from {before / 1e6:.1f} MB")

        assert grown <= GROWTH_BYTES
        assert process.num_fds() <= files
        assert process.children(recursive=True) == []
