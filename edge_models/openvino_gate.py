"""The only door to OpenVINO, whose bare import reports to an analytics host."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Final

from edge_models.engines.base import NotInstalled

PACKAGES: Final = ("openvino", "openvino-genai", "openvino-tokenizers")


def openvino() -> ModuleType:
    """Import openvino (0.2 s of CPU time the first time) with its reporting cut off. Raises NotInstalled."""
    _cut_reporting()
    try:
        return import_module("openvino")
    except ImportError as error:
        raise _absent() from error


def genai() -> ModuleType:
    """Import openvino_genai (0.35 s the first time) with its reporting cut off. Raises NotInstalled."""
    _cut_reporting()
    try:
        return import_module("openvino_genai")
    except ImportError as error:
        raise _absent() from error


def _cut_reporting() -> None:
    # None makes `import openvino_telemetry` fail, upon which OpenVINO falls back to its own stub, which sends nothing.
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    os.environ["HF_HUB_OFFLINE"] = "1"


def _absent() -> NotInstalled:
    return NotInstalled(
        "OpenVINO can't be loaded: there is none for Windows on Arm and Intel Macs, where another engine has to"
        f" serve; elsewhere install Nearloop again, or {', '.join(PACKAGES)} of one and the same release"
    )


def versions() -> dict[str, str]:
    """Package name to version, of those that are installed; imports nothing."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
