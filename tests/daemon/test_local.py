"""The bridge to a worker: what a local model can be asked, and what a request gets when its worker dies."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon import local
from daemon.errors import NoCandidate
from daemon.local import WorkerLost, WorkerProcess, not_honoured, prompt_of, sampling_of, stream
from edge_models import ipc
from edge_models.catalog import ModelRef
from edge_models.engines import base
from edge_models.engines.base import Capabilities, Chat, Turn
from edge_models.ipc import End, Started, Text
from providers.contract import (
    BadAnswer,
    ContextTooLong,
    File,
    Finish,
    Image,
    Message,
    Part,
    ProviderError,
    Request,
    Sampling,
    TextDelta,
    Thought,
    Tool,
    ToolCall,
    ToolResult,
    Unsupported,
    Usage,
)
from providers.contract import Text as TextPart

WAIT_S = 10.0
ALL = Capabilities(parallel=8, logprobs="top", seed=True, penalties=True)
NOTHING = Capabilities(parallel=1, logprobs="none", seed=False, penalties=False)
LOOK = Tool("look", "", {})


def asked(text: str = "hi", **fields: Any) -> Request:
    messages = (Message("user", (TextPart(text),)),)
    return Request(id="0" * 16, model="local", messages=messages, protocol="openai-chat", **fields)


# ---- what is left aside and what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("capabilities", [ALL, NOTHING])
def test_a_plain_request_is_honoured_whole(capabilities: Capabilities) -> None:
    """What every engine can do is not said to be left aside."""
    sampling = Sampling(max_tokens=5, temperature=0.5, top_p=0.9, stop=("x",))

    assert not_honoured(asked(sampling=sampling), capabilities) == ()


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"sampling": Sampling(seed=0)}, ("seed",)),
        ({"sampling": Sampling(presence_penalty=0.1)}, ("presence_penalty",)),
        ({"sampling": Sampling(frequency_penalty=-0.1)}, ("frequency_penalty",)),
        (
            {"sampling": Sampling(seed=1, presence_penalty=1, frequency_penalty=1), "tools": (LOOK,)},
            ("tools", "seed", "presence_penalty", "frequency_penalty"),
        ),
    ],
)
def test_what_an_engine_can_not_do_is_left_aside(fields: dict[str, Any], names: tuple[str, ...]) -> None:
    """Wishes that only shape the words are left aside and named, and an engine that can honours them."""
    assert not_honoured(asked(**fields), NOTHING) == names
    assert set(not_honoured(asked(**fields), ALL)) <= {"tools"}


def test_tools_that_may_not_be_called_are_not_missed() -> None:
    """With tool_choice `none` an answer without tools is what was asked for."""
    assert not_honoured(asked(tools=(LOOK,), tool_choice="none"), ALL) == ()


@pytest.mark.parametrize(
    ("fields", "parameter"),
    [
        ({"sampling": Sampling(choices=2)}, "choices"),
        ({"schema": {"type": "object"}}, "schema"),
        ({"tools": (LOOK,), "tool_choice": "required"}, "tool_choice"),
        ({"tools": (LOOK,), "tool_choice": "look"}, "tool_choice"),
    ],
)
def test_what_the_client_relies_on_is_refused(fields: dict[str, Any], parameter: str) -> None:
    """What would change the answer's meaning is refused by its name, whatever the engine."""
    for capabilities in (ALL, NOTHING):
        with pytest.raises(Unsupported) as caught:
            not_honoured(asked(**fields), capabilities)
        assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("engine", "top", "parameter"),
    [
        ("none", 0, "logprobs"),
        ("none", 2, "logprobs"),
        ("chosen", 0, None),
        ("chosen", 2, "top_logprobs"),
        ("top", 2, None),
    ],
)
def test_log_probabilities_are_given_or_refused(engine: Any, top: int, parameter: str | None) -> None:
    """Numbers that an engine does not have are refused, and never left empty."""
    request = asked(sampling=Sampling(logprobs=True, top_logprobs=top))
    capabilities = Capabilities(1, engine, seed=True, penalties=True)
    if parameter is None:
        assert not_honoured(request, capabilities) == ()
        return
    with pytest.raises(Unsupported) as caught:
        not_honoured(request, capabilities)
    assert caught.value.parameter == parameter


# ---- in the engine's terms ------------------------------------------------------------------------------------------


def test_a_conversation_becomes_turns() -> None:
    """Each message is one turn with its role and its words; parts stand on lines of their own, reasoning is left out."""
    messages = (
        Message("system", (TextPart("be brief"),)),
        Message("user", (TextPart("one"), TextPart("two"))),
        Message("assistant", (Thought("hm", "sig"), TextPart("so"), ToolCall("1", "look", '{"at": 1}'))),
        Message("tool", (ToolResult("1", (TextPart("seen"), TextPart("it"))),)),
        Message("assistant", (ToolCall("2", "rest", ""),)),
    )

    assert prompt_of(messages) == Chat(
        (
            Turn("system", "be brief"),
            Turn("user", "one\ntwo"),
            Turn("assistant", 'so\n{"name": "look", "arguments": {"at": 1}}'),
            Turn("tool", "seen\nit"),
            Turn("assistant", '{"name": "rest", "arguments": {}}'),
        )
    )


