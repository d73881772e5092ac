"""The only door to llama.cpp: its low-level bindings, quiet, and told how to share the machine.

Only the low-level API is used: the high-level `Llama` keeps one sequence, sorts the vocabulary in Python for
log-probabilities (a fifth of the speed) and can't be left while it reads a prompt.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import psutil

from edge_models.engines.base import NotInstalled

PACKAGE: Final = "llama-cpp-python"
RELEASE: Final = "0.3.36"
"""The release whose structures and calls this is written for; the pin in pyproject.toml is the same."""
_ERROR: Final = 4  # ggml.h `enum ggml_log_level`
_MAX_REASON: Final = 240
_state: Final[dict[str, Any]] = {}
"""`log`: the callback, which has to live as long as the library."""
_reasons: Final[deque[str]] = deque(maxlen=8)
"""What the library complained of last; cleared before each load, and read for nothing else."""


def llama() -> Any:
    """The bindings (0.1 s the first time), with their log turned off. Raises NotInstalled."""
    # read by OpenMP as it is loaded: threads that wait for others sleep instead of spinning. Beside one busy program, two
    # spinning threads gave 105 tokens a second, two sleeping ones 122, and runs of 2 to 25 were seen without it.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")  # or it starts a debugger on this process when it gives up
    try:
        library = import_module("llama_cpp.llama_cpp")
    except (
        ImportError,
        OSError,
        RuntimeError,
    ) as error:  # the bindings raise the last two for a library that is not there
        raise NotInstalled(
            f"llama.cpp can't be loaded: install it with `uv pip install --python {sys.executable} {PACKAGE}=={RELEASE}` or"
            f" `{sys.executable} -m pip install {PACKAGE}=={RELEASE}`, which compiles it for some minutes and needs a C++"
            " compiler; or take the engine openvino-genai"
        ) from error
    if "log" not in _state:
        _state["log"] = library.llama_log_callback(_take)
        library.llama_log_set(_state["log"], None)
        library.llama_backend_init()
    return library


def chat_formats() -> Any:
    """The bindings' module that renders chat templates. Raises NotInstalled."""
    llama()
    return import_module("llama_cpp.llama_chat_format")


@contextmanager
def complaints() -> Iterator[deque[str]]:
    """What the library says is wrong while the block runs, the last thing last."""
    _reasons.clear()
    yield _reasons
    _reasons.clear()


def _take(level: int, text: bytes | None, data: Any) -> None:
    if level == _ERROR and text and (line := text.decode(errors="replace").strip()):
        _reasons.append(line.partition(": ")[2][:_MAX_REASON] or line[:_MAX_REASON])


def threads() -> tuple[int, int]:
    """How many for one token (one core stays free, and waiting for the others costs less), and for many at once."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = max(1, min(usable, psutil.cpu_count(logical=False) or usable))
    return max(1, cores - 1), cores


def versions() -> dict[str, str]:
    """Package name to version, if it is installed; imports nothing."""
    try:
        return {PACKAGE: version(PACKAGE)}
    except PackageNotFoundError:
        return {}
