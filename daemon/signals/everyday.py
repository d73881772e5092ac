"""Words that everybody uses, in English: the commonest that the packaged encoder's tokenizer knows.

The vocabulary of MiniLM's tokenizer is BERT's, which lists whole words by how often they stand in its corpus, the commonest
first, from number 1996 on ("the"). Among the first thousands are some names of persons too.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from daemon.signals.shipped import folder

_MOST: Final = 6_000
"""`users` is number 5198 and `orders` 4449; names that projects like begin behind (`phoenix` 6708, `falcon` 11684)."""


class _Model(Struct, frozen=True):
    vocab: dict[str, int]


class _Tokenizer(Struct, frozen=True):
    model: _Model


_decode: Final = msgspec.json.Decoder(_Tokenizer).decode


def is_everyday(words: str) -> bool:
    """Whether each of these words is one of them, in any case; False where the vocabulary isn't installed."""
    said = words.lower().split()
    try:
        known = _decode((folder() / "embedder" / "tokenizer.json").read_bytes()).model.vocab
    except (OSError, msgspec.DecodeError):
        return False
    return bool(said) and all(len(word) > 1 and word.isascii() and known.get(word, _MOST) < _MOST for word in said)
