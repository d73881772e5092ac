"""A worker process: what its requests get, and what they get when it dies."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest

from daemon import machine_memory, worker_process
from daemon.errors import NoCandidate
from daemon.worker_process import WorkerLost, WorkerProcess
from edge_models import ipc
from edge_models.catalog import ModelRef
from edge_models.engines import base
from edge_models.engines.base import Capabilities, Chat, Turn
from edge_models.ipc import End, Started, Text
from providers.contract import (
    BadAnswer,
    ContextTooLong,
    ProviderError,
    Tool,
    Unsupported,
)
from tests.fakes.alone import ROOT
from tests.fakes.running import wait_until
from tests.fakes.workers import WAIT_S, serving, spawned

ALL = Capabilities(parallel=8, logprobs="top", seed=True, penalties=True)
NOTHING = Capabilities(parallel=1, logprobs="none", seed=False, penalties=False)
LOOK = Tool("look", "", {})


def chat(text: str) -> Chat:
    return Chat((Turn("user", text),))


async def collect(worker: WorkerProcess, text: str) -> list[Started | Text | End]:
    return [event async for event in worker.generate(chat(text), base.Sampling())]


async def test_a_worker_tells_what_it_loads_and_answers(tmp_path: Path) -> None:
    """Loading passes its progress on and gives the engine's abilities, and a request gets its events in order."""
    stages: list[str] = []
    async with spawned(tmp_path, "context=77") as worker, asyncio.timeout(WAIT_S):
        ready = await worker.load(lambda loading: stages.append(loading.stage))
        task = asyncio.create_task(worker.serve())

        assert await collect(worker, "one two") == [Started(1, 2), Text(1, "one"), Text(1, " two"), End(1, "stop", 2)]
        await worker.stop()
        await task

    assert (ready.context_tokens, ready.device, worker.ready) == (77, "CPU", ready)
    assert worker.hello and worker.hello.pid == worker.pid
    assert stages == ["loading"]
    assert worker.served == 1


async def test_requests_side_by_side_get_their_own_words(tmp_path: Path) -> None:
    """Answers that are made together are not mixed up."""
    async with serving(tmp_path) as (worker, _):
        answers = await asyncio.gather(*(collect(worker, f"word{number} end") for number in range(8)))

    said = ["".join(event.text for event in answer if isinstance(event, Text)) for answer in answers]
    assert said == [f"word{number} end" for number in range(8)]
    assert worker.served == 8


async def test_closing_a_request_cancels_it(tmp_path: Path) -> None:
    """Who reads no more stops the engine: its only slot is free for the next, long before the answer was over."""
    async with serving(tmp_path, "parallel=1,context=10000000") as (worker, _):
        async with aclosing(worker.generate(chat("[[tokens=1000000]] [[delay=20]]"), base.Sampling())) as events:
            async for event in events:
                if isinstance(event, Text):
                    break
        began = asyncio.get_running_loop().time()

        # The scripted engine sleeps as long as the slowest request in flight asks: 50 tokens would take a second.
        answer = await collect(worker, "[[tokens=50]]")

        assert asyncio.get_running_loop().time() - began < 0.7
        assert answer[-1] == End(2, "stop", 50)
        assert worker.served == 1


async def test_a_prompt_over_the_window(tmp_path: Path) -> None:
    """A refusal of the engine is raised with its numbers, and the worker goes on."""
    async with serving(tmp_path, "context=10") as (worker, _):
        with pytest.raises(ContextTooLong) as caught:
            await collect(worker, "[[prompt=50]]")

        assert (caught.value.prompt_tokens, caught.value.context_tokens) == (50, 10)
        assert (await collect(worker, "ok"))[-1] == End(2, "stop", 1)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is Unix's")
async def test_a_killed_worker_is_told_to_everybody(tmp_path: Path) -> None:
    """All requests in flight get the same clear error with a hint, whether they have words already or not."""
    async with serving(tmp_path) as (worker, task):
        heard: dict[int, int] = {}

        async def listen(number: int) -> None:
            async with aclosing(worker.generate(chat(f"[[hang={number}]] a b c"), base.Sampling())) as events:
                async for _ in events:
                    heard[number] = heard.get(number, -1) + 1

        requests = [asyncio.create_task(listen(number)) for number in range(3)]
        while heard != {0: 0, 1: 1, 2: 2}:
            await asyncio.sleep(0.005)
        os.kill(worker.pid, signal.SIGKILL)

        for request in requests:
            with pytest.raises(WorkerLost, match="ended by signal 9 in mid-answer") as caught:
                await request
            assert caught.value.retry_after_s == worker_process.RESTART_HINT_S
        await task
        assert worker.served == 0


