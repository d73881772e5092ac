"""The eyes in their process: what they see, and what happens to them."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import numpy as np
import psutil
import pytest
from PIL import Image

from edge_models.engines.base import NotInstalled
from edge_models.vision.limits import Limits, Unseeable
from edge_models.vision.process import EyesProcess
from tests.fakes.drawn import note, saved

pytest.importorskip("rapidocr")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="what holds is named for Linux here")
SECRET = "key: hunter2-4711-XYZ"


@pytest.fixture(scope="module")
def eyes() -> Iterator[EyesProcess]:
    process = EyesProcess()
    yield process
    process.close()


def test_what_is_seen(eyes: EyesProcess) -> None:
    """Words with where they stand, the size and form, and how much there is to see."""
    seen = eyes.look(saved(note(["Dear Mrs Miller,", SECRET])))
    assert seen.text == f"Dear Mrs Miller,\n{SECRET}"
    assert (seen.form, seen.width, seen.height, seen.pages) == ("png", 640, 144, 1)
    assert [seen.text[line.start : line.end] for line in seen.lines] == seen.text.split("\n")
    (left, top), (right, _), (_, bottom), _ = seen.lines[1].box
    assert 15 < left < 31 < 250 < right < 400
    assert 60 < top < 85 < 100 < bottom < 125
    assert all(line.sure > 0.9 for line in seen.lines)
    assert seen.detail
    assert seen.explicit is None or 0 <= seen.explicit <= 1
    assert eyes.able >= {"words", "detail"}


def test_only_what_is_wanted(eyes: EyesProcess) -> None:
    """What was not asked for was not looked at."""
    seen = eyes.look(saved(note([SECRET])), ())
    assert (seen.text, seen.lines, seen.explicit, seen.detail) == ("", (), None, None)
    assert seen.width == 640


@pytest.mark.parametrize("angle", [-8, 8, 90, 180, 270])
def test_turned(eyes: EyesProcess, angle: int) -> None:
    """Words are read however the picture is held, and in their order."""
    seen = eyes.look(saved(note(["Dear Mrs Miller,", SECRET, "yours, Anna"], angle=angle)), ("words",))
    assert seen.text.split("\n") == ["Dear Mrs Miller,", SECRET, "yours, Anna"]


def test_dark(eyes: EyesProcess) -> None:
    """So are light words on dark."""
    assert eyes.look(saved(note([SECRET], dark=True)), ("words",)).text == SECRET


def test_a_later_frame(eyes: EyesProcess) -> None:
    """Words of every frame are read, with the frame's number."""
    first, second = note(["nothing to see"]), note([SECRET])
    data = saved(first, "GIF", save_all=True, append_images=[first, second], duration=[100, 50, 100])
    seen = eyes.look(data, ("words",))
    assert seen.text == f"nothing to see\n{SECRET}"
    assert [seen.text[line.start : line.end] for line in seen.lines] == ["nothing to see", SECRET]
    assert seen.lines[0].page == 0
    assert seen.lines[1].page > 0


def test_nothing_to_read(eyes: EyesProcess) -> None:
    """A picture without words has none, and noise is not words."""
    noise = np.random.default_rng(7).integers(0, 255, (300, 400, 3), np.uint8)
    assert eyes.look(saved(Image.fromarray(noise)), ("words",)).text == ""
    assert eyes.look(saved(Image.new("RGB", (1, 1))), ("words", "detail")).detail == 0


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "unknown-format"),
        (b"\x00\x01hello\xff", "unknown-format"),
        (saved(note(["a"]))[:-60], "broken"),
        (bytes(25 << 20), "too-large"),
    ],
)
def test_unseeable(eyes: EyesProcess, data: bytes, code: str) -> None:
    """What can't be looked at is told by a code, and costs not even the process."""
    eyes.look(saved(note(["a"])), ())
    before = eyes.pid
    with pytest.raises(Unseeable) as caught:
        eyes.look(data)
    assert (caught.value.code, eyes.pid) == (code, before)


def test_painted(eyes: EyesProcess) -> None:
    """What stands in a box can't be read any more; the rest can."""
    data = saved(note(["Dear Mrs Miller,", SECRET]))
    hidden = eyes.look(data, ("words",)).lines[1]
    made = eyes.paint(data, [hidden.box])
    assert (made.form, made.width, made.height) == ("png", 640, 144)
    assert eyes.look(made.data, ("words",)).text == "Dear Mrs Miller,"


