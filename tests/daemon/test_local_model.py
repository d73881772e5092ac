"""One local model: loaded when wanted, started anew when it dies, and given up in clear words."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from daemon import local_model, worker_process
from daemon.errors import NoCandidate
from daemon.local_model import GIVE_UP_AFTER
from daemon.worker_process import WorkerLost
from edge_models.catalog import ModelRef
from providers.contract import Overloaded
from tests.fakes.clock import HeldClock
from tests.fakes.pools import (
    PLAY,
    ask,
    kept,
    options,
    until,
)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a back-off."""
    monkeypatch.setattr(local_model, "BACK_OFF_S", (0.0, 0.01))
    monkeypatch.setattr(local_model, "RETRY_FAILED_S", 0.05)


# ---- living ---------------------------------------------------------------------------------------------------------


async def test_the_default_is_loaded_at_once_and_others_when_asked_for(tmp_path: Path, clock: HeldClock) -> None:
    """The first model is ready without a request; the second stays cold until it is leased."""
    async with kept(tmp_path, clock, options("parallel=3,context=99"), ModelRef("second", "scripted")) as made:
        await until(lambda: made.model.state == "ready")
        second = made.pool.find("second")
        assert (second.state, second.worker) == ("cold", None)

        assert await ask(second) == "one two"

        info = made.model.info()
        assert (info.name, info.context_tokens, info.device, info.error) == ("local/play", 99, "CPU", None)
        assert made.model.worker and info.worker_pid == made.model.worker.pid
        assert [state for state in made.states if "second" in state] == [
            "local/second loading",
            "local/second loading",
            "local/second ready",
        ]


async def test_a_request_waits_for_the_loading(tmp_path: Path, clock: HeldClock) -> None:
    """Who asks before the model is ready stands in line and is answered."""
    async with kept(tmp_path, clock, options("load_ms=100")) as made:
        asking = asyncio.create_task(ask(made.model))
        await until(lambda: made.model.queue.waiting == 1)
        assert made.model.info().waiting == 1

        assert await asking == "one two"
        assert (made.model.info().running, made.model.info().waiting) == (0, 0)


async def test_as_many_run_as_the_engine_can(tmp_path: Path, clock: HeldClock) -> None:
    """Slots are the engine's, and the line behind them ends at the limit of the settings."""
    async with kept(tmp_path, clock, options("parallel=2"), queue_limit=1) as made:
        await until(lambda: made.model.state == "ready")
        asking = [asyncio.create_task(ask(made.model, "[[hang=0]]")) for _ in range(3)]
        await until(lambda: (made.model.queue.running, made.model.queue.waiting) == (2, 1))

        with pytest.raises(Overloaded):
            await ask(made.model)

        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        assert await ask(made.model) == "one two"


async def test_leaving_ends_every_worker(tmp_path: Path, clock: HeldClock) -> None:
    """After the pool no process of it is left, not even one in mid-answer."""
    async with kept(tmp_path, clock, PLAY, ModelRef("second", "scripted")) as made:
        await ask(made.pool.find("second"))
        await until(lambda: made.model.state == "ready")
        pids = [model.worker.pid for model in made.pool.models.values() if model.worker]
        asking = asyncio.create_task(ask(made.model, "[[hang=0]]"))
        await until(lambda: made.model.queue.running == 1)
        asking.cancel()

    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# ---- dying ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is Unix's")
async def test_a_killed_worker_costs_who_was_in_flight_and_nobody_else(tmp_path: Path, clock: HeldClock) -> None:
    """Who was being answered is told, who stood in line is answered by the next worker, and the restart is counted."""
    async with kept(tmp_path, clock, options("parallel=1")) as made:
        await until(lambda: made.model.state == "ready")
        in_flight = asyncio.create_task(ask(made.model, "[[hang=0]]"))
        in_line = asyncio.create_task(ask(made.model))
        await until(lambda: (made.model.queue.running, made.model.queue.waiting) == (1, 1))
        assert made.model.worker
        first = made.model.worker.pid
        os.kill(first, signal.SIGKILL)

        with pytest.raises(WorkerLost, match="signal 9"):
            await in_flight
        assert await in_line == "one two"

        info = made.model.info()
        assert (info.state, info.restarts, info.running, info.waiting) == ("ready", 1, 0, 0)
        assert info.worker_pid not in (None, first)
        assert "local/play restarting" in made.states


