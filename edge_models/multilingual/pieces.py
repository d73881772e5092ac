"""The multilingual encoder's pieces of words: a text becomes the most probable sequence of them (unigram, as SentencePiece).

Theory: pieces are at most 16 characters long, so all stretches of a text that may be one are looked up at once. Each stretch
has a 64-bit hash that is made character by character; the hashes of the 128,000 pieces are sorted, and one binary search
in numpy finds all that are in a text. That needs 2 MB, where a table of strings and their beginnings takes 45. A wrong piece
by two equal hashes has a chance of one in 10^14 a stretch, and would be a wrong piece, no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable
from edge_models.plain_files import read_plain
from edge_models.tokenizer import Window, normalizer

UNKNOWN, FIRST, LAST = 0, 1, 2
"""Numbers of what stands for an unknown character, and before and behind a text."""
_RESERVED: Final = 6
"""Pieces at the list's beginning that no text may spell."""
_LONGEST: Final = 16
SPACE: Final = "\u2581"
_AT_ONCE: Final = 4000
"""Characters that are looked up together: 4,000 x 16 hashes of 8 bytes are half a megabyte."""
_SEED: Final = np.uint64(0xCBF29CE484222325)
_PRIME: Final = np.uint64(0x9E3779B97F4A7C15)
_BEFORE_UNKNOWN: Final = 10.0
"""By how much an unknown character is less probable than the rarest piece: SentencePiece's own number."""
_PIECE, _SCORE = 0x0A, 0x15
"""First bytes of a piece, and of its words, and of its score."""
Hashes = NDArray[np.uint64]


class Pieces:
    """The pieces of one sp.model, and a text's windows of them. tokens, overlap: of a window, special ones included."""

    def __init__(self, path: Path, tokens: int, overlap: int) -> None:
        """Raises NotInstalled, Unavailable."""
        try:
            pieces, scores, characters = read_pieces(read_plain(path))
        except (OSError, ValueError, IndexError, KeyError) as error:
            raise Unavailable("the multilingual encoder's sp.model is damaged: install Nearloop again") from error
        self._normalized = normalizer(characters)
        self._content = tokens - 2
        self._overlap = overlap
        self._least = float(scores.min()) - _BEFORE_UNKNOWN
        hashes = _hashes_of(pieces)
        numbers = np.arange(len(pieces), dtype=np.int32)[_RESERVED:]
        order = np.argsort(hashes[_RESERVED:], kind="stable")
        self._hashes = hashes[_RESERVED:][order]
        self._numbers = numbers[order]
        self._scores = scores[_RESERVED:][order].astype(np.float64)

    def ids(self, text: str) -> list[int]:
        """All pieces of a text, none before and none behind."""
        return [number for part in _parts(self._plain(text)) for number in self._best(part)]

    def windows(self, text: str) -> list[Window]:
        """A text whole, in one window or several that overlap; of a text without words one that holds an unknown piece."""
        ids = self.ids(text) or [UNKNOWN]
        step = self._content - self._overlap
        starts = range(0, max(1, len(ids) - self._overlap), step)
        return [_window(ids[start : start + self._content]) for start in starts]

    def _plain(self, text: str) -> str:
        """Without variants of characters, spaces written as a sign, one before each word."""
        words = [word for word in self._normalized(text).split(" ") if word]
        return SPACE + SPACE.join(words) if words else ""

    def _best(self, text: str) -> list[int]:
        """The pieces whose probabilities multiply to the most."""
        best = [0.0] + [-1e38] * len(text)
        begun = [0] * len(best)
        came = [UNKNOWN] * len(best)
        for start, end, number, score in zip(*self._found(text), strict=True):
            whole = best[start] + score
            if whole > best[end]:
                best[end], begun[end], came[end] = whole, start, number
        chosen = []
        at = len(text)
        while at > 0:
            chosen.append(came[at])
            at = begun[at]
        return chosen[::-1]

    def _found(self, text: str) -> tuple[list[int], list[int], list[int], list[float]]:
        """What stands in a text, pieces and characters that are none: beginnings in order, ends, numbers, scores."""
        length = len(text)
        characters = np.frombuffer((text + "\0" * _LONGEST).encode("utf-32-le"), np.uint32).astype(np.uint64)
        hashes = np.full(length, _SEED, np.uint64)
        table = np.empty((length, _LONGEST), np.uint64)
        for size in range(_LONGEST):
            table[:, size] = hashes = _mixed(hashes, characters[size : size + length])
        flat = table.ravel()
        places = np.minimum(np.searchsorted(self._hashes, flat), len(self._hashes) - 1)
        which = places[found := np.flatnonzero(self._hashes[places] == flat)]
        starts, ends = found // _LONGEST, found // _LONGEST + found % _LONGEST + 1
        unknown = np.setdiff1d(np.arange(length), starts[ends == starts + 1], assume_unique=True)
        starts, ends = np.append(starts, unknown), np.append(ends, unknown + 1)
        numbers = np.append(self._numbers[which], np.full(len(unknown), UNKNOWN, np.int32))
        scores = np.append(self._scores[which], np.full(len(unknown), self._least))
        order = np.argsort(starts, kind="stable")
        order = order[ends[order] <= length]
        return starts[order].tolist(), ends[order].tolist(), numbers[order].tolist(), scores[order].tolist()