def test_a_picture_that_is_made_anew_holds_nothing_else(eyes: EyesProcess) -> None:
    """No EXIF, text, profile, thumbnail nor trailing bytes; upright, and no larger than wanted."""
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "canary in exif"
    data = saved(note(["hello"]), "JPEG", exif=exif, comment=b"canary in comment") + b"canary behind"
    assert data.count(b"canary") == 3
    made = eyes.paint(data, max_side=320)
    assert b"canary" not in made.data
    assert (made.form, made.height, b"Exif" in made.data) == ("jpeg", 320, False)
    assert made.width < 100  # it was turned
    assert eyes.paint(saved(note(["hello"])), max_side=5000).width == 640


@pytest.mark.slow
def test_killed_in_mid_look(eyes: EyesProcess) -> None:
    """Who waits is told, and the next look has a new process."""
    page = saved(note(["many words that take a while"] * 30, width=1200))
    eyes.look(saved(note(["a"])), ())
    before = eyes.pid
    assert before
    codes: list[str] = []

    def look() -> None:
        try:
            eyes.look(page)
        except Unseeable as error:
            codes.append(error.code)

    thread = threading.Thread(target=look)
    used = psutil.Process(before).cpu_times().user
    thread.start()
    until = monotonic() + 20
    while psutil.Process(before).cpu_times().user < used + 0.2 and monotonic() < until:
        pass
    os.kill(before, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    thread.join(30)
    assert codes == ["crashed"]
    assert eyes.look(saved(note([SECRET])), ("words",)).text == SECRET
    assert eyes.pid != before


def test_late() -> None:
    """What takes longer than it may ends the process, and is told as late."""
    hasty = EyesProcess(call_timeout_s=0.5)
    with pytest.raises(Unseeable) as caught:
        hasty.look(saved(note(["many words that take a while"] * 60, width=1200)))
    assert caught.value.code in ("late", "crashed")
    assert hasty.pid is None
    hasty.close()


@pytest.mark.slow
@on_linux
def test_out_of_memory() -> None:
    """A picture beyond the memory cap is told as that."""
    small = EyesProcess(limits=Limits(pixels=10**9, side=10**5, all_pixels=10**9), memory_cap_bytes=700 << 20)
    with pytest.raises(Unseeable) as caught:
        small.look(saved(Image.new("1", (16_000, 10_000))), ())
    assert caught.value.code == "out-of-memory"
    assert small.look(saved(note(["a"])), ()).width == 640  # it doesn't keep others from being seen
    pid = small.pid
    with pytest.raises(Unseeable):
        small.look(saved(Image.new("1", (16_000, 10_000))), ())
    assert small.pid != pid  # tried once more in a new process, since the old one might have been full of others
    small.close()


def test_idle(eyes: EyesProcess) -> None:
    """A process that nobody used for a while is ended, and another one started when there is something to see."""
    eyes.look(saved(note(["a"])), ())
    pid = eyes.pid
    assert pid
    assert not eyes.end_if_idle(600)
    assert eyes.end_if_idle(0)
    assert not psutil.pid_exists(pid)
    assert eyes.look(saved(note(["a"])), ()).width == 640


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its packages, what to install is told."""
    hidden = (
        "import importlib.util, edge_models.vision.models as m, edge_models.vision.worker as w;"
        "m.find_spec = lambda name: None; w.main()"
    )
    monkeypatch.setattr("edge_models.vision.process.worker_command", lambda: [sys.executable, "-c", hidden])
    with pytest.raises(NotInstalled, match=r"nearloop\[vision\]"):
        EyesProcess().look(saved(note(["a"])))


REACHING = """
import os, socket
from edge_models.vision import worker
opened = worker.opened_eyes
def reach(first):
    try:
        socket.create_connection(("127.0.0.1", int(os.environ["NEARLOOP_TEST_PORT"])), timeout=5)
    except OSError as error:
        with open(os.environ["NEARLOOP_TEST_FILE"], "w") as file:
            file.write(f"refused {error.errno} {'OPENAI_API_KEY' in os.environ}")
    return opened(first)
worker.opened_eyes = reach
worker.main()
"""


@on_linux
def test_its_process_reaches_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that tries to connect is refused by the kernel, and finds no key in its environment."""
    monkeypatch.setattr("edge_models.vision.process.worker_command", lambda: [sys.executable, "-c", REACHING])
    monkeypatch.delenv("CI", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setenv("NEARLOOP_TEST_PORT", str(listening.getsockname()[1]))
        monkeypatch.setenv("NEARLOOP_TEST_FILE", str(tmp_path / "told"))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
        process = EyesProcess()
        assert process.look(saved(note(["a"])), ()).width == 640
        process.close()
    assert (tmp_path / "told").read_text() == "refused 1 False"
    assert {"no-sockets", "dies-with-parent", "memory-cap"} <= set(process.confinement)
