"""signals.json: what the shipped heads are, how their numbers are read, and what their files have to hash to."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from edge_models.engines.base import Unavailable

FILE: Final = "signals.json"
VERSION: Final = 1
_MOST_BYTES: Final = 4 * 1024 * 1024


class Base(Struct, frozen=True):
    """The encoder that was trained further."""

    name: str
    sha256: str


class Window(Struct, frozen=True):
    """How long texts are read: windows of so many tokens, special ones included, each so many after the one before."""

    tokens: Annotated[int, Meta(ge=8)]
    stride: Annotated[int, Meta(ge=1)]


class Calibration(Struct, frozen=True):
    """From logits to probabilities: softmax, or sigmoid of independent labels, of `logits / temperature + bias`.

    crowd: of a head with two labels that looks for one bad window: the log-odds of a text's worst window fall by so much
    times the natural log of how many windows the text has, because among many one is high by chance.
    """

    temperature: Annotated[float, Meta(gt=0)] = 1.0
    bias: tuple[float, ...] = ()
    crowd: Annotated[float, Meta(ge=0)] = 0.0


class Head(Struct, frozen=True):
    """One head. labels: in the order of the columns. multi_label: whether they are independent of each other.

    pool: how a long text's windows become one answer. thresholds: by the name of a false-positive rate, and `default`.
    validated: whether it was measured on data of others. note: what is to be known of it.
    """

    name: str
    task: Literal["sequence", "token"]
    labels: Annotated[tuple[str, ...], Meta(min_length=1)]
    multi_label: bool = False
    pool: Literal["max", "mean"] = "mean"
    calibration: Calibration = Calibration()
    thresholds: dict[str, float] = {}
    validated: bool = False
    note: str = ""

    @property
    def output(self) -> str:
        """The name of its tensor."""
        return f"{'head' if self.task == 'sequence' else 'tokens'}.{self.name}"

    @property
    def threshold(self) -> float:
        """From which probability on it says so, unless a rule has its own."""
        return self.thresholds.get("default", 0.5)


class Manifest(Struct, frozen=True):
    """The whole file. files: SHA-256 by name."""

    version: int
    base: Base
    window: Window
    heads: tuple[Head, ...]
    files: dict[str, str]


_manifest: Final = msgspec.json.Decoder(Manifest)


def read_manifest(directory: Path) -> Manifest:
    """Read signals.json, and hold the files beside it to what it says. Raises Unavailable."""
    try:
        with (directory / FILE).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        manifest = _manifest.decode(data)
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise Unavailable("the signal models' signals.json is missing or damaged: install Nearloop again") from error
    if manifest.version != VERSION:
        raise Unavailable(
            f"the signal models are of version {manifest.version}, and {VERSION} is read: install them anew"
        )
    for head in manifest.heads:
        if head.calibration.bias and len(head.calibration.bias) != len(head.labels):
            raise Unavailable(f"the calibration of the head {head.name} has not one number for each label")
    check_files(directory, manifest.files)
    return manifest


def check_files(directory: Path, digests: dict[str, str]) -> None:
    """Raise Unavailable unless each file is there and hashes to its digest."""
    for name, digest in digests.items():
        if "/" in name or "\\" in name or name.startswith("."):
            raise Unavailable("the signal models name a file outside of their folder")
        try:
            with (directory / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise Unavailable(f"the signal models lack their file {name}: install Nearloop again") from error
        if not hmac.compare_digest(found, digest.lower()):
            raise Unavailable(f"the signal models' file {name} is not the one that was shipped: install Nearloop again")
