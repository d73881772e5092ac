"""The one door to the models that Nearloop ships for its signals. They run in this process, since their files are hashed.

Nothing of a runtime, and no numpy, is loaded before one of them is opened.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct

import edge_models
from daemon.signals.base import Found
from daemon.signals.forward import Forward, OpenedHeads, Reading
from daemon.signals.vectors import Bank, OpenedAbroad, OpenedVectors, Score, Vector, Vectors
from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import check_files

_PACKAGE: Final = Path(edge_models.__file__).parent
EMBEDDER: Final = "all-minilm-l6-v2"
"""The encoder's name for clients."""
EMBEDDER_ABROAD: Final = "universal-sentence-encoder-multilingual-3"
"""That of the one that compares texts of other languages than English, on the former's scale."""
_MULTILINGUAL: Final = "signals-multilingual"
THREADS: Final = 2
"""For one window: over prompts of upstream's, 7.6 ms for all signals where one thread takes 11.2 (medians, 2 cores)."""
MULTIPLE: Final = 16
"""Of lengths in tokens, see Placement: 8 for the heads and 32 for the encoder, 250 MB with both; 8 gains nothing more."""


def folder() -> Path:
    """Where the models are: in the package, or in the sources it was installed from."""
    inside = _PACKAGE / "assets" / "models"
    return inside if inside.is_dir() else _PACKAGE.parent / "assets" / "models"


def shipped_heads(directory: Path | None = None) -> Forward:
    """The heads, not yet opened."""
    place = directory or folder()
    return Forward(lambda: _open_heads(place / "signals"), abroad=lambda: _open_multilingual(place / _MULTILINGUAL))


def shipped_vectors(directory: Path | None = None) -> Vectors:
    """The encoder, not yet opened."""
    place = directory or folder()
    inside = place / "embedder"
    return Vectors(
        lambda: _open_vectors(inside), installed=inside.is_dir, abroad=lambda: _open_abroad(place / _MULTILINGUAL)
    )


class _Heads:
    """SignalHeads in this side's shapes."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened
        self.heads = opened.heads

    def read(self, text: str, go_on: Callable[[], bool], language: str | None) -> Reading:
        reading = self._opened.read(text, go_on, language)
        found = {
            name: tuple(Found(span.start, span.end, span.label, span.score) for span in spans)
            for name, spans in reading.spans.items()
        }
        return Reading(reading.scores, found, reading.whole)

    def close(self) -> None:
        self._opened.close()


def _open_heads(directory: Path) -> OpenedHeads:
    if not directory.is_dir():
        raise Unavailable("the signal models are not part of this installation: install Nearloop from its package")
    from edge_models.heads.reading import open_heads
    from edge_models.runtimes.base import Placement

    return _Heads(open_heads(directory, Placement(threads=THREADS, multiple=MULTIPLE)))


_encoders: WeakValueDictionary[str, Any] = WeakValueDictionary()
_encoder_lock: Final = threading.Lock()


def _encoder() -> Any:
    """The multilingual encoder: one for all that ask, as long as one of them lives. 70 MB. Raises an EngineError."""
    from edge_models.multilingual.encoder import MultilingualEncoder

    with _encoder_lock:
        found = _encoders.get("")
        if found is None:
            found = _encoders[""] = MultilingualEncoder()
        return found


def _open_multilingual(directory: Path) -> OpenedHeads:
    from edge_models.multilingual.heads import open_multilingual

    _check(directory)
    return _Heads(open_multilingual(directory, _encoder))


def _check(directory: Path) -> None:
    if not directory.is_dir():
        raise Unavailable(
            "the multilingual models are not part of this installation: install Nearloop from its package"
        )


class _Bank:
    """Prototypes in this side's shapes."""

    def __init__(self, prototypes: Any) -> None:
        self._prototypes = prototypes

    def score(self, vector: Vector) -> Score:
        return Score(*self._prototypes.score(vector))

    def best(self, vector: Vector) -> float:
        return float(self._prototypes.best(vector))


