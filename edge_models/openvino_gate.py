"""The only door to OpenVINO, whose bare import reports to an analytics host."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any, Final

from edge_models.engines.base import NotInstalled

PACKAGES: Final = ("openvino", "openvino-genai", "openvino-tokenizers")


def genai() -> ModuleType:
    """Import openvino_genai (0.35 s the first time) with its reporting cut off. Raises NotInstalled."""
    return _opened("openvino_genai")


def core() -> Any:
    """OpenVINO's core, which knows the devices; its reporting is cut off. Raises NotInstalled."""
    return _opened("openvino").Core()


def _opened(library: str) -> ModuleType:
    # None makes `import openvino_telemetry` fail, upon which OpenVINO falls back to its own stub, which sends nothing.
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        return import_module(library)
    except ImportError as error:
        raise NotInstalled(
            "OpenVINO can't be loaded: there is none for Windows on Arm and Intel Macs, where another engine has to"
            f" serve; elsewhere install Nearloop again, or {', '.join(PACKAGES)} of one and the same release"
        ) from error


def versions() -> dict[str, str]:
    """Package name to version, of those that are installed; imports nothing."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
