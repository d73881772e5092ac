"""Job objects: the shape that Windows expects, and what they do where Windows is."""

from __future__ import annotations

import ctypes
import sys

import pytest

from edge_models.confinement.windows import Limits
from tests.fakes.alone import alone


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="written for 64 bits")
def test_the_limits_have_the_shape_of_winnt() -> None:
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION is 144 bytes on 64 bits, the flags at 16 and the process's memory at 112."""
    assert ctypes.sizeof(Limits) == 144
    assert Limits.flags.offset == 16
    assert Limits.process_memory.offset == 112


@pytest.mark.skipif(sys.platform != "win32", reason="job objects are Windows's")
def test_memory_over_the_cap_is_refused() -> None:
    """In a job with a cap, memory over it is refused."""
    script = "from edge_models.confinement import windows as w\nassert w.cap_memory(200 << 20)\nbytearray(400 << 20)"

    assert "MemoryError" in alone(script).stderr