class _Embedder:
    """An opened encoder in this side's shapes."""

    def __init__(
        self, opened: Any, width: int, stack: Callable[[list[Vector]], Any], prototypes: Callable[..., Any]
    ) -> None:
        self.width = width
        self._opened = opened
        self._stack = stack
        self._prototypes = prototypes

    def embed(self, texts: tuple[str, ...]) -> list[Vector]:
        return list(self._opened.embed(texts))

    def tokens(self, text: str) -> int:
        return int(self._opened.tokens(text))

    def bank(self, vectors: list[Vector], cluster: float, most: int, weight: float, top: int) -> Bank:
        return _Bank(self._prototypes(self._stack(vectors), cluster, most, weight, top))

    def likeness(self, one: Vector, other: Vector) -> float:
        return float(one @ other)

    def close(self) -> None:
        self._opened.close()


class _Abroad(_Embedder):
    """The multilingual encoder in this side's shapes."""

    def __init__(
        self,
        opened: Any,
        stack: Callable[[list[Vector]], Any],
        prototypes: Callable[..., Any],
        scaled: Callable[[float], float],
    ) -> None:
        super().__init__(opened, opened.width, stack, prototypes)
        self.scaled = scaled

    def close(self) -> None:
        """Nothing: it may serve others."""


def _open_abroad(directory: Path) -> OpenedAbroad:
    _check(directory)
    import numpy

    from edge_models.heads.manifest import read_manifest
    from edge_models.multilingual.likeness import read_scale
    from edge_models.prototypes import Prototypes

    read_manifest(directory)  # whose hashes are checked by it
    return _Abroad(_encoder(), numpy.stack, Prototypes, read_scale(directory).english)


class _Provenance(Struct, frozen=True):
    files: dict[str, str]


_provenance: Final = msgspec.json.Decoder(_Provenance)
_TOKENIZER: Final = "tokenizer.json"


def _files_of(directory: Path) -> dict[str, str]:
    """The encoder's files and their digests. Raises Unavailable."""
    if not directory.is_dir():
        raise Unavailable("the encoder is not part of this installation: install Nearloop from its package")
    try:
        return _provenance.decode((directory / "provenance.json").read_bytes()).files
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise Unavailable("the encoder's provenance.json is missing or damaged: install Nearloop again") from error


def _open_vectors(directory: Path) -> OpenedVectors:
    files = _files_of(directory)
    check_files(directory, files)
    import numpy

    from edge_models.classifiers.base import EncoderRef
    from edge_models.classifiers.opening import open_encoder
    from edge_models.prototypes import Prototypes
    from edge_models.runtimes.base import Placement

    placement = Placement(threads=THREADS, multiple=MULTIPLE)
    ref = EncoderRef(str(directory), "feature-extraction", placement=placement)
    opened: Any = open_encoder(ref)
    return _Embedder(opened, opened.about.width, numpy.stack, Prototypes)


@cache
def shipped_words() -> frozenset[str]:
    """Words that everybody writes small. Raises an EngineError."""
    from edge_models.multilingual.words import written_small

    directory = folder() / "embedder"
    check_files(directory, {_TOKENIZER: _files_of(directory)[_TOKENIZER]})
    return written_small(directory / _TOKENIZER)


def open_own(
    directory: Path,
    task: Literal["text-classification", "entailment", "zero-shot-image-classification"],
    weights: Literal["float", "half", "int8"] = "float",
) -> Any:
    """A model of the user's own, in a process of its own. weights: as EncoderRef has it. Raises an EngineError."""
    from edge_models.classifiers.base import EncoderRef
    from edge_models.encoder_process import EncoderProcess
    from edge_models.runtimes.base import Placement

    return EncoderProcess(EncoderRef(str(directory), task, placement=Placement(threads=THREADS), weights=weights))
