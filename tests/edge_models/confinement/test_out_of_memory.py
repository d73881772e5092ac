"""Telling failures for lack of memory from others."""

from __future__ import annotations

import pytest

from edge_models.confinement import out_of_memory
from edge_models.engines.base import Broken, Unavailable


@pytest.mark.parametrize(
    "words",
    [  # OpenVINO 2026.4.1 under a cap of 650, 250 and 130 MB, and the C library's
        "Check 'ptr' failed at src/plugins/intel_cpu/src/cpu_memory.cpp:257:\nFailed to allocate 3932160 bytes of memory",
        "Exception from src/inference/src/dev/plugin.cpp:54:\nResource temporarily unavailable",
        "Converting input model\nstd::bad_alloc",
        "OSError: [Errno 12] Cannot allocate memory",
        "MemoryError",
    ],
)
def test_a_library_that_had_no_memory_is_understood(words: str) -> None:
    """The words of libraries for it are known, on their standard error and as the cause of our own errors."""
    assert out_of_memory.sounds_like_it(words)
    assert out_of_memory.is_behind(_caused(Unavailable("OpenVINO can't read this model"), RuntimeError(words)))


def test_a_memory_error_is_understood_wherever_it_stands() -> None:
    """Python's own error counts without any words, as such and as a cause."""
    assert out_of_memory.is_behind(MemoryError())
    assert out_of_memory.is_behind(_caused(Broken("it failed"), MemoryError()))


@pytest.mark.parametrize("words", ["unknown architecture", "file is truncated", "memory of the king"])
def test_other_failures_are_others(words: str) -> None:
    """A bad file is not taken for a lack of memory."""
    assert not out_of_memory.is_behind(_caused(Unavailable("OpenVINO can't read this model"), RuntimeError(words)))


def test_our_own_words_are_no_sign() -> None:
    """An error of ours that speaks of memory is not its own cause."""
    assert not out_of_memory.is_behind(Unavailable("no engine could allocate this"))


def test_the_message_has_the_number_and_the_remedy() -> None:
    """Who reads it learns how large the cap is and where it is set; without a cap, what else helps."""
    assert "cap of 512 MB" in str(out_of_memory.told(512 << 20))
    assert "memory_mb" in str(out_of_memory.told(512 << 20))
    assert "close programs" in str(out_of_memory.told(None))


def _caused(error: Exception, cause: Exception) -> Exception:
    try:
        raise error from cause
    except type(error) as raised:
        return raised
