"""What is wrong with the models that the settings name: found out by their headers, and asked of the daemon if one runs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.client import Client
from daemon.errors import NearloopError
from daemon.paths import Paths
from edge_models.catalog import AUTO, ModelRef, known
from edge_models.engines.base import EngineError
from edge_models.engines.registry import installed
from edge_models.inspection import inspect
from edge_models.store import locate

CORRECT: Final = "correct models in settings.toml"


class Checked(Struct, frozen=True):
    """One model. remedy: what to do; empty if nothing is wrong with it."""

    text: str
    remedy: str = ""


def checked(models: tuple[ModelRef, ...], paths: Paths, devices: tuple[str, ...]) -> list[Checked]:
    """Each model. devices: what OpenVINO sees, by its names; empty if that is not known."""
    said = _said(paths)
    found = []
    for model in models:
        name = f"local/{model.name}"
        wrong = _wrong(model, devices)
        if wrong is None and (error := said.get(name)):
            wrong = Checked(f"{name} can't be used: the daemon tried", error)
        if wrong or model.path is not None or known(model.name):
            found.append(wrong or Checked(f"{name}: {model.path or _packaged(model)}"))
    return found


def _wrong(model: ModelRef, devices: tuple[str, ...]) -> Checked | None:
    name = f"local/{model.name}"
    try:
        if not installed(model.engine):
            return Checked(f"{name}: its engine {model.engine} is not installed", "install it as docs/config.md says")
        if model.engine == "scripted":
            return None
        if model.path is None:
            _packaged(model)
        elif not Path(model.path).exists():
            return Checked(f"{name}: {model.path} is not there", CORRECT)
        else:
            seen = inspect(Path(model.path))
            if seen.engine is None and model.engine.startswith("openvino"):
                return Checked(f"{name}: {seen.note}", "take another edition of it, or another engine")
    except EngineError as error:
        return Checked(f"{name} can't be used", str(error))
    if model.engine.startswith("openvino") and devices and model.device != AUTO and not _has(devices, model.device):
        return Checked(
            f"{name}: its device {model.device} is not here, only {', '.join(devices)}",
            "`nearloop devices` tells what a driver lacks; or take its device out of settings.toml",
        )
    return None


def _has(devices: tuple[str, ...], wanted: str) -> bool:
    return any(device == wanted or device.split(".")[0] == wanted for device in devices)


def _packaged(model: ModelRef) -> Path | None:
    entry = known(model.name)
    return locate(entry) if entry else None


def _said(paths: Paths) -> dict[str, str]:
    """What the running daemon says of models that failed, by name."""
    try:
        with Client(paths) as client:
            return {
                model.name: model.error for model in client.status().models if model.error and model.state == "failed"
            }
    except NearloopError:
        return {}
