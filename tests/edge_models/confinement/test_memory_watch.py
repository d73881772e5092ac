"""The watch for systems whose kernel caps no process's memory; it is tried here on the one that has both."""

from __future__ import annotations

import sys

import pytest

from tests.fakes.alone import alone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="getrusage is Unix's")

WATCHED = """
import os, sys, time
from edge_models.confinement import memory_watch
looks = 0
real = memory_watch.peak_bytes
def counted():
    global looks
    looks += 1
    return real()
memory_watch.peak_bytes = counted
memory_watch.watch(real() + (60 << 20), lambda: os._exit(42))
kept = bytearray(int(sys.argv[1]) << 20)
seen = looks
while looks < seen + 3:
    time.sleep(0.01)
"""


@pytest.mark.parametrize(("megabytes", "status"), [(20, 0), (200, 42)])
def test_over_the_cap_it_is_told(megabytes: int, status: int) -> None:
    """A process that takes more than its cap is ended by its own watch, and one that takes less is not."""
    assert alone(WATCHED, str(megabytes)).returncode == status
