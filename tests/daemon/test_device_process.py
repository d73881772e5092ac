"""The processes that ask drivers: what they answer here, and what becomes of those that crash, hang or babble."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from daemon import device_process
from daemon.device_process import DeviceTrouble, probe, query
from edge_models.catalog import ModelRef
from edge_models.probe import Measured, Unfit

PLAY = ModelRef("play", "scripted", "", "CPU")


def instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Run this program in the place of ours."""
    monkeypatch.setattr(device_process, "command", lambda module: [sys.executable, "-c", code])


async def test_the_real_query() -> None:
    """The table of this machine arrives, and OpenVINO was not imported by who asked."""
    table = await query()

    assert "CPU" in [device.id for device in table.devices]
    assert table.runtime.startswith("20")


async def test_the_real_probe(tmp_path: Path) -> None:
    """A model is loaded and measured in a process of its own, on the device that it was asked for."""
    result = await probe(ModelRef("play", "scripted", "", "GPU.0"), str(tmp_path))

    assert isinstance(result, Measured)
    assert (result.device, result.context_tokens) == ("GPU.0", 8192)


async def test_a_model_that_does_not_load_is_unfit(tmp_path: Path) -> None:
    """The engine's refusal is the result."""
    result = await probe(ModelRef("play", "scripted", "lacks=GPU.0", "GPU.0"), str(tmp_path))

    assert isinstance(result, Unfit)
    assert "GPU.0" in result.why


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import os; os.abort()", "crashed by signal 6"),
        ("import sys; sys.exit('driver: no such ioctl')", "ended with status 1 .*no such ioctl"),
        ("print('hello')", "ended with status 0 and without an answer"),
    ],
)
async def test_a_crash_is_a_sentence(code: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """However the process ends without an answer, the trouble says how, and what to do."""
    instead(monkeypatch, code)

    with pytest.raises(DeviceTrouble, match=f"{told}.*driver.*device = .CPU.") as caught:
        await query()
    assert "\n" not in str(caught.value)
    result = await probe(PLAY, str(tmp_path))
    assert isinstance(result, Unfit)
    assert result.why.startswith("the probe ")


async def test_a_hang_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A driver that never answers is given up after the limit, and no process is left."""
    instead(monkeypatch, "import time; time.sleep(600)")
    monkeypatch.setattr(device_process, "QUERY_S", 0.3)

    with pytest.raises(DeviceTrouble, match="did not end within"):
        await query()

    assert [child for child in psutil.Process().children() if "time.sleep(600)" in child.cmdline()] == []


async def test_a_cancelled_probe_leaves_no_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A daemon that stops takes its probe with it."""
    instead(monkeypatch, "import time; time.sleep(601)")
    task = asyncio.create_task(probe(PLAY, str(tmp_path)))

    def there() -> bool:
        return any("time.sleep(601)" in " ".join(child.cmdline()) for child in psutil.Process().children())

    async with asyncio.timeout(10):
        while not there():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert not there()


async def test_a_probe_ends_with_the_daemon(tmp_path: Path) -> None:
    """End of input ends a probing process, even in the middle of an answer that has no end."""
    job = b'{"model": {"name": "play", "engine": "scripted", "path": "load_ms=60000", "device": "CPU"}, "cache_dir": "x"}\n'
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*device_process.command("probe"), stdin=pipe, stdout=pipe)
    assert process.stdin
    process.stdin.write(job)
    process.stdin.close()

    async with asyncio.timeout(20):
        assert await process.wait() == 0


async def test_without_openvino_there_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the library is missing the refusal is the gate's own."""
    code = "import sys; sys.modules['openvino'] = None\nfrom edge_models.device_query import main\nmain()"
    instead(monkeypatch, code)

    with pytest.raises(DeviceTrouble, match="OpenVINO can't be loaded"):
        await query()
