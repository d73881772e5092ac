"""signals.json: what the shipped heads are, how their numbers are read, and what their files have to hash to."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct, structs

from edge_models.engines.base import Unavailable

FILE: Final = "signals.json"
VERSION: Final = 1
_MOST_BYTES: Final = 4 * 1024 * 1024
CalibratedBy = Literal["language", "english", "pooled"]


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


class Spoken(Struct, frozen=True, omit_defaults=True):
    """What a head's numbers mean in one language, where that was measured.

    calibration: None: the head's own, which is that of all languages together. thresholds: as a head has them; empty: the
    head's. rows, harmless: how many texts of this language stand behind the calibration and behind the thresholds.
    """

    calibration: Calibration | None = None
    rows: int = 0
    thresholds: dict[str, float] = {}
    harmless: int = 0


class Head(Struct, frozen=True):
    """One head. labels: in the order of the columns. multi_label: whether they are independent of each other.

    pool: how a long text's windows become one answer. thresholds: by the name of a false-positive rate, and `default`.
    validated: whether it was measured on data of others. note: what is to be known of it. languages: by ISO 639-1.
    likened: whether nobody knows its labels in other languages, so that what calibrated it there is what the English heads
    say of each text's original.
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
    languages: dict[str, Spoken] = {}
    likened: bool = False

    @property
    def output(self) -> str:
        """The name of its tensor."""
        return f"{'head' if self.task == 'sequence' else 'tokens'}.{self.name}"

    @property
    def threshold(self) -> float:
        """From which probability on it says so, unless a rule has its own."""
        return self.thresholds.get("default", 0.5)

    def calibrated_by(self, language: str | None) -> CalibratedBy:
        """What a text's probability was fitted on: labelled texts of its language, texts of its language and what the
        English heads say of their originals, or texts of all languages together.
        """
        spoken = self.languages.get(language or "")
        if spoken is None or spoken.calibration is None:
            return "pooled"
        return "english" if self.likened else "language"

    def spoken(self, language: str | None) -> Head:
        """The head as it is to be read for a text of that language; itself where nothing is known of it."""
        found = self.languages.get(language or "")
        if found is None:
            return self
        return structs.replace(
            self,
            calibration=found.calibration or self.calibration,
            thresholds=found.thresholds or self.thresholds,
        )


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
        told = [head.calibration, *(each.calibration for each in head.languages.values() if each.calibration)]
        if any(each.bias and len(each.bias) != len(head.labels) for each in told):
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
