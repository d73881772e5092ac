"""Results on disk: found again for the same file, device, driver and runtime, and for nothing else."""

from __future__ import annotations

import os
import stat
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.probe_store import ProbeStore, Stored, fingerprint
from edge_models.catalog import CATALOG, ModelRef
from edge_models.devices import Device, Table
from edge_models.probe import FORMAT, Measured, Unfit

GPU = Device("GPU.0", "igpu", "Arc", "24.1", 1 << 30, ())
NOW = datetime(2026, 1, 2, tzinfo=UTC)
KNOWN = ModelRef(CATALOG[0].name, CATALOG[0].engine)


def table(device: Device = GPU, runtime: str = "2026.4.1") -> Table:
    return Table(runtime, (device,), ())


def stored(token_s: float = 0.01) -> Stored:
    result = Measured("GPU.0", 1.0, 32, 0.1, 1024, 1.0, token_s, 8192, True)
    return Stored(FORMAT, "2026.4.1", GPU.name, GPU.driver, NOW, 0.1, result)


def test_a_result_is_found_again(tmp_path: Path) -> None:
    """What was written is read, by whoever asks for the same model, on whatever device it is placed."""
    store = ProbeStore(tmp_path / "probes")
    store.write(KNOWN, GPU, stored())

    assert store.read(KNOWN) == (stored(),)
    assert store.read(ModelRef(KNOWN.name, KNOWN.engine, device="NPU")) == (stored(),)
    assert store.read(ModelRef("other", "scripted")) == ()


def test_a_new_result_takes_the_old_ones_place(tmp_path: Path) -> None:
    """There is one for each model and device, whatever driver it was measured with."""
    store = ProbeStore(tmp_path)
    store.write(KNOWN, GPU, stored())
    store.write(KNOWN, GPU, stored(token_s=0.5))

    assert store.read(KNOWN) == (stored(token_s=0.5),)


@pytest.mark.parametrize(
    "now",
    [
        table(Device("GPU.0", "igpu", "Arc", "24.2", 1 << 30, ())),
        table(Device("GPU.0", "dgpu", "Another card", "24.1", 1 << 30, ())),
        table(Device("GPU.1", "igpu", "Arc", "24.1", 1 << 30, ())),
        table(runtime="2027.0.0"),
    ],
    ids=["driver", "card", "place", "runtime"],
)
def test_what_ends_a_results_validity(now: Table) -> None:
    """Another driver, card, place or runtime, and the numbers say nothing any more."""
    assert stored().holds(table())
    assert not stored().holds(now)


def test_an_older_formats_numbers_are_not_compared() -> None:
    """When what is measured changes, old results count no more."""
    old = Stored(FORMAT - 1, "2026.4.1", GPU.name, GPU.driver, NOW, 0.1, Unfit("GPU.0", "no"))

    assert not old.holds(table())


def test_another_file_is_another_model(tmp_path: Path) -> None:
    """A user's model that is replaced, in its file or in its directory, has no results yet."""
    file = tmp_path / "a.gguf"
    file.write_bytes(b"one")
    ref = ModelRef("a", "openvino-genai", str(file))
    before = fingerprint(ref)
    os.utime(file, ns=(0, 0))
    assert fingerprint(ref) != before
    folder = tmp_path / "ir"
    folder.mkdir()
    (folder / "openvino_model.bin").write_bytes(b"one")
    ref = ModelRef("a", "openvino-genai", str(folder))
    before = fingerprint(ref)
    (folder / "openvino_model.bin").write_bytes(b"three")

    assert fingerprint(ref) != before
    assert fingerprint(ref) == fingerprint(ModelRef("renamed", "openvino-genai", str(folder), "GPU"))


def test_broken_files_are_as_if_not_there(tmp_path: Path) -> None:
    """A file that was cut, or that something else wrote, is no result."""
    store = ProbeStore(tmp_path)
    store.write(KNOWN, GPU, stored())
    (tmp_path / f"{fingerprint(KNOWN)}-CPU.json").write_text('{"format": 1')

    assert store.read(KNOWN) == (stored(),)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_only_this_user_reads_them(tmp_path: Path) -> None:
    """The files are private like all of ours."""
    ProbeStore(tmp_path / "probes").write(KNOWN, GPU, stored())
    [file] = (tmp_path / "probes").iterdir()

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
