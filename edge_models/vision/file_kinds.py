"""What kind of file some bytes are, by their content: Google's magika, its model run by OpenVINO.

The model looks at the first and last kilobyte, less the blanks around them, of at most the outer four (`features`); how sure
it has to be is its makers' setting for each kind. A few bytes are text if they are UTF-8. This follows the package's
own code, to which a test holds it. `assets/models/file-kinds` has the model with its weights as fp16.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import check_files

DIGESTS: Final = {
    "kinds.json": "48748cc6ccfcd2960f12cf70375c03c6bf01b47cb6516452cbdbb864d3f492d4",
    "openvino_model.bin": "e6c06b84378e8b10c1061543ce9b0a91d6e11a7dc383d539449d5d73323b7076",
    "openvino_model.xml": "479a0cbb7031f1920b1060e51b0326427719b3057acd70e481004254a03ce26f",
}
"""SHA-256."""
_PACKAGE: Final = Path(__file__).parents[1]
_SIDE: Final = 1024
_BLOCK: Final = 4096
_NOTHING: Final = 256
"""Stands where there is no byte."""
_LEAST: Final = 8
"""Bytes that the model needs."""


class FileKind(Struct, frozen=True):
    """name: a short one, such as `python` or `zip`; `txt` and `unknown` are what is no nearer. text: whether it is text."""

    name: str
    text: bool


TEXT: Final = FileKind("txt", True)
UNKNOWN: Final = FileKind("unknown", False)


class _Kinds(Struct, frozen=True):
    labels: tuple[str, ...]
    text: frozenset[str]
    thresholds: dict[str, float]
    least_sure: float
    overwritten: dict[str, str]


def folder() -> Path:
    """Where the model is: in the package, or in the sources it was installed from."""
    inside = _PACKAGE / "assets" / "models"
    return (inside if inside.is_dir() else _PACKAGE.parent / "assets" / "models") / "file-kinds"


def features(data: bytes) -> NDArray[np.int32] | None:
    """(2048,), bytes from the beginning and from the end; None: too few."""
    begin, end = data[:_BLOCK].lstrip()[:_SIDE], data[-_BLOCK:].rstrip()[-_SIDE:]
    if len(data) < _LEAST or len(begin) < _LEAST:
        return None
    row = np.full(2 * _SIDE, _NOTHING, np.int32)
    row[: len(begin)] = np.frombuffer(begin, np.uint8)
    if end:
        row[2 * _SIDE - len(end) :] = np.frombuffer(end, np.uint8)
    return row


class FileKinds:
    """The model."""

    def __init__(self, directory: Path | None = None) -> None:
        """Raises NotInstalled, Unavailable."""
        place = directory or folder()
        check_files(place, DIGESTS)
        self._kinds = msgspec.json.decode((place / "kinds.json").read_bytes(), type=_Kinds)
        core = openvino_gate.core()
        try:
            model = core.read_model(place / "openvino_model.xml")
            how = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
            self._request = core.compile_model(model, "CPU", how).create_infer_request()
        except RuntimeError as error:
            raise Unavailable("OpenVINO can't run what tells kinds of files: install Nearloop again") from error

    def kind(self, data: bytes) -> FileKind:
        """Of a file's bytes."""
        row = features(data)
        if row is None:
            return TEXT if _is_utf8(data[:_BLOCK]) else UNKNOWN
        self._request.infer([row[None]])
        scores = self._request.get_output_tensor().data[0]
        best = int(scores.argmax())
        said = self._kinds.labels[best]
        name = self._kinds.overwritten.get(said, said)
        text = name in self._kinds.text or name == TEXT.name
        if scores[best] < self._kinds.thresholds.get(said, self._kinds.least_sure):
            return TEXT if text else UNKNOWN
        return FileKind(name, text)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
