"""Two clocks, of which one stands still while a machine sleeps."""

from __future__ import annotations

import sys

import pytest

from daemon.upstreams.sleep import Sleep


def test_a_sleep_is_told_once() -> None:
    """How long it was, and nothing the next time."""
    whole, awake = 100.0, 10.0
    sleep = Sleep(lambda: whole, lambda: awake)
    whole, awake = 105.0, 15.0
    assert sleep.slept_s() == 0.0
    whole, awake = 3_706.0, 16.0
    assert sleep.slept_s() == pytest.approx(3_600.0)
    assert sleep.slept_s() == 0.0


def test_a_clock_that_is_set_back_is_no_sleep() -> None:
    """Nor one that is set by a moment."""
    whole = 100.0
    sleep = Sleep(lambda: whole, lambda: 10.0)
    for now in (100.5, 40.0, 40.9):
        whole = now
        assert sleep.slept_s() == 0.0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is the time of day, which may be set")
def test_this_machine_is_awake() -> None:
    """The system's clocks go alike."""
    assert Sleep().slept_s() == 0.0
