"""How a failure for lack of memory is told from others: libraries say it in words of their own."""

from __future__ import annotations

from typing import Final

from edge_models.engines.base import EngineError

_WORDS: Final = (
    "bad_alloc",  # C++
    "allocate",  # OpenVINO: "Failed to allocate N bytes of memory"; the C library: "Cannot allocate memory"
    "out of memory",
    "not enough memory",
    "resource temporarily unavailable",  # no room for a thread's stack: the system's answer to OpenVINO under a small cap
    "memoryerror",
)
GENERATOR_REMEDY: Final = "raise memory_mb under its [models.NAME] in settings.toml, or take a smaller model or edition"
ENCODER_REMEDY: Final = "ask for fewer or shorter texts at once, or take a smaller encoder"


class OutOfMemory(EngineError):
    """The process may have no more memory."""


def sounds_like_it(words: str) -> bool:
    """Whether a library's line speaks of memory that was not to be had."""
    folded = words.casefold()
    return any(word in folded for word in _WORDS)


def is_behind(error: BaseException) -> bool:
    """Whether memory that was not to be had is this error, or a cause of it."""
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, MemoryError) or (link is not error and sounds_like_it(str(link))):
            return True
        link = link.__cause__ or link.__context__
    return False


def told(cap_bytes: int | None, remedy: str = GENERATOR_REMEDY) -> OutOfMemory:
    """The error, with what helps."""
    if cap_bytes is None:
        return OutOfMemory("this machine has no memory left for it: close programs, or take a smaller model")
    return OutOfMemory(f"it ran out of its memory cap of {cap_bytes >> 20} MB: {remedy}")
