"""Parts with models for tests of families, opened once a process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from daemon.signals.parts import Parts
from daemon.signals.shipped import shipped_heads, shipped_vectors
from tests.fakes.signal_models import minilm_vectors, tiny_heads


@cache
def models() -> Path:
    """A folder with `signals` and `embedder`."""
    folder = Path(tempfile.mkdtemp(prefix="nearloop-signals-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tiny_heads(folder / "signals")
    minilm_vectors(folder / "embedder")
    return folder


@cache
def _shared() -> Parts:
    return Parts(shipped_heads(models()), shipped_vectors(models()))


def with_models(**more: object) -> Parts:
    """The tiny heads, and MiniLM's vectors."""
    shared = _shared()
    return Parts(shared.heads, shared.vectors, **more)  # type: ignore[arg-type]
