"""The engines that a worker can run, by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

from edge_models.catalog import ModelRef
from edge_models.engines.base import Engine, NotInstalled, Stage


class EngineModule(Protocol):
    """What the module of each engine offers. Importing it, and asking for `versions`, loads no heavy library."""

    def load(self, model: ModelRef, cache_dir: Path, progress: Callable[[Stage, float | None], None]) -> Engine:
        """Make the model ready, which can take seconds. Raises NotInstalled or Unavailable."""
        ...

    def versions(self) -> dict[str, str]:
        """Package name to version, of what the engine runs on."""
        ...


ENGINES: Final[dict[str, str]] = {
    "llama-cpp": "edge_models.engines.llama_cpp",
    "openvino-genai": "edge_models.engines.openvino_genai",
    "openvino-raw": "edge_models.engines.openvino_raw",
    "scripted": "edge_models.engines.scripted",
}


def load_engine(name: str) -> EngineModule:
    """Import the module of one engine. Raises NotInstalled if no engine is called that."""
    if name not in ENGINES:
        raise NotInstalled(f"there is no engine of that name; there are: {', '.join(ENGINES)}")
    return cast("EngineModule", import_module(ENGINES[name]))


def installed(name: str) -> bool:
    """Whether an engine's libraries are here. Imports nothing heavy."""
    return name in ENGINES and (name == "scripted" or bool(load_engine(name).versions()))
