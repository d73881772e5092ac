"""The worker as the process that it is: spoken to over its pipes, with the scripted engine inside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from edge_models.catalog import CATALOG, ModelRef
from edge_models.engines.base import Chat, Sampling, Turn
from edge_models.engines.scripted import ScriptedEngine
from edge_models.ipc import (
    HEADER_BYTES,
    PROTOCOL,
    Batch,
    Cancel,
    Command,
    Count,
    Counted,
    End,
    Event,
    Failed,
    Hello,
    Load,
    Loading,
    Ready,
    Score,
    Scored,
    Start,
    Started,
    Text,
    body_length,
    decode_event,
    frame,
)
from edge_models.store import locate
from edge_models.worker import EXIT_BROKEN

END_S = 10.0
PLAIN = Sampling()
MODULE = ["-m", "edge_models.worker"]


class Speaker:
    """The daemon's end of the pipes."""

    def __init__(self, stderr: Path, command: list[str]) -> None:
        with stderr.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )

    def say(self, *commands: Command) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(map(frame, commands)))
        self.process.stdin.flush()

    def hear(self) -> Event | None:
        """The next event; None if the worker is gone."""
        assert self.process.stdout
        header = self.process.stdout.read(HEADER_BYTES)
        if not header:
            return None
        return decode_event(self.process.stdout.read(body_length(header)))

    def hear_until(self, *ids: int) -> list[Event]:
        """All events until these requests ended or were refused."""
        open, heard = set(ids), []
        while open:
            event = self.hear()
            assert event is not None, "the worker ended"
            heard.append(event)
            match event:
                case Batch(events=events):
                    open -= {item.id for item in events if isinstance(item, End)}
                case Failed(id=id):
                    open -= {id}
        return heard

    def hang_up(self) -> int:
        """Close its input, and return how it ended."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(END_S)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(END_S)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            with suppress(BrokenPipeError):
                pipe.close()


@contextmanager
def speaking(folder: Path, options: str = "", command: list[str] = MODULE) -> Iterator[Speaker]:
    """A worker that was told to load, and has not been listened to yet."""
    speaker = Speaker(folder / "stderr", command)
    try:
        speaker.say(Load(ModelRef("play", "scripted", options), str(folder)))
        yield speaker
    finally:
        speaker.close()


@contextmanager
def ready(folder: Path, options: str = "", command: list[str] = MODULE) -> Iterator[Speaker]:
    """A worker with its model loaded."""
    with speaking(folder, options, command) as speaker:
        while not isinstance(event := speaker.hear(), Ready):
            assert isinstance(event, Hello | Loading), event
        yield speaker


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Speaker]:
    with ready(tmp_path_factory.mktemp("worker"), "context=100000") as speaker:
        yield speaker


def asked(text: str) -> Chat:
    return Chat((Turn("user", text),))


def start(id: int, text: str, sampling: Sampling = PLAIN) -> Start:
    return Start(id, asked(text), sampling)


def items(events: list[Event], id: int) -> list[Text | End]:
    """What a request got, batch after batch."""
    return [item for event in events if isinstance(event, Batch) for item in event.events if item.id == id]


def words(events: list[Event], id: int) -> str:
    return "".join(item.text for item in items(events, id) if isinstance(item, Text))


# ---- loading --------------------------------------------------------------------------------------------------------


def test_hello_comes_first_and_ready_tells_the_engine(tmp_path: Path) -> None:
    """A worker says who it is, then that it loads, then what it can; and nothing else before it is asked."""
    with speaking(tmp_path, "parallel=3,context=50") as speaker:
        hello = speaker.hear()
        assert isinstance(hello, Hello)
        assert (hello.protocol, hello.engine, hello.versions) == (PROTOCOL, "scripted", {})
        assert hello.pid == speaker.process.pid
        assert speaker.hear() == Loading("loading", None)
        assert speaker.hear() == Ready(ScriptedEngine(parallel=3).capabilities, 50, "CPU")
        speaker.say(start(1, "one"))
        assert speaker.hear() == Started(1, 1)


def test_an_engine_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A model that can't be loaded is refused in words, and the process ends with the status for it."""
    speaker = Speaker(tmp_path / "stderr", MODULE)
    speaker.say(Load(ModelRef("x", "no-such-engine"), str(tmp_path)))

    event = speaker.hear()

    assert isinstance(event, Failed)
    assert (event.id, event.kind) == (None, "NotInstalled")
    assert speaker.hear() is None
    assert speaker.process.wait(END_S) == EXIT_BROKEN
    speaker.close()


def test_a_crash_while_loading_is_the_end_of_the_stream(tmp_path: Path) -> None:
    """An engine that takes its process down leaves whole frames and its exit status."""
    with speaking(tmp_path, "crash=1") as speaker:
        assert isinstance(speaker.hear(), Hello)
        assert isinstance(speaker.hear(), Loading)
        assert speaker.hear() is None
        assert speaker.process.wait(END_S) == 66