async def test_a_worker_that_served_starts_from_the_front(tmp_path: Path, clock: HeldClock) -> None:
    """Deaths with answers between them are never given up on, however many."""
    async with kept(tmp_path, clock, PLAY) as made:
        for _ in range(GIVE_UP_AFTER + 1):
            assert await ask(made.model) == "one two"
            with pytest.raises(WorkerLost, match="status 66"):
                await ask(made.model, "[[crash=0]]")

        assert await ask(made.model) == "one two"
        assert made.model.restarts == GIVE_UP_AFTER + 1
    assert "local/play failed" not in made.states


async def test_a_worker_that_dies_while_loading_is_given_up(tmp_path: Path, clock: HeldClock) -> None:
    """After so many deaths in a row without an answer, everybody in line is told what is wrong and what looks at it."""
    async with kept(tmp_path, clock, options("crash=1")) as made:
        told = await asyncio.gather(*(ask(made.model) for _ in range(3)), return_exceptions=True)

        assert [type(error) for error in told] == [NoCandidate] * 3
        assert "play ended 5 times in a row" in str(told[0])
        assert "nearloop doctor" in str(told[0])
        assert made.model.info().error == str(told[0])
        assert made.model.restarts == GIVE_UP_AFTER
        assert made.states.count("local/play restarting") == GIVE_UP_AFTER - 1
        assert made.states[-1] == "local/play failed"
        with pytest.raises(NoCandidate, match="5 times in a row") as caught:
            await ask(made.model)
        assert caught.value.retry_after_s == local_model.RETRY_FAILED_S
        assert made.model.queue.waiting == 0


async def test_a_model_that_can_not_be_loaded_fails_at_once(tmp_path: Path, clock: HeldClock) -> None:
    """An engine's refusal is not tried five times: its words are told, with the model's name."""
    async with kept(tmp_path, clock, ModelRef("play", "no-such-engine")) as made:
        with pytest.raises(NoCandidate, match=r"local/play: there is no engine of that name"):
            await ask(made.model)

        assert (made.model.state, made.model.restarts) == ("failed", 0)


SOMETIMES = """
import os, sys
if not os.path.exists(sys.argv[1]):
    os._exit(66)
from edge_models.worker import main
main()
"""


