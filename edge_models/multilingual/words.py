"""Words that everybody writes small, as two shipped vocabularies have them.

The multilingual encoder's pieces are cased, so they tell a word (`street`, more often than `Street`) from a name
(`Keller`, never `keller`). Of English words it holds 7,000 and not their forms: those are taken from MiniLM's vocabulary,
which is in small letters throughout and so full of names, where the same stem is such a word. Scripts without capitals have
nothing to tell by, so none of their words is one.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import Final

import msgspec

from edge_models.engines.base import Unavailable
from edge_models.multilingual.files import PIECES, checked
from edge_models.multilingual.pieces import SPACE, read_pieces
from edge_models.plain_files import read_plain

SHORTEST: Final = 3
"""Shorter pieces are pieces of anything."""


class _Model(msgspec.Struct):
    vocab: dict[str, int]


class _Tokenizer(msgspec.Struct):
    model: _Model


_decode: Final = msgspec.json.Decoder(_Tokenizer).decode


def written_small(tokenizer: Path) -> frozenset[str]:
    """All of them, some 32,000. tokenizer: MiniLM's. Takes 0.4 s. Raises NotInstalled, Unavailable."""
    try:
        pieces, scores, _ = read_pieces(read_plain(checked() / PIECES))
        english = _decode(tokenizer.read_bytes()).model.vocab
    except (OSError, ValueError, IndexError, KeyError, msgspec.MsgspecError) as error:
        raise Unavailable("a vocabulary is damaged: install Nearloop again") from error
    chance = {piece[1:]: score for piece, score in zip(pieces, scores.tolist(), strict=True) if piece[0] == SPACE}
    small = {word for word in chance if _is_small(word) and chance[word] >= chance.get(word.capitalize(), -1e9)}
    return frozenset(small | _forms(small, english.keys() - chance.keys(), english.keys(), chance))


def _is_small(word: str) -> bool:
    return len(word) >= SHORTEST and word.isalpha() and all(letter != letter.upper() for letter in word)


def _forms(small: set[str], unknown: set[str], english: Set[str], chance: dict[str, float]) -> set[str]:
    """Words of MiniLM's that have a known word's stem, and that nobody is called."""
    import snowballstemmer

    stemmer = snowballstemmer.stemmer("english")
    stems = set(map(stemmer.stemWord, (word for word in small if word in english)))
    return {
        word
        for word in unknown
        if _is_small(word) and word.isascii() and word.capitalize() not in chance and stemmer.stemWord(word) in stems
    }
