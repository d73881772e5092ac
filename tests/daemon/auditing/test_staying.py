"""Whether a request could have been answered here."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from daemon.auditing.staying import Device, this_device
from daemon.connecting.base import CONTEXT_TOKENS
from daemon.paths import Paths
from daemon.probe_store import Stored
from edge_models.probe import FORMAT, Measured, Result, Unfit


def _store(where: Paths, name: str, result: Result) -> None:
    where.probes.mkdir(parents=True, exist_ok=True)
    stored = Stored(FORMAT, "2026.4", "A CPU", None, datetime(2026, 1, 1, tzinfo=UTC), 0.0, result)
    (where.probes / f"{name}.json").write_bytes(msgspec.json.encode(stored))


def _measured(token_s: float, window: int) -> Measured:
    return Measured("CPU", 1.0, 32, 0.1, 1024, 2.0, token_s, window, logprobs=True)


def test_the_window() -> None:
    """Prompt and answer have to fit together; where no speed was measured, that is all."""
    device = Device(context_tokens=1000)

    assert device.fits(900, 100)
    assert not device.fits(900, 101)


def test_the_time() -> None:
    """Reading and writing together have to take no longer than the patience."""
    device = Device(8192, reading=100.0, writing=10.0, patience_s=20.0)

    assert device.fits(1000, 100)
    assert not device.fits(1000, 101)
    assert not device.fits(1001, 100)


def test_nothing_measured(where: Paths) -> None:
    """The embedded model's window, and no speed."""
    assert this_device(where.probes, 5.0) == Device(CONTEXT_TOKENS, None, None, 5.0)
    assert not where.probes.exists()


def test_the_fastest_measurement(where: Paths) -> None:
    """Of those that are kept; one that failed and one that can't be read don't count."""
    _store(where, "slow", _measured(0.1, 2048))
    _store(where, "fast", _measured(0.02, 4096))
    _store(where, "failed", Unfit("NPU", "no"))
    (where.probes / "broken.json").write_bytes(b"{")

    assert this_device(where.probes, 20.0) == Device(4096, pytest.approx(512.0), pytest.approx(50.0), 20.0)  # type: ignore[arg-type]