# ---- answering ------------------------------------------------------------------------------------------------------


def test_a_request_is_answered_in_pieces(worker: Speaker) -> None:
    """A request is taken in with its length, and its words and its end follow, a batch a step."""
    worker.say(start(10, "one two three"))

    assert worker.hear_until(10) == [
        Started(10, 3),
        Batch((Text(10, "one"),)),
        Batch((Text(10, " two"),)),
        Batch((Text(10, " three"),)),
        Batch((End(10, "stop", 3),)),
    ]


def test_two_requests_share_their_batches(worker: Speaker) -> None:
    """Requests in flight are stepped together, one frame for both, and each gets its own words."""
    worker.say(start(20, "[[tokens=20]] [[delay=5]]"), start(21, "[[tokens=20]]"))

    events = worker.hear_until(20, 21)

    expected = "".join(f"{number} " for number in range(20))
    assert words(events, 20) == words(events, 21) == expected
    shared = [event for event in events if isinstance(event, Batch) and {item.id for item in event.events} == {20, 21}]
    assert len(shared) >= 15
    assert items(events, 20)[-1] == End(20, "stop", 20)


def test_a_cancelled_request_is_not_heard_of_again(worker: Speaker) -> None:
    """After the worker took a cancel, it says nothing more of that request, and others go on."""
    worker.say(start(30, "[[tokens=100000]] [[delay=1]]"), start(31, "[[tokens=40]]"))
    while not items([event for event in [worker.hear()] if event], 30):
        pass

    worker.say(Cancel(30), Cancel(30), Cancel(999), start(32, "done"))
    events = worker.hear_until(31, 32)

    after = events[events.index(Started(32, 1)) :]
    assert items(after, 30) == []
    assert words(after, 32) == "done"
    assert not any(isinstance(item, End) for item in items(events, 30))


def test_a_prompt_over_the_window_is_refused_with_both_numbers(worker: Speaker) -> None:
    """A refused request is an event of its own, and the worker goes on."""
    worker.say(start(40, "[[prompt=100000]]"), start(41, "still here"))

    events = worker.hear_until(40, 41)

    failed = next(event for event in events if isinstance(event, Failed))
    assert (failed.id, failed.kind, failed.numbers) == (40, "ContextTooLong", (100_000, 100_000))
    assert words(events, 41) == "still here"


def test_a_stop_string_ends_the_answer_before_it(worker: Speaker) -> None:
    """The worker finds a stop string over tokens, tells what stood before it, and counts every token made."""
    worker.say(start(50, "one two three four", Sampling(stop=("o thr",))))

    events = worker.hear_until(50)

    assert words(events, 50) == "one tw"
    assert items(events, 50)[-1] == End(50, "stop", 3, "o thr")


def test_what_was_held_back_comes_before_the_end(worker: Speaker) -> None:
    """A tail that looked like a stop string, and the rest of a broken character, are said when the answer is over."""
    worker.say(start(60, "one", Sampling(stop=("one two",))), start(61, "[[bytes=61f09f]]"))

    events = worker.hear_until(60, 61)

    assert items(events, 60) == [Text(60, "one"), End(60, "stop", 1)]
    assert words(events, 61) == "a\ufffd"


def test_a_prompt_is_counted(worker: Speaker) -> None:
    """The length of a prompt is told without an answer to it, beside answers, and beyond the window too."""
    worker.say(start(90, "one two"), Count(91, asked("one two three")), Count(92, asked("[[prompt=200000]]")))

    events = worker.hear_until(90)

    assert [event for event in events if isinstance(event, Counted)] == [Counted(91, 3), Counted(92, 200_000)]
    assert words(events, 90) == "one two"


def test_max_tokens_is_a_length(worker: Speaker) -> None:
    """An answer that was cut says so."""
    worker.say(start(70, "one two three", Sampling(max_tokens=2)))

    assert items(worker.hear_until(70), 70)[-1] == End(70, "length", 2)


def test_details_come_for_those_who_asked(worker: Speaker) -> None:
    """Log-probabilities are reported for one request and not for the other beside it."""
    worker.say(start(80, "one two", Sampling(logprobs=True)), start(81, "one two"))

    events = worker.hear_until(80, 81)

    texts = [item for item in items(events, 80) if isinstance(item, Text)]
    assert [token.piece for item in texts for token in item.tokens] == [b"one", b" two"]
    assert all(item.tokens == () for item in items(events, 81) if isinstance(item, Text))


# ---- ending ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("busy", ["", "[[hang=0]]", "[[delay=60000]]"], ids=["idle", "hanging", "in a long step"])
def test_the_end_of_its_input_ends_it(tmp_path: Path, busy: str) -> None:
    """When the daemon is gone the worker ends at once and well, whatever its engine is doing."""
    with ready(tmp_path) as speaker:
        if busy:
            speaker.say(start(1, busy))
            assert speaker.hear() == Started(1, 1)
        began = time.monotonic()

        assert speaker.hang_up() == 0
        assert time.monotonic() - began < 5


