"""The multilingual heads: two small layers each over the multilingual encoder's vectors, read as the English ones are.

The artefact has the same signals.json; in place of a graph stands heads.npz with `NAME.inner`, `NAME.inner_bias`,
`NAME.outer`, `NAME.outer_bias` of each head. The encoder's own files belong to a package, see `files`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import read_manifest
from edge_models.heads.reading import SignalHeads
from edge_models.multilingual.encoder import STRIDE_TOKENS, WIDTH, WINDOW_TOKENS, MultilingualEncoder
from edge_models.multilingual.files import DIGESTS, WEIGHTS
from edge_models.pooling import Floats

FILE: Final = "heads.npz"


class Layers(Struct, frozen=True):
    """One head. inner: (512, hidden). outer: (hidden, labels)."""

    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats

    def logits(self, vectors: Floats) -> Floats:
        """(rows, labels) of (rows, 512)."""
        found: Floats = np.maximum(vectors @ self.inner + self.inner_bias, 0) @ self.outer + self.outer_bias
        return found


class HeadsRuntime:
    """Encoder and heads as a runtime: pieces in, each head's logits out."""

    device = "CPU"
    static_tokens: int | None = None
    multiple = 1

    def __init__(self, encoder: MultilingualEncoder, layers: Mapping[str, Layers]) -> None:
        """layers: by the head's name."""
        self.inputs: Mapping[str, np.dtype[Any]] = {"input_ids": np.dtype(np.int64)}
        self.outputs = tuple(f"head.{name}" for name in layers)
        self._encoder = encoder
        self._layers = layers

    def run(self, feeds: Mapping[str, NDArray[np.integer[Any]]], output: str) -> Floats:
        return self.run_all(feeds)[output]

    def run_all(self, feeds: Mapping[str, NDArray[np.integer[Any]]]) -> dict[str, Floats]:
        vectors = self._encoder.vectors(list(feeds["input_ids"].astype(np.int64)))
        return {f"head.{name}": layers.logits(vectors) for name, layers in self._layers.items()}

    def close(self) -> None:
        """Nothing: the encoder may serve others."""


def layers_bytes(layers: Mapping[str, Layers]) -> bytes:
    """heads.npz; numbers of 16 bits are enough."""
    values = {
        f"{head}.{name}": getattr(each, name) for head, each in layers.items() for name in Layers.__struct_fields__
    }
    file = BytesIO()
    np.savez(file, allow_pickle=False, **{name: value.astype(np.float16) for name, value in values.items()})
    return file.getvalue()


def read_layers(path: Path, labels: Mapping[str, int]) -> dict[str, Layers]:
    """The layers of each head; labels: how many it has. Raises Unavailable."""
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {
                head: Layers(*(file[f"{head}.{name}"].astype(np.float32) for name in Layers.__struct_fields__))
                for head in labels
            }
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise Unavailable("the multilingual heads are damaged: install Nearloop again") from error
    for head, each in found.items():
        hidden = len(each.inner_bias)
        if each.inner.shape != (WIDTH, hidden) or each.outer.shape != (hidden, labels[head]):
            raise Unavailable(f"the multilingual head {head} has not the shape that its labels want")
    return found


def open_multilingual(directory: Path, encoder: Callable[[], MultilingualEncoder] = MultilingualEncoder) -> SignalHeads:
    """Check hashes and load. Raises NotInstalled, Unavailable."""
    manifest = read_manifest(directory)
    if FILE not in manifest.files or manifest.base.sha256 != DIGESTS[WEIGHTS]:
        raise Unavailable(
            "the multilingual heads don't belong to the encoder that is installed: install Nearloop again"
        )
    if (manifest.window.tokens, manifest.window.stride) != (WINDOW_TOKENS, STRIDE_TOKENS):
        raise Unavailable("the multilingual heads were taught on other windows: install Nearloop again")
    layers = read_layers(directory / FILE, {head.name: len(head.labels) for head in manifest.heads})
    opened = encoder()
    return SignalHeads(manifest, opened.pieces, HeadsRuntime(opened, layers))