async def test_a_request_to_a_lost_worker_does_not_hang(tmp_path: Path) -> None:
    """Who comes in the moment between a worker's end and its removal is told like those who were in flight."""
    async with serving(tmp_path) as (worker, task):
        await worker.stop()
        await task

        with pytest.raises(WorkerLost):
            async with asyncio.timeout(1):
                await collect(worker, "too late")


async def test_a_crash_in_mid_answer_is_told_with_its_status(tmp_path: Path) -> None:
    """The words that came before the crash are passed on, then its exit status is told."""
    async with serving(tmp_path) as (worker, _):
        answer = worker.generate(chat("[[tokens=9]] [[crash=2]]"), base.Sampling())

        assert [await anext(answer) for _ in range(3)] == [Started(1, 2), Text(1, "0 "), Text(1, "1 ")]
        with pytest.raises(WorkerLost, match=r"ended with status 66 in mid-answer\. .* ask once more"):
            await anext(answer)


async def test_an_engine_that_broke_says_why(tmp_path: Path) -> None:
    """The engine's own last words are in the error."""
    async with serving(tmp_path) as (worker, _):
        with pytest.raises(WorkerLost, match="because the script says that the engine breaks here"):
            await collect(worker, "[[fail=1]] a b c")


async def test_a_crash_while_loading_is_told(tmp_path: Path) -> None:
    """A worker that dies before it is ready is lost, and not a model that can't be loaded."""
    async with spawned(tmp_path, "crash=1") as worker, asyncio.timeout(WAIT_S):
        with pytest.raises(WorkerLost, match="ended with status 66 while it loaded"):
            await worker.load(lambda loading: None)


DYING = (
    "import sys; print('line one', file=sys.stderr); print('the last line', file=sys.stderr, flush=True); sys.exit(3)"
)


async def test_last_words_while_loading_are_in_the_epitaph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker printed last before it died in loading is told, since no user's words can be in it yet."""
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", DYING])

    async with asyncio.timeout(WAIT_S):
        worker = await WorkerProcess.spawn(ModelRef("play", "scripted"), tmp_path)
        await worker.read_stderr()
        with pytest.raises(
            WorkerLost, match=r"ended with status 3 while it loaded; its last line: the last line\. It is"
        ):
            await worker.load(lambda loading: None)


CHATTY = """
import sys
from edge_models.engines import scripted
from edge_models import worker
load = scripted.load
scripted.load = lambda *arguments: (print("while loading", file=sys.stderr, flush=True), load(*arguments))[1]
start = scripted.ScriptedEngine.start
def chatty(self, id, prompt, sampling):
    print(getattr(prompt, 'turns', [prompt])[-1].text, file=sys.stderr, flush=True)
    return start(self, id, prompt, sampling)
scripted.ScriptedEngine.start = chatty
worker.main()
"""


async def test_what_an_engine_prints_of_a_request_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines printed after loading could hold the user's words, and are in no error."""
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", CHATTY])

    async with serving(tmp_path) as (worker, _):
        with pytest.raises(WorkerLost) as caught:
            await collect(worker, "canary [[crash=0]]")

        assert "canary" not in str(caught.value)
        assert "while loading" not in str(caught.value)


async def test_a_model_that_can_not_be_loaded_is_no_lost_worker(tmp_path: Path) -> None:
    """An engine's refusal to load is the user's to mend, and its words are passed on."""
    async with asyncio.timeout(WAIT_S):
        worker = await WorkerProcess.spawn(ModelRef("play", "no-such-engine"), tmp_path)
        with pytest.raises(NoCandidate, match="there is no engine of that name"):
            await worker.load(lambda loading: None)
        await worker.stop()


async def test_a_request_too_large_for_the_pipe_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt over the worker protocol's limit is a planned error, and the worker goes on."""
    async with serving(tmp_path) as (worker, _):
        monkeypatch.setattr(ipc, "MAX_FRAME_BYTES", 1000)
        with pytest.raises(ProviderError):
            await collect(worker, "word " * 1000)

        assert (await collect(worker, "ok"))[-1].completion_tokens == 1


