"""The runtimes that an encoder can run on, by name."""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from edge_models.engines.base import NotInstalled
from edge_models.runtimes.base import RuntimeModule

RUNTIMES: Final[dict[str, str]] = {
    "openvino": "edge_models.runtimes.openvino",
    "onnx": "edge_models.runtimes.onnx",
}


def load_runtime(name: str) -> RuntimeModule:
    """Import the module of one runtime. Raises NotInstalled if none is called that."""
    if name not in RUNTIMES:
        raise NotInstalled(f"there is no runtime of that name; there are: {', '.join(RUNTIMES)}")
    return cast("RuntimeModule", import_module(RUNTIMES[name]))
