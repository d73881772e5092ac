"""What a worker does to itself: held as a whole, with an engine inside, and said as it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from edge_models.catalog import CATALOG, ModelRef
from edge_models.confinement.look import look
from edge_models.ipc import Failed, Hello, Load, Loading, Ready
from tests.edge_models.test_worker import MODULE, Speaker, ready, speaking, start, words

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="what holds is named for Linux here")

REACHING = """
import socket, sys
from edge_models.engines import scripted
from edge_models import worker
address = sys.argv[1].split(":")
go_on = scripted.ScriptedEngine.start
def reach(engine, id, prompt, sampling):
    if id:
        try:
            socket.create_connection((address[0], int(address[1])), timeout=5)
            print("connected", file=sys.stderr, flush=True)
        except OSError as error:
            print("refused", error.errno, file=sys.stderr, flush=True)
    return go_on(engine, id, prompt, sampling)
scripted.ScriptedEngine.start = reach
worker.main()
"""


@on_linux
def test_a_worker_reaches_nobody(tmp_path: Path) -> None:
    """A model that tries to connect, be it to this machine itself, is refused by the kernel, and answers go on."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with ready(tmp_path, command=["-c", REACHING, address]) as speaker:
            speaker.say(start(1, "one two"))
            assert words(speaker.hear_until(1), 1) == "one two"

    assert (tmp_path / "stderr").read_text().split() == ["refused", "1"]


@on_linux
def test_what_holds_is_told(tmp_path: Path) -> None:
    """The first words of a worker say what holds it, with its memory cap if it has one."""
    with speaking(tmp_path) as speaker:
        hello = speaker.hear()
        assert isinstance(hello, Hello)
        assert {"no-sockets", "no-core-dump", "dies-with-parent"} <= set(hello.confinement)
        assert "memory-cap" not in hello.confinement
    assert {"no-sockets", "memory-cap"} <= set(look([sys.executable, *MODULE]) or ())


def test_a_command_that_starts_no_worker_is_told(tmp_path: Path) -> None:
    """Where no worker starts, or something else does, nothing is said to hold."""
    assert look([str(tmp_path / "nothing")]) is None
    assert look([sys.executable, "-c", "print('no worker', flush=True)"]) is None


EATING = """
import sys
from edge_models.engines import scripted
from edge_models import worker
kept = []
def eat(engine):
    kept.append(bytearray(32 << 20))
    return []
step = scripted.ScriptedEngine.step
scripted.ScriptedEngine.step = lambda engine: step(engine) if worker.WARM_UP_ID in engine._plays else eat(engine)
worker.main()
"""


@on_linux
def test_running_out_of_memory_is_told_as_that(tmp_path: Path) -> None:
    """An engine that wants more than its cap is ended with the number and the remedy, before the machine suffers."""
    speaker = Speaker(tmp_path / "stderr", ["-c", EATING])
    try:
        speaker.say(Load(ModelRef("play", "scripted"), str(tmp_path), 512 << 20))
        while not isinstance(speaker.hear(), Ready):
            pass
        speaker.say(start(1, "hungry"))
        events = []
        while event := speaker.hear():
            events.append(event)

        assert isinstance(events[-1], Failed)
        assert events[-1].kind == "OutOfMemory"
        assert "memory cap of 512 MB" in events[-1].message
    finally:
        speaker.close()


@on_linux
@pytest.mark.parametrize(("cap_mb", "fits"), [(2000, True), (180, False)])
def test_the_real_engine_lives_with_all_of_it(model_cache: Path, tmp_path: Path, cap_mb: int, fits: bool) -> None:
    """OpenVINO loads and answers behind the filter and under a cap; under one that is too small it is told so."""
    speaker = Speaker(tmp_path / "stderr", MODULE)
    try:
        speaker.say(Load(ModelRef(CATALOG[0].name, CATALOG[0].engine), str(model_cache), cap_mb << 20))
        while isinstance(event := speaker.hear(), Hello | Loading):
            pass
        if fits:
            assert isinstance(event, Ready)
            speaker.say(start(1, "Say hello."))
            assert words(speaker.hear_until(1), 1)
        else:
            assert isinstance(event, Failed)
            assert event.kind == "OutOfMemory"
    finally:
        speaker.close()