async def test_stopping_kills_what_does_not_listen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that ignores the end of its input is killed after its time."""
    deaf = "import time; time.sleep(600)"
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", deaf])
    monkeypatch.setattr(worker_process, "STOP_S", 0.05)

    async with asyncio.timeout(WAIT_S):
        worker = await WorkerProcess.spawn(ModelRef("play", "scripted"), tmp_path)
        await worker.stop()

    with pytest.raises(ProcessLookupError):
        os.kill(worker.pid, 0)


def test_failures_are_told_by_their_kind() -> None:
    """What an engine refuses becomes the provider's error of the same meaning."""
    bad_prompt = worker_process._provider_error(ipc.Failed(1, "BadPrompt", "no tool turns"))
    other = worker_process._provider_error(ipc.Failed(1, "Broken", "gone"))

    assert isinstance(bad_prompt, Unsupported)
    assert (bad_prompt.parameter, str(bad_prompt)) == ("messages", "no tool turns")
    assert type(other) is BadAnswer


async def test_scores_of_a_kept_request(tmp_path: Path) -> None:
    """What might follow is told in flight and after the end, until the generator is closed, and the oldest question first."""
    async with serving(tmp_path) as (worker, _):
        answer = worker.generate(chat("one two three"), base.Sampling(keep=True))
        started = await anext(answer)
        assert isinstance(started, Started)
        async for event in answer:
            if isinstance(event, End):
                break
        one, two = await asyncio.gather(worker.score(started.id, (" yes", " no no")), worker.score(started.id, ()))
        assert [len(logprobs) for logprobs in one] == [1, 2]
        assert all(logprob <= 0 for logprobs in one for logprob in logprobs)
        assert two == ()
        await answer.aclose()

        with pytest.raises(BadAnswer, match="can't be scored"):
            await worker.score(started.id, (" yes",))


async def test_a_prompt_is_counted(tmp_path: Path) -> None:
    """The length of a prompt is known without asking for an answer; what is too large for a frame is refused."""
    async with serving(tmp_path) as (worker, _):
        assert await worker.count(chat("one two three")) == 3
        with pytest.raises(Unsupported):
            await worker.count(chat("x" * (65 << 20)))
        assert await worker.count(chat("one")) == 1


async def test_a_question_to_a_worker_that_dies_is_answered(tmp_path: Path) -> None:
    """Whoever waits for a score is told, as whoever waits for words is."""
    async with serving(tmp_path) as (worker, _):
        answer = worker.generate(chat("[[tokens=2]] [[hang=1]]"), base.Sampling())
        started = await anext(answer)
        assert isinstance(started, Started)
        await anext(answer)
        os.kill(worker.pid, signal.SIGSTOP)
        asking = asyncio.create_task(worker.score(started.id, (" yes",)))
        await asyncio.sleep(0)
        os.kill(worker.pid, signal.SIGKILL)

        with pytest.raises(WorkerLost):
            await asking
        with pytest.raises(WorkerLost):
            await anext(answer)
        with pytest.raises(WorkerLost):
            await worker.score(started.id, (" yes",))


CANARY = "canary-4417"
LOOKING = """
import os, sys
print([name for name, value in os.environ.items() if value == sys.argv[1]], file=sys.stderr, flush=True)
sys.exit(1)
"""


async def test_a_worker_sees_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what is called like a key nor what the settings name as one reaches the process; the rest does."""
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "MY_WORK", "HARMLESS"):
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", LOOKING, CANARY])

    async with asyncio.timeout(WAIT_S):
        worker = await WorkerProcess.spawn(ModelRef("play", "scripted"), tmp_path, keys=["MY_WORK"])
        await worker.read_stderr()
        with pytest.raises(WorkerLost, match=r"its last line: \['HARMLESS'\]"):
            await worker.load(lambda loading: None)


ABORTING = """
import os, sys
from edge_models.engines import scripted
from edge_models import worker
def abort(self, id, prompt, sampling):
    if id:
        print("terminate called after throwing an instance of 'std::bad_alloc'", file=sys.stderr, flush=True)
        os.abort()
    return quiet(self, id, prompt, sampling)