@pytest.mark.parametrize("name", ['qu"ote', "back\\slash", "new\nline", "ä"])
def test_an_earlier_call_is_json_whatever_its_name(name: str) -> None:
    """The name of a tool is the client's text, and can't break out of its quotes."""
    (turn,) = prompt_of((Message("assistant", (ToolCall("1", name, "{}"),)),)).turns

    assert msgspec.json.decode(turn.text) == {"name": name, "arguments": {}}


@pytest.mark.parametrize(
    "part",
    [Image("data:image/png;base64,canary"), File("canary", "canary"), ToolResult("1", (Image("canary"),))],
    ids=["image", "file", "image in a tool's result"],
)
def test_what_a_text_model_can_not_read_is_refused(part: Part) -> None:
    """A picture or a document is refused instead of left out, in words that don't repeat it."""
    with pytest.raises(Unsupported) as caught:
        prompt_of((Message("user", (part,)),))

    assert caught.value.parameter == "messages"
    assert "canary" not in str(caught.value)


def test_sampling_is_handed_on() -> None:
    """Every wish that an engine knows reaches it, and what was not asked for stays unasked."""
    wanted = Sampling(5, 0.5, 0.25, 7, ("a", "b"), 0.1, 0.2, True, 3, 1)

    assert sampling_of(asked(sampling=wanted)) == base.Sampling(5, 0.5, 0.25, 7, ("a", "b"), 0.1, 0.2, True)
    assert sampling_of(asked()) == base.Sampling()


# ---- a worker -------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def spawned(folder: Path, options: str = "") -> AsyncIterator[WorkerProcess]:
    """A worker that was told to load the scripted engine."""
    worker = await WorkerProcess.spawn(ModelRef("play", "scripted", options), folder)
    reading = asyncio.create_task(worker.read_stderr())
    try:
        yield worker
    finally:
        await worker.stop()
        await reading


@asynccontextmanager
async def serving(folder: Path, options: str = "") -> AsyncIterator[tuple[WorkerProcess, asyncio.Task[None]]]:
    """A loaded worker, and the task that hands its events out."""
    async with spawned(folder, options) as worker, asyncio.timeout(WAIT_S):
        await worker.load(lambda loading: None)
        task = asyncio.create_task(worker.serve())
        try:
            yield worker, task
        finally:
            await worker.stop()
            await asyncio.gather(task, return_exceptions=True)


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


async def test_a_stream_has_words_numbers_and_usage(tmp_path: Path) -> None:
    """In the neutral model an answer is its text, the probabilities that were asked for, and one finish with its usage."""
    async with serving(tmp_path) as (worker, _):
        request = asked("one two three", sampling=Sampling(max_tokens=2, logprobs=True))
        deltas = [delta async for delta in stream(worker, request)]

    texts = [delta for delta in deltas if isinstance(delta, TextDelta)]
    assert [delta.text for delta in texts] == ["one", " two"]
    assert [[detail.piece for detail in delta.logprobs] for delta in texts] == [[b"one"], [b" two"]]
    assert deltas[-1] == Finish("length", Usage(3, 2))


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
            assert caught.value.retry_after_s == local.RESTART_HINT_S
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
    monkeypatch.setattr(local, "worker_command", lambda: [sys.executable, "-c", DYING])

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
    print(prompt.turns[-1].text, file=sys.stderr, flush=True)
    return start(self, id, prompt, sampling)
scripted.ScriptedEngine.start = chatty
worker.main()
"""


async def test_what_an_engine_prints_of_a_request_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines printed after loading could hold the user's words, and are in no error."""
    monkeypatch.setattr(local, "worker_command", lambda: [sys.executable, "-c", CHATTY])

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
    monkeypatch.setattr(local, "worker_command", lambda: [sys.executable, "-c", deaf])
    monkeypatch.setattr(local, "STOP_S", 0.05)

    async with asyncio.timeout(WAIT_S):
        worker = await WorkerProcess.spawn(ModelRef("play", "scripted"), tmp_path)
        await worker.stop()

    with pytest.raises(ProcessLookupError):
        os.kill(worker.pid, 0)


def test_failures_are_told_by_their_kind() -> None:
    """What an engine refuses becomes the provider's error of the same meaning."""
    bad_prompt = local._provider_error(ipc.Failed(1, "BadPrompt", "no tool turns"))
    other = local._provider_error(ipc.Failed(1, "Broken", "gone"))

    assert isinstance(bad_prompt, Unsupported)
    assert (bad_prompt.parameter, str(bad_prompt)) == ("messages", "no tool turns")
    assert type(other) is BadAnswer
