"""An encoder in a process of its own: hostile files, hostile texts and deaths cost that process and nothing else."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from edge_models.classifiers.base import EncoderRef, Placement
from edge_models.encoder_process import EncoderProcess
from edge_models.engines.base import Broken, NotInstalled, Unavailable
from tests.fakes.encoders import WORDS, tiny_classifier, tiny_tagger, tiny_tokenizer

HERE = Placement(threads=1)


def ref(folder: Path, task: str = "text-classification", runtime: str = "onnx") -> EncoderRef:
    return EncoderRef(str(folder), task, runtime, HERE)  # type: ignore[arg-type]


def gone(pid: int) -> bool:
    """Whether there is no such process any more."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


SLOW = ("a" * 18 + " ") * 50_000
"""Some 10^10 steps for the pattern below, a million at most at a time: the library gives up at ten million."""
HOPELESS = "a" * 60 + "!"


def evil_tokenizer(folder: Path) -> None:
    """A tokenizer.json with a regular expression that takes 2^n steps for n times `a`."""
    tiny_tokenizer(folder / "tokenizer.json")
    data = json.loads((folder / "tokenizer.json").read_text())
    pattern = {"Regex": "(a+)+b"}
    data["normalizer"] = {"type": "Replace", "pattern": pattern, "content": "c"}
    (folder / "tokenizer.json").write_text(json.dumps(data))


def test_it_dies_and_comes_back(tmp_path: Path) -> None:
    """Killed while it has nothing to do, it is opened anew for the next text, and gives the same answer."""
    process = EncoderProcess(ref(tiny_classifier(tmp_path)))
    before, pid = process.predict(("alice met bob",)), process.pid
    assert pid
    os.kill(pid, signal.SIGTERM)
    while not gone(pid):
        assert process._worker
        process._worker.process.poll()

    np.testing.assert_array_equal(process.predict(("alice met bob",)), before)

    assert process.pid != pid
    process.close()
    assert process.pid is None


def test_a_late_answer_ends_the_process(tmp_path: Path) -> None:
    """A text that a tokenizer's regular expression chokes on costs its time and that process; the next text is answered."""
    folder = tiny_classifier(tmp_path)
    evil_tokenizer(folder)
    process = EncoderProcess(ref(folder), call_timeout_s=1.0)
    pid, began = process.pid, time.monotonic()
    assert pid

    with pytest.raises(Broken, match="took over 1 s") as raised:
        process.predict((SLOW,))

    assert process.pid is None
    assert time.monotonic() - began < 20
    assert gone(pid)
    assert "aaa" not in str(raised.value)
    assert process.predict(("bob",)).shape == (1, 2)
    process.close()


