"""Speeds outlive a restart, of the same model on the same device."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.rate_store import RateStore
from daemon.rates import Speeds
from edge_models.catalog import ModelRef

PLAY = ModelRef("play", "scripted", "")
SPEEDS = Speeds({3: 120.0, 5: 900.5}, 31.0)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Of this model on this device, and of no other."""
    RateStore(tmp_path / "speeds").write(PLAY, "GPU.0", SPEEDS)
    store = RateStore(tmp_path / "speeds")

    assert store.read(PLAY, "GPU.0") == SPEEDS
    assert store.read(PLAY, "CPU") == Speeds()
    assert store.read(ModelRef("play", "scripted", "context=9"), "GPU.0") == Speeds()


@pytest.mark.parametrize(
    "broken", [b"{", b'{"reading":{"3":0.0}}', b'{"writing":-1.0}', b'{"writing":"inf"}', b'{"x":' + b"[" * 100_000]
)
def test_a_broken_file_is_as_if_it_were_not_there(tmp_path: Path, broken: bytes) -> None:
    """Speeds are found out again; one that nobody can have would be divided by at each request."""
    store = RateStore(tmp_path)
    store.write(PLAY, "CPU", SPEEDS)
    for file in tmp_path.iterdir():
        file.write_bytes(broken)

    assert store.read(PLAY, "CPU") == Speeds()
