"""Measured speeds of local models on disk: a file for each model on each device with so many threads."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from daemon.confidence.setup import usable_threads
from daemon.paths import make_private_directory, write_private
from daemon.probe_store import fingerprint
from daemon.rates import Speeds
from edge_models.catalog import ModelRef

_decode: Final = msgspec.json.Decoder(Speeds).decode


class RateStore:
    """The files of one folder, which is safe to delete."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, model: ModelRef, device: str) -> Speeds:
        """What is kept; nothing, if that can't be read."""
        try:
            return _decode(self._file(model, device).read_bytes())
        except (OSError, msgspec.MsgspecError, RecursionError):
            return Speeds()

    def write(self, model: ModelRef, device: str, speeds: Speeds) -> None:
        """Keep it in the place of what was there. Raises OSError."""
        make_private_directory(self._folder)
        write_private(self._file(model, device), msgspec.json.encode(speeds))

    def _file(self, model: ModelRef, device: str) -> Path:
        safe = "".join(sign if sign.isalnum() else "_" for sign in device)
        return self._folder / f"{fingerprint(model)}-{safe}-{usable_threads()}.json"
