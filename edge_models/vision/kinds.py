"""What kind of picture it is, and coarsely what a photograph shows: read off the shipped encoder's features.

The kind is a linear head on the features of the whole picture, its sides made equal, and on how wide it is to its height.
Whoever has read its words gives them too: machine-readable lines, as passports have them, raise the odds of an identity
document as much as the manifest says, and words that were read well and say nothing of such documents lower them; words that
are a program's raise those of a screenshot of code, also where it is a photograph of a screen. What is shown is told where a
photograph is at all likely.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray
from PIL import Image

import edge_models
from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import check_files
from edge_models.vision.encoder import WIDTH, PictureEncoder, centre, whole
from edge_models.vision.identity_words import identity_words
from edge_models.vision.seen import Kinds
from edge_models.vision.things import things

_PACKAGE: Final = Path(edge_models.__file__).parent
FILE: Final = "pictures.json"
HEAD: Final = "kinds.npz"
VERSION: Final = 1
IDENTITY: Final = "identity_document"
CODE: Final = "code_screenshot"
CODE_LOGIT: Final = 3.5
"""By how much words that are a program's raise the logit of code. Of 30 screens of code that were drawn and read, the words
of 11 were taken for a program's (OCR drops what lines are indented by); of 64 documents, receipts and windows, of none: the
logarithm of the odds is 3.9, with half a case added to both.
"""
PLAIN_LOGIT: Final = -2.0
"""By how much words lower the logit of an identity document if they were read well and none is of such documents. Of 40 of
others and 30 that were drawn in a browser each said something of them, of 11 other pictures of both sets that were feared
and have so many words none did. By that it could be -5; the documents that we draw say less, and cards abroad may.
"""
_LEAST_READ: Final = 6
"""Words, of three letters at least, before their silence says anything."""
PROGRAMS: Final = frozenset(
    [
        "asm",
        "awk",
        "batch",
        "c",
        "clojure",
        "cmake",
        "cobol",
        "coffeescript",
        "cpp",
        "cs",
        "css",
        "dart",
        "diff",
        "dockerfile",
        "elixir",
        "erlang",
        "fortran",
        "go",
        "gradle",
        "groovy",
        "haskell",
        "hcl",
        "java",
        "javascript",
        "julia",
        "kotlin",
        "lisp",
        "lua",
        "makefile",
        "matlab",
        "objectivec",
        "ocaml",
        "pascal",
        "perl",
        "php",
        "powershell",
        "prolog",
        "proto",
        "python",
        "r",
        "ruby",
        "rust",
        "scala",
        "scss",
        "shell",
        "smali",
        "solidity",
        "sql",
        "swift",
        "tcl",
        "typescript",
        "vba",
        "verilog",
        "vhdl",
        "vue",
        "zig",
    ]
)
"""Kinds of files, by the names of `file_kinds`, that are programs."""
_LEAST_WORDS: Final = 60
"""Characters of words, below which they may be anything."""
PHOTO: Final = "photo"
CUES: Final = 2
_MOST_BYTES: Final = 1 << 20
_SHOWN_FROM: Final = 0.1
"""How likely a photograph has to be for its things to be told."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_LINE: Final = re.compile(r"[A-Z0-9<«‹]{24,}")
Floats = NDArray[np.float32]


class Manifest(Struct, frozen=True):
    """pictures.json. labels: in the order of the head's columns. temperature: what its logits are divided by.

    identity_threshold: from which probability on the boundary is to take a picture for an identity document: low, chosen so
    that nearly none is missed. mrz: by how much machine-readable lines raise an identity document's logit. files: SHA-256 by
    name.
    """

    version: int
    labels: Annotated[tuple[str, ...], Meta(min_length=2)]
    temperature: Annotated[float, Meta(gt=0)]
    identity_threshold: Annotated[float, Meta(gt=0, lt=1)]
    mrz: float
    files: dict[str, str]


_manifest: Final = msgspec.json.Decoder(Manifest)


class Head(Struct, frozen=True):
    """mean, scale: of features and cues. weights: (features and cues, labels). bias: (labels,)."""

    mean: Floats
    scale: Floats
    weights: Floats
    bias: Floats

    def logits(self, inputs: Floats) -> Floats:
        """inputs: (n, features and cues), of `inputs_of`."""
        return np.asarray((inputs - self.mean) * self.scale @ self.weights + self.bias, np.float32)


def folder() -> Path:
    """Where the shipped model is: in the package, or in the sources it was installed from."""
    inside = _PACKAGE / "assets" / "models"
    return (inside if inside.is_dir() else _PACKAGE.parent / "assets" / "models") / "pictures"