def test_half_a_frame_ends_it(tmp_path: Path) -> None:
    """A daemon that was killed in mid-word ends the worker like one that hung up."""
    with ready(tmp_path) as speaker:
        assert speaker.process.stdin
        speaker.process.stdin.write(frame(start(1, "words"))[:-3])

        assert speaker.hang_up() == 0
        assert speaker.hear() is None


def test_a_daemon_that_reads_no_more_ends_it(tmp_path: Path) -> None:
    """A worker that nobody listens to any more ends without a complaint."""
    with ready(tmp_path) as speaker:
        assert speaker.process.stdout
        speaker.process.stdout.close()
        speaker.say(start(1, "[[tokens=1000]]"))

        assert speaker.process.wait(END_S) == 0
        assert (tmp_path / "stderr").read_text() == ""


def test_an_engine_that_breaks_is_told_before_the_end(tmp_path: Path) -> None:
    """A broken engine's last event says why, and the exit status says that it was told."""
    with ready(tmp_path) as speaker:
        speaker.say(start(1, "[[tokens=9]] [[fail=2]]"))
        heard: list[Event] = []
        while event := speaker.hear():
            heard.append(event)

        assert words(heard, 1) == "0 1 "
        assert heard[-1] == Failed(None, "Broken", "the script says that the engine breaks here")
        assert speaker.process.wait(END_S) == EXIT_BROKEN


@pytest.mark.skipif(sys.platform == "win32", reason="signals are Unix's")
def test_ctrl_c_does_not_end_it(tmp_path: Path) -> None:
    """Ctrl-C reaches every process of a terminal; the worker leaves it to the daemon and answers on."""
    with ready(tmp_path) as speaker:
        speaker.say(start(1, "[[tokens=30]] [[delay=5]]"))
        assert isinstance(speaker.hear(), Started)
        os.kill(speaker.process.pid, signal.SIGINT)

        assert items(speaker.hear_until(1), 1)[-1] == End(1, "stop", 30)
        assert speaker.hang_up() == 0


NOISY = """
import os, sys
from edge_models.engines import scripted
from edge_models import worker

quiet = scripted.ScriptedEngine.step

def step(engine):
    os.write(1, b"native library says hello\\n")  # past Python, as C++ does
    print("and so does Python", flush=True)
    return quiet(engine)

scripted.ScriptedEngine.step = step
worker.main()
"""


def test_what_is_printed_does_not_break_the_frames(tmp_path: Path) -> None:
    """Prints of a native library, straight to descriptor 1, go to standard error and not between the frames."""
    with ready(tmp_path, command=["-c", NOISY]) as speaker:
        speaker.say(start(1, "one two"))

        assert words(speaker.hear_until(1), 1) == "one two"
    noise = (tmp_path / "stderr").read_text()
    assert "native library says hello" in noise
    assert "and so does Python" in noise


def test_what_ends_at_a_stop_string_is_not_kept(worker: Speaker) -> None:
    """A kept request can be scored until it is cancelled; one that a stop string ended has gone past it, and can't be."""
    chat = Chat((Turn("user", "one two three"),))
    worker.say(Start(9001, chat, Sampling(keep=True)), Start(9002, chat, Sampling(keep=True, stop=("two",))))
    worker.hear_until(9001, 9002)

    worker.say(Score(9001, (" yes",)), Score(9002, (" yes",)), Cancel(9001), Score(9001, (" yes",)))

    answers = [worker.hear() for _ in range(3)]
    assert isinstance(answers[0], Scored)
    assert [(type(answer), answer.id) for answer in answers[1:] if answer] == [(Failed, 9002), (Failed, 9001)]  # type: ignore[union-attr]


@pytest.mark.slow  # each makes the whole file ready first
@pytest.mark.parametrize("engine", ["openvino-genai", "openvino-raw"])
def test_damaged_weights_are_found_while_it_loads(engine: str, tmp_path: Path) -> None:
    """A file whose header is sound and whose numbers are not is refused before anybody asks it."""
    damaged = bytearray(locate(CATALOG[0]).read_bytes())
    middle = len(damaged) // 2
    damaged[middle : middle + 100_000] = b"\xff" * 100_000
    (tmp_path / "damaged.gguf").write_bytes(damaged)
    speaker = Speaker(tmp_path / "stderr", MODULE)
    try:
        speaker.say(Load(ModelRef("mine", engine, str(tmp_path / "damaged.gguf")), str(tmp_path), 4 << 30))
        while isinstance(event := speaker.hear(), Hello | Loading):
            pass
        assert isinstance(event, Failed)
        assert "damaged" in event.message
    finally:
        speaker.close()