async def test_a_failed_model_is_tried_again_when_asked_for(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the cause is gone, a model that failed is loaded by the next wish for it, and nobody has to restart anything."""
    mended = tmp_path / "mended"
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", SOMETIMES, str(mended)])
    async with kept(tmp_path, clock, PLAY) as made:
        await until(lambda: made.model.state == "failed")
        mended.touch()

        async def wish() -> str:
            while True:
                try:
                    return await ask(made.model)
                except NoCandidate:
                    await asyncio.sleep(local_model.RETRY_FAILED_S / 5)

        assert await wish() == "one two"
        assert (made.model.state, made.model.error) == ("ready", None)


async def test_a_failed_model_is_not_tried_while_nobody_asks(tmp_path: Path, clock: HeldClock) -> None:
    """A model that can't be loaded costs nothing until somebody wants it."""
    async with kept(tmp_path, clock, ModelRef("play", "no-such-engine")) as made:
        await until(lambda: made.model.state == "failed")
        said = len(made.states)
        await asyncio.sleep(local_model.RETRY_FAILED_S * 4)

        assert len(made.states) == said


NONSENSE = 'import sys; sys.stdout.buffer.write(b"{0}" * 100); sys.stdout.flush(); sys.stdin.read()'


@pytest.mark.parametrize("words", ["garbage", r"\x00\x00\x00\x02??"], ids=["too long", "undecodable"])
async def test_a_worker_that_speaks_nonsense_costs_itself_alone(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """A worker that a hostile file took over can break its own model, and not the pool with all others in it."""
    command = [sys.executable, "-c", NONSENSE.format(words)]
    async with kept(tmp_path, clock, PLAY, ModelRef("second", "scripted")) as made:
        assert await ask(made.pool.find("second")) == "one two"
        await until(lambda: made.model.state == "ready")
        monkeypatch.setattr(worker_process, "worker_command", lambda: command)
        with pytest.raises(WorkerLost):
            await ask(made.model, "[[crash=0]]")

        with pytest.raises((NoCandidate, WorkerLost)):
            await ask(made.model)
        assert await ask(made.pool.find("second")) == "one two"


MAD = """
import os
from edge_models.engines import scripted
from edge_models import worker
private = os.dup
os.dup = lambda descriptor: globals().setdefault("copy", private(descriptor))
quiet = scripted.ScriptedEngine.step
def mad(engine):
    if worker.WARM_UP_ID in engine._plays:
        return quiet(engine)
    os.write(copy, b"\\xff" * 64)
    return []
scripted.ScriptedEngine.step = mad
worker.main()
"""


async def test_nonsense_in_mid_answer_is_told_to_who_waits(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the frames of a worker break while it answers, its requests are told that it is lost, and it is replaced."""
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", MAD])
    async with kept(tmp_path, clock, PLAY) as made:
        await until(lambda: made.model.state == "ready")
        with pytest.raises(WorkerLost):
            await ask(made.model)
        monkeypatch.undo()

        await until(lambda: made.model.restarts >= 1 and made.model.state == "ready")
        assert made.model.queue.running == 0


LONG_LINE = """
import sys
from edge_models.engines import scripted
from edge_models import worker
start = scripted.ScriptedEngine.start
def chatty(engine, id, prompt, sampling):
    print("x" * 300_000, end="", file=sys.stderr, flush=True)
    return start(engine, id, prompt, sampling)
scripted.ScriptedEngine.start = chatty
worker.main()
"""


async def test_a_line_without_an_end_is_only_noise(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much an engine prints without ending the line, it is read away, and the model answers."""
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", LONG_LINE])

    async with kept(tmp_path, clock, PLAY) as made:
        assert await ask(made.model) == "one two"
        assert await ask(made.model) == "one two"
        assert made.model.restarts == 0


async def test_a_worker_that_can_not_be_started_fails_its_model(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the system refuses to start a process, the model is said to be failed and the pool lives."""
    monkeypatch.setattr(worker_process, "worker_command", lambda: [str(tmp_path / "no such program")])

    async with kept(tmp_path, clock, PLAY) as made:
        with pytest.raises(NoCandidate):
            await ask(made.model)

        assert made.model.state == "failed"


async def test_who_comes_back_as_told_is_not_refused_again(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that waits as Retry-After says triggers the next try and is served by it, instead of refused for it."""
    monkeypatch.setattr(local_model, "RETRY_FAILED_S", 0.2)
    async with kept(tmp_path, clock, ModelRef("mine", "openvino-genai", str(tmp_path / "nowhere"))) as house:
        with pytest.raises(NoCandidate):
            await ask(house.model)
        house.model.ref = PLAY  # what was missing is there now
        while house.model._wanted.is_set():
            await asyncio.sleep(0.01)

        assert await ask(house.model) == "one two"


# ---- waiting --------------------------------------------------------------------------------------------------------


async def test_who_waits_hears_of_the_loading(tmp_path: Path, clock: HeldClock) -> None:
    """A request that waits for a cold model is told each state that it comes to."""
    async with kept(tmp_path, clock, PLAY, ModelRef("second", "scripted", "load_ms=20")) as made:
        heard = []
        async with made.pool.find("second").lease("somebody") as lease:
            async for stage, _ in lease.stages():
                heard.append(stage)

        assert heard
        assert set(heard) <= {"loading", "ready"}
        assert heard[0] == "loading"


async def test_a_request_waits_no_longer_than_it_may(tmp_path: Path, clock: HeldClock) -> None:
    """Who has waited as long as it may leaves the line with a hint, and takes nobody's slot."""
    async with kept(tmp_path, clock, options("parallel=1")) as made:
        await until(lambda: made.model.state == "ready")
        answering = asyncio.create_task(ask(made.model, "[[hang=0]]"))
        await until(lambda: made.model.queue.running == 1)

        with pytest.raises(Overloaded, match="as long as it may"):
            async with made.model.lease("late") as lease:
                async for _ in lease.stages(asyncio.get_running_loop().time() + 0.05):
                    pass

        assert (made.model.queue.running, made.model.queue.waiting) == (1, 0)
        answering.cancel()
