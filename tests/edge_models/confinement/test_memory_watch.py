"""The watch for systems whose kernel caps no process's memory; it is tried here on the one that has both."""

from __future__ import annotations

import sys

import pytest

from edge_models.confinement.memory_watch import LOOK_S
from tests.fakes.alone import alone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="getrusage is Unix's")

WATCHED = """
import os, sys, time
from edge_models.confinement import memory_watch
memory_watch.watch(memory_watch.resident_bytes() + (60 << 20), lambda: os._exit(42))
kept = bytearray(int(sys.argv[1]) << 20)
time.sleep(float(sys.argv[2]))
"""


def test_over_the_cap_the_process_ends() -> None:
    """A process that takes more than its cap is ended by its own watch, whatever else it would do."""
    assert alone(WATCHED, "200", "50").returncode == 42


def test_under_the_cap_nothing_happens() -> None:
    """A process that takes less goes on, over several looks of its watch."""
    assert alone(WATCHED, "20", str(3 * LOOK_S)).returncode == 0
