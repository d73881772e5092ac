"""The exact bytes of every token of a vocabulary.

Decoding token by token through a tokenizer loses bytes where a character spans tokens, and leading spaces where it
tidies up; a table from id to bytes loses neither. Byte-level vocabularies hold the bytes as they are. SentencePiece
ones write a space as U+2581 and a single byte as `<0x0A>`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

_SPACE: Final = "\u2581".encode()
_BYTE: Final = re.compile(rb"<0x([0-9A-F]{2})>")


def is_sentencepiece(vocabulary: Collection[bytes]) -> bool:
    """Whether tokens are written SentencePiece's way: it has byte tokens, or a tenth of it begins with U+2581."""
    return b"<0x0A>" in vocabulary or sum(token.startswith(_SPACE) for token in vocabulary) * 10 > len(vocabulary)


def piece_table(vocabulary: Mapping[bytes, int], hidden: Collection[int]) -> tuple[bytes, ...]:
    """Token id -> bytes. hidden: control tokens, whose pieces are empty, as are those of ids that nobody named."""
    plain = _sentencepiece if is_sentencepiece(vocabulary) else bytes
    table = [b""] * (1 + max(vocabulary.values(), default=-1))
    for token, id in vocabulary.items():
        table[id] = plain(token)
    for id in hidden:
        table[id] = b""
    return tuple(table)


def _sentencepiece(token: bytes) -> bytes:
    byte = _BYTE.fullmatch(token)
    return bytes([int(byte[1], 16)]) if byte else token.replace(_SPACE, b" ")
