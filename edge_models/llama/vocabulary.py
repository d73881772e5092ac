"""A model's vocabulary: text to token ids, and ids to their exact bytes."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from edge_models.tool_calls.registry import VISIBLE

_PIECE_BYTES: Final = 256
_NONE: Final = -1  # llama.h `LLAMA_TOKEN_NULL`


class Vocabulary:
    """What llama.cpp knows of one model's tokens. Pieces are asked for when they are met, and kept."""

    def __init__(self, lib: Any, vocab: Any, size: int) -> None:
        self._lib = lib
        self._vocab = vocab
        self._size = size
        self._longest_bytes: int | None = None
        self._hidden: NDArray[np.intp] | None = None
        self._pieces: dict[int, bytes] = {}
        self._ends: dict[int, bool] = {}
        self._buffer = ctypes.create_string_buffer(_PIECE_BYTES)

    def tokens(self, text: str, *, special: bool) -> list[int]:
        """The ids of a text. special: whether control tokens that stand in it are read as such.

        Nothing is added in front: a chat template writes what its model wants there. Raises UnicodeEncodeError.
        """
        data = text.encode()
        room = len(data) + 8
        buffer = (ctypes.c_int32 * room)()
        count = self._lib.llama_tokenize(self._vocab, data, len(data), buffer, room, False, special)
        if count < 0:  # never seen: a token has a byte at least, and vocabularies add one or two
            buffer = (ctypes.c_int32 * -count)()
            count = self._lib.llama_tokenize(self._vocab, data, len(data), buffer, -count, False, special)
        return buffer[:count]

    def piece(self, token: int) -> bytes:
        """Its exact bytes, maybe part of a character; empty for control tokens, but for those that mark tool calls."""
        piece = self._pieces.get(token)
        if piece is None:
            piece = self._read(token, special=False)
            if not piece and (written := self._read(token, special=True)) in VISIBLE:
                piece = written
            self._pieces[token] = piece
        return piece

    def ends(self, token: int) -> bool:
        """Whether it ends a turn or a text."""
        end = self._ends.get(token)
        if end is None:
            end = self._ends[token] = bool(self._lib.llama_vocab_is_eog(self._vocab, token))
        return end

    def hidden(self) -> NDArray[np.intp]:
        """The tokens without text that end nothing: a grammar would take them for the text of their names."""
        if self._hidden is None:
            control = self._lib.llama_vocab_is_control
            ids = [id for id in range(self._size) if control(self._vocab, id)]
            self._hidden = np.array([id for id in ids if not self.piece(id) and not self.ends(id)], np.intp)
        return self._hidden

    def longest_bytes(self) -> int:
        """The length of the longest token, as the file writes it, which is never shorter than its text."""
        if self._longest_bytes is None:
            written = self._lib.llama_vocab_get_text
            self._longest_bytes = max(len(written(self._vocab, id) or b"") for id in range(self._size))
        return self._longest_bytes

    def begin_and_end(self) -> tuple[str, str]:
        """What chat templates call bos_token and eos_token; empty where the model has none."""
        ids = (self._lib.llama_vocab_bos(self._vocab), self._lib.llama_vocab_eos(self._vocab))
        begin, end = ("" if id == _NONE else self._read(id, special=True).decode(errors="replace") for id in ids)
        return begin, end

    def _read(self, token: int, *, special: bool) -> bytes:
        length = self._lib.llama_token_to_piece(self._vocab, token, self._buffer, _PIECE_BYTES, 0, special)
        if length < 0:
            self._buffer = ctypes.create_string_buffer(-length)
            length = self._lib.llama_token_to_piece(self._vocab, token, self._buffer, -length, 0, special)
        return self._buffer.raw[:length]
