"""What a model will come to in memory, from its file, without loading it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from edge_models.catalog import ModelRef, known
from edge_models.engines.base import EngineError
from edge_models.inspection import inspect
from edge_models.memory import estimate


def estimate_bytes(ref: ModelRef) -> int | None:
    """Of a busy model, weights, cache and engine together. None where its file does not tell, or is not there.

    It reads a file's header, which takes some 15 ms for a large vocabulary.
    """
    path = file_of(ref)
    if path is None:
        return None
    try:
        seen = inspect(path)
    except EngineError:
        return None  # the engine will say what is wrong with it
    return estimate(seen.shape, ref.engine).total_bytes if seen.shape else None


def file_of(ref: ModelRef) -> Path | None:
    """The file or folder that a model is loaded from; None where there is none."""
    if ref.path is not None:
        return Path(ref.path) if ref.path and ref.engine != "scripted" else None
    entry = known(ref.name)
    if entry is None:
        return None
    try:
        return Path(str(distribution(entry.package).locate_file(entry.file)))
    except PackageNotFoundError:
        return None