quiet, scripted.ScriptedEngine.start = scripted.ScriptedEngine.start, abort
worker.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGABRT is Unix's")
async def test_a_crash_for_lack_of_memory_is_told_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code that aborts because it got no memory leaves the reason and the remedy in the error, and no words of it."""
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", ABORTING])

    async with serving(tmp_path) as (worker, _):
        with pytest.raises(WorkerLost, match=r"ended by signal 6 in mid-answer: .* memory") as caught:
            await collect(worker, "hi")

        assert "bad_alloc" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is Unix's")
async def test_the_systems_own_choice_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill that comes while the kernel counts one more process ended for lack of memory is told as that."""
    async with serving(tmp_path) as (worker, task):
        counted = machine_memory.oom_kills()
        monkeypatch.setattr(machine_memory, "oom_kills", lambda: counted + 1)
        os.kill(worker.pid, signal.SIGKILL)
        await task

        with pytest.raises(
            WorkerLost, match=r"ended by signal 9 in mid-answer: the system ends processes for lack of memory"
        ):
            await collect(worker, "too late")


DAEMON = """
import asyncio, sys
from pathlib import Path
from daemon import machine_memory, worker_process
from edge_models.catalog import ModelRef
from edge_models.engines.base import Raw, Sampling
worker_process.worker_command = lambda: [sys.executable, "-c", sys.argv[2]]
async def main():
    worker = await worker_process.WorkerProcess.spawn(ModelRef("play", "scripted"), Path(sys.argv[1]))
    await worker.load(lambda loading: None)
    async with asyncio.TaskGroup() as group:
        group.create_task(worker.serve())
        async for event in worker.generate(Raw("hi"), Sampling()):
            print(worker.pid, flush=True)
asyncio.run(main())
"""
BUSY = """
import ctypes
from edge_models.engines import scripted
from edge_models import worker
quiet = scripted.ScriptedEngine.step
def step(engine):
    if worker.WARM_UP_ID not in engine._plays:
        ctypes.PyDLL(None).sleep(600)  # with the interpreter kept to itself, so that no thread of ours can look
    return quiet(engine)
scripted.ScriptedEngine.step = step
worker.main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="held by the kernel on Linux")
def test_a_killed_daemon_takes_a_worker_in_native_code_along(tmp_path: Path) -> None:
    """kill -9 of the daemon ends its worker at once, though its engine lets none of our threads run."""
    daemon = subprocess.Popen(
        [sys.executable, "-c", DAEMON, str(tmp_path), BUSY], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert daemon.stdout
    pid = int(daemon.stdout.readline())
    assert psutil.pid_exists(pid)

    daemon.kill()
    daemon.wait()
    daemon.stdout.close()

    wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie", 10, "the worker's end")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGSTOP is Unix's")
async def test_a_worker_that_says_nothing_any_more_is_ended(tmp_path: Path) -> None:
    """One that neither answers nor dies, be it stopped or dead-locked, is ended, and whoever waits is told so."""
    async with serving(tmp_path) as (worker, task):
        watching = asyncio.create_task(worker.watch(stall_s=1.0))
        await collect(worker, "one")
        answer = asyncio.create_task(collect(worker, "[[hang=1]] a b"))
        await asyncio.sleep(0)
        os.kill(worker.pid, signal.SIGSTOP)

        with pytest.raises(WorkerLost, match="said nothing any more and was ended"):
            await answer
        await task
        await watching


async def test_a_worker_that_works_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long silence of an answer is none of its worker, which says that it works; and idle ones need not say anything."""
    lively = "from edge_models import worker; worker.SIGN_OF_LIFE_S = 0.05; worker.main()"
    monkeypatch.setattr(worker_process, "worker_command", lambda: [sys.executable, "-c", lively])
    async with serving(tmp_path) as (worker, _):
        watching = asyncio.create_task(worker.watch(stall_s=1.2))
        answer = asyncio.create_task(collect(worker, "[[hang=1]] a b"))

        _, waiting = await asyncio.wait({answer, watching}, timeout=2.5)

        assert waiting == {answer, watching}
        answer.cancel()
        _, waiting = await asyncio.wait({watching}, timeout=1.5)
        assert waiting
        await worker.stop()
        await watching