def test_the_process_ends_itself_when_late(tmp_path: Path) -> None:
    """Even if nobody kills it: the watchdog is in the worker, and works while native code holds the interpreter."""
    from edge_models.confined_worker import EXIT_LATE
    from edge_models.encoder_ipc import Ask, Open, frame

    folder = tiny_classifier(tmp_path)
    evil_tokenizer(folder)
    said = frame(Open(ref(folder), 60.0, 2 << 30)) + frame(Ask(1, (SLOW,), 0.5))
    command = [sys.executable, "-m", "edge_models.encoder_worker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as worker:
        assert worker.stdin
        assert worker.stderr
        worker.stdin.write(said)
        worker.stdin.flush()
        assert worker.wait(60) == EXIT_LATE
        assert b"Traceback" not in worker.stderr.read()  # which an uncaught exception would leave, with the same status


def test_a_tokenizer_that_gives_up_is_broken(tmp_path: Path) -> None:
    """A panic of the tokenizer's library on a text is a Broken without the text, and costs not even the process."""
    folder = tiny_classifier(tmp_path)
    evil_tokenizer(folder)
    process = EncoderProcess(ref(folder))
    pid = process.pid

    with pytest.raises(Broken, match="tokenizer fails on a text") as raised:
        process.predict((HOPELESS,))

    assert "aaa" not in str(raised.value)
    assert process.predict(("bob",)).shape == (1, 2)
    assert process.pid == pid
    process.close()


def _noise(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(os.urandom(4096))


def _no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_bytes(b"[" * 1_000_000)


def _no_config(folder: Path) -> None:
    (folder / "config.json").unlink()


def _bad_ir(folder: Path) -> None:
    (folder / "openvino_model.xml").write_text('<?xml version="1.0"?><net name="x" version="11"><layers>')
    (folder / "openvino_model.bin").write_bytes(b"")


@pytest.mark.parametrize("spoil", [_noise, _no_tokenizer, _no_config, _bad_ir])
def test_hostile_files_are_unavailable(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    """Whatever stands in a file, opening it is an Unavailable that names a remedy."""
    folder = tiny_tagger(tmp_path)
    spoil(folder)
    with pytest.raises(Unavailable, match=r"fetch|export"):
        EncoderProcess(ref(folder, "token-classification", "openvino"))


def test_a_crash_while_opening_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that dies on a file, without a word, is told as a bad file."""
    command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    monkeypatch.setattr("edge_models.encoder_process.encoder_worker_command", lambda: command)
    with pytest.raises(Unavailable, match="damaged"):
        EncoderProcess(ref(tiny_classifier(tmp_path)))


def test_a_worker_that_babbles_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that doesn't speak the protocol is ended."""
    command = [
        sys.executable,
        "-c",
        "import sys, time; sys.stdout.write('hello ' * 99); sys.stdout.flush(); time.sleep(60)",
    ]
    monkeypatch.setattr("edge_models.encoder_process.encoder_worker_command", lambda: command)
    with pytest.raises(Unavailable):
        EncoderProcess(ref(tiny_classifier(tmp_path)))


def test_what_is_not_there_is_told_apart(tmp_path: Path) -> None:
    """An unknown runtime is NotInstalled, across the process border too; another task is refused here."""
    folder = tiny_classifier(tmp_path)
    with pytest.raises(NotInstalled, match="openvino, onnx"):
        EncoderProcess(ref(folder, runtime="tea leaves"))
    process = EncoderProcess(ref(folder))
    with pytest.raises(Unavailable, match="does text-classification"):
        process.embed(("x",))
    process.close()


def test_the_end_of_its_input_ends_it(tmp_path: Path) -> None:
    """When its owner is gone, the worker goes too."""
    owner = (
        "import os, sys; from edge_models.encoder_process import EncoderProcess as P;"
        "from edge_models.classifiers.base import EncoderRef as R;"
        "p = P(R(sys.argv[1], 'text-classification', 'onnx')); print(p.pid, flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", owner, str(tiny_classifier(tmp_path))], capture_output=True, text=True)
    pid, deadline = int(done.stdout), time.monotonic() + 20
    while not gone(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_ids_past_the_table_do_no_harm(tmp_path: Path) -> None:
    """A config.json that lies about the vocabulary gets a Broken or an answer, and the caller lives."""
    folder = tiny_classifier(tmp_path)
    tiny_tokenizer(folder / "tokenizer.json", (*WORDS, *(f"w{number}" for number in range(5000))))
    (folder / "config.json").write_bytes(
        (folder / "config.json").read_bytes().replace(b'"vocab_size": 14', b'"vocab_size": 9999')
    )
    process = EncoderProcess(ref(folder))
    with pytest.raises(Broken):
        process.predict(("w4000 w4999",))
    assert process.predict(("bob",)).shape == (1, 2)
    process.close()


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="what holds is named for Linux here")
REACHING = """
import os, socket, sys
from edge_models import encoder_worker
look = encoder_worker.look
def reach(encoder, ask):
    try:
        socket.create_connection(("127.0.0.1", int(os.environ["NEARLOOP_TEST_PORT"])), timeout=5)
    except OSError as error:
        with open(os.environ["NEARLOOP_TEST_FILE"], "w") as file:
            file.write(f"refused {error.errno} {'OPENAI_API_KEY' in os.environ} {'MINE' in os.environ}")
    return look(encoder, ask)
encoder_worker.look = reach
encoder_worker.main()
"""


@on_linux
def test_its_process_reaches_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoder that tries to connect is refused by the kernel, finds no key in its environment, and answers go on."""
    monkeypatch.setattr("edge_models.encoder_process.encoder_worker_command", lambda: [sys.executable, "-c", REACHING])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setenv("NEARLOOP_TEST_PORT", str(listening.getsockname()[1]))
        monkeypatch.setenv("NEARLOOP_TEST_FILE", str(tmp_path / "told"))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
        monkeypatch.setenv("MINE", "hidden too")
        process = EncoderProcess(ref(tiny_classifier(tmp_path)), keys=("MINE",))
        assert process.predict(("bob",)).shape == (1, 2)
        process.close()

    assert (tmp_path / "told").read_text() == "refused 1 False False"
    assert {"no-sockets", "dies-with-parent", "memory-cap"} <= set(process.confinement)


@on_linux
@pytest.mark.parametrize("runtime", ["openvino", "onnx"])
def test_a_cap_that_is_too_small_is_told_as_that(runtime: str, tmp_path: Path) -> None:
    """Running out of memory while opening is told with the number, and not as a damaged file."""
    with pytest.raises(Unavailable, match="memory cap of 60 MB"):
        EncoderProcess(ref(tiny_classifier(tmp_path), runtime=runtime), memory_cap_bytes=60 << 20)


HUNGRY = """
from edge_models import encoder_worker
def look(encoder, ask):
    kept = bytearray(3 << 30)
encoder_worker.look = look
encoder_worker.main()
"""


@on_linux
def test_running_out_of_memory_on_a_text_costs_that_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a text would take beyond the cap is refused, and told with what helps."""
    monkeypatch.setattr("edge_models.encoder_process.encoder_worker_command", lambda: [sys.executable, "-c", HUNGRY])
    process = EncoderProcess(ref(tiny_classifier(tmp_path)))
    with pytest.raises(Broken, match="fewer or shorter texts"):
        process.predict(("bob",))
    process.close()


def test_it_outlives_the_thread_that_opened_it(tmp_path: Path) -> None:
    """Whoever opens it may end: the kernel ends a child with the thread that started it, and that is not the caller's."""
    opened: list[EncoderProcess] = []
    opener = threading.Thread(target=lambda: opened.append(EncoderProcess(ref(tiny_classifier(tmp_path)))))
    opener.start()
    opener.join()
    (process,) = opened
    pid = process.pid

    assert process.predict(("bob",)).shape == (1, 2)
    assert process.pid == pid
    process.close()