def read_manifest(directory: Path) -> Manifest:
    """Read pictures.json, and hold the files beside it to what it says. Raises Unavailable."""
    try:
        with (directory / FILE).open("rb") as file:
            manifest = _manifest.decode(file.read(_MOST_BYTES))
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise Unavailable("the picture model's pictures.json is missing or damaged: install Nearloop again") from error
    if manifest.version != VERSION:
        raise Unavailable(f"the picture model is of version {manifest.version}, and {VERSION} is read: install it anew")
    check_files(directory, manifest.files)
    return manifest


def read_head(file: Path, labels: int) -> Head:
    """Raises Unavailable."""
    try:
        with np.load(file, allow_pickle=False) as kept:
            head = Head(*(np.asarray(kept[name], np.float32) for name in Head.__struct_fields__))
    except (OSError, ValueError, KeyError) as error:
        raise Unavailable("the picture model's head is damaged: install Nearloop again") from error
    width = WIDTH + CUES
    if head.weights.shape != (width, labels) or head.bias.shape != (labels,):
        raise Unavailable("the picture model's head and its labels don't belong together: install Nearloop again")
    if head.mean.shape != (width,) or head.scale.shape != (width,):
        raise Unavailable("the picture model's head is of another width: install Nearloop again")
    return head


def inputs_of(features: Floats, width: int, height: int) -> Floats:
    """What the head reads, (features and cues,). features: (1280,) of the whole picture; width, height: its pixels.

    Features are means of numbers from 0 to 6, mostly small: their roots differ more evenly. The cues are how much wider it
    is than high, and how far from square.
    """
    aspect = float(np.clip(np.log(max(width, 1) / max(height, 1)), -2, 2))
    cues = np.array([aspect, abs(aspect)], np.float32)
    return np.concatenate([np.sqrt(np.maximum(features, 0)), cues])


def has_machine_lines(text: str) -> bool:
    """Whether two lines in a row look as those of passports and cards do, whatever their check digits say."""
    lines = ["".join(line.split()).upper() for line in text.splitlines()]
    found = [bool(_LINE.fullmatch(line)) and line.count("<") + line.count("«") >= 2 for line in lines]
    return any(first and second for first, second in pairwise(found))


def _says_nothing_of_it(text: str, clear: str) -> bool:
    """Whether enough was read, and nothing of what identity documents say. A part of machine-readable lines is that too."""
    if len(_WORD.findall(clear)) < _LEAST_READ or "<<" in text:
        return False
    return not identity_words(text)


class KindReader:
    """The shipped encoder with its head. It serves one caller at a time."""

    def __init__(self, directory: Path, threads: int = 1) -> None:
        """threads: two give the same numbers for a third more processor time, 4 to 7 ms sooner (bench_picture_kinds.py): of
        no weight beside the words, which are read first. Raises NotInstalled, Unavailable.
        """
        self.manifest = read_manifest(directory)
        self._head = read_head(directory / HEAD, len(self.manifest.labels))
        self._encoder = PictureEncoder(directory, threads)

    @property
    def identity_threshold(self) -> float:
        """From which probability on a picture is to be taken for an identity document."""
        return self.manifest.identity_threshold

    def read(self, image: Image.Image, text: str = "", written: str = "", clear: str = "") -> Kinds:
        """image: upright RGB. text: the words in it, line by line, where they were read. written: what kind of file they
        would be, by the names of `file_kinds`. clear: of the words those that were read well. Raises Broken.

        things: {} unless it may be a photograph.
        """
        features, _ = self._encoder.read(whole(image)[np.newaxis])
        told = self._head.logits(inputs_of(features[0], image.width, image.height)[np.newaxis])[0]
        chances = self.probabilities(told, text, written, clear)
        if chances.get(PHOTO, 0.0) < _SHOWN_FROM:
            return Kinds(chances, {})
        _, logits = self._encoder.read(centre(image)[np.newaxis])
        return Kinds(chances, things(logits[0]))

    def probabilities(
        self, logits: NDArray[Any], text: str = "", written: str = "", clear: str = ""
    ) -> dict[str, float]:
        """Each label's, likeliest first. logits: (labels,). The others: as `read` has them."""
        scaled = np.asarray(logits, np.float64) / self.manifest.temperature
        if text and has_machine_lines(text) and IDENTITY in self.manifest.labels:
            scaled[self.manifest.labels.index(IDENTITY)] += self.manifest.mrz
        elif IDENTITY in self.manifest.labels and _says_nothing_of_it(text, clear):
            scaled[self.manifest.labels.index(IDENTITY)] += PLAIN_LOGIT
        if written in PROGRAMS and len(text) >= _LEAST_WORDS and CODE in self.manifest.labels:
            scaled[self.manifest.labels.index(CODE)] += CODE_LOGIT
        shares = np.exp(scaled - scaled.max())
        shares /= shares.sum()
        order = np.argsort(-shares, kind="stable")
        return {self.manifest.labels[place]: round(float(shares[place]), 4) for place in order}