def _mixed(hashes: Hashes, characters: Hashes) -> Hashes:
    mixed: Hashes = (hashes ^ characters) * _PRIME
    return mixed ^ (mixed >> np.uint64(29))


def _hashes_of(pieces: list[str]) -> Hashes:
    """Each piece's, as `_found` makes a stretch's."""
    sizes = np.array([len(piece) for piece in pieces])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    characters = np.frombuffer("".join(pieces).encode("utf-32-le"), np.uint32).astype(np.uint64)
    hashes = np.full(len(pieces), _SEED, np.uint64)
    for size in range(int(sizes.max())):
        longer = sizes > size
        hashes[longer] = _mixed(hashes[longer], characters[starts[longer] + size])
    return hashes


def _parts(text: str) -> Iterator[str]:
    """Stretches that are looked up together; no piece goes over a space, so they end before one where they can."""
    while len(text) > _AT_ONCE:
        end = text.rfind(SPACE, 1, _AT_ONCE)
        end = end if end > 0 else _AT_ONCE
        yield text[:end]
        text = text[end:]
    if text:
        yield text


def _window(ids: list[int]) -> Window:
    """Without places in the text, which nobody asks a sequence head for."""
    whole = np.array([FIRST, *ids, LAST], np.int64)
    return Window(whole, np.zeros_like(whole), (), (), range(0))


def read_pieces(data: bytes) -> tuple[list[str], NDArray[np.float32], bytes]:
    """Pieces, their scores, and the map of characters, of a ModelProto (sentencepiece_model.proto).

    Fields: 1 a piece (1 its words, 2 its score), 3 the normaliser (2 its map). The pieces come first, are 128,000, and all
    shorter than 128 bytes, so they are read without a look at anything else.
    """
    pieces: list[str] = []
    scores: list[bytes] = []
    at = 0
    while data[at] == _PIECE:
        size, words, length = data[at + 1 : at + 4]
        behind = at + 4 + length
        if size > 127 or words != _PIECE or (size > length + 2 and data[behind] != _SCORE):
            raise ValueError("not the layout that this module reads")
        pieces.append(str(data[at + 4 : behind], "utf-8"))
        scores.append(data[behind + 1 : behind + 5] if size > length + 2 else bytes(4))
        at += 2 + size
    [normalizer] = (slice(start, end) for number, start, end in _fields(data, at, len(data)) if number == 3)
    inside = {number: data[start:end] for number, start, end in _fields(data, normalizer.start, normalizer.stop)}
    if max(map(len, pieces)) > _LONGEST:
        raise ValueError("not the pieces that this module reads")
    return pieces, np.frombuffer(b"".join(scores), "<f4"), inside[2]


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Number, first byte and byte after the last of each field of a protobuf message."""
    while at < end:
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 2:
            size, at = _varint(data, at)
        elif kind == 0:
            _, after = _varint(data, at)
            size = after - at
        else:
            size = {1: 8, 5: 4}[kind]
        yield key >> 3, at, at + size
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
