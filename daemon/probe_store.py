"""What was measured, on disk: a file for each model on each device, valid for one driver and one runtime."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from daemon.paths import make_private_directory, write_private
from edge_models.catalog import ModelRef, known
from edge_models.devices import Device, Table
from edge_models.probe import FORMAT, Result


class Stored(Struct, frozen=True):
    """One result. name, driver, runtime: what it holds for. load: of the machine before, in runnable tasks per core."""

    format: int
    runtime: str
    name: str
    driver: str | None
    at: datetime
    load: float
    result: Result

    def holds(self, table: Table) -> bool:
        """Whether the device is still there, with the same driver under the same runtime."""
        same = (device for device in table.devices if (device.id, device.name) == (self.result.device, self.name))
        return (self.format, self.runtime) == (FORMAT, table.runtime) and any(
            device.driver == self.driver for device in same
        )


_decode: Final = msgspec.json.Decoder(Stored).decode


class ProbeStore:
    """The files of one folder, which is safe to delete."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, model: ModelRef) -> tuple[Stored, ...]:
        """All results of a model, in the devices' order; what can't be read is as if it weren't there."""
        found = []
        for file in sorted(self._folder.glob(f"{fingerprint(model)}-*.json")):
            try:
                found.append(_decode(file.read_bytes()))
            except (OSError, msgspec.MsgspecError):
                continue
        return tuple(found)

    def write(self, model: ModelRef, device: Device, stored: Stored) -> None:
        """Keep a result in the place of an earlier one of this model on this device. Raises OSError."""
        make_private_directory(self._folder)
        write_private(self._folder / f"{fingerprint(model)}-{device.id}.json", msgspec.json.encode(stored))


def fingerprint(model: ModelRef) -> str:
    """Sixteen hex characters that change when the model's file or its engine does.

    A known model's digest is in the catalogue. Of a user's own file, whose gigabytes nobody reads for this, place, size and
    time of change stand for its content.
    """
    entry = known(model.name) if model.path is None else None
    parts = [entry.sha256] if entry else [str(model.path), *_stamps(Path(model.path or ""))]
    return hashlib.sha256("\n".join((model.engine, *parts)).encode()).hexdigest()[:16]


def _stamps(path: Path) -> list[str]:
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        stats = [(file.name, file.stat()) for file in files if file.is_file()]
    except OSError:
        return []
    return [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats]
