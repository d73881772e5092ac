"""From text to the windows of tokens that an encoder reads.

A text that is longer than the window is read in several, which overlap so that nothing is seen only at an edge. Each
window says which of its tokens it answers for: an overlap is shared half and half, so every token is answered for once.
Nothing is padded, whatever the model's own tokenizer.json says (MiniLM's pads to 128, which costs time and, where the
mask is forgotten, the answer), and nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct

from edge_models.engines.base import Broken, NotInstalled, TextTooLong, Unavailable
from edge_models.plain_files import read_plain
from edge_models.pooling import Ids

MAX_FILE_BYTES: Final = 128 * 1024 * 1024  # the largest we know, Gemma's, has 33 MB
OVERLAP_SHARE: Final = 8
"""One part in so many of a window is read again by the next: 64 of 512 tokens, longer than any name or sentence."""

_LONE: Final = re.compile(r"[\ud800-\udfff]")
"""Halves of characters, which JSON can carry and the library can't take."""


class Window(Struct, frozen=True):
    """A stretch of a text, as the encoder takes it.

    ids, type_ids: (tokens,), special tokens included. offsets: each token's characters in the text, (0, 0) of special
    ones. words: which word of the text each token belongs to, None of special ones. own: the tokens that this window
    answers for, special ones left out.
    """

    ids: Ids
    type_ids: Ids
    offsets: tuple[tuple[int, int], ...]
    words: tuple[int | None, ...]
    own: range


class Tokenizer:
    """One tokenizer.json. window_tokens: how many tokens the encoder reads at once, special ones included.

    overlap_tokens: how many of them the next window reads again; None: one part in OVERLAP_SHARE.
    """

    def __init__(self, path: Path, window_tokens: int, overlap_tokens: int | None = None) -> None:
        """Raises NotInstalled, or Unavailable if the file is none or doesn't fit the window."""
        self._tokenizer = opened(path)
        self.special_tokens = int(self._tokenizer.num_special_tokens_to_add(is_pair=False))
        content = window_tokens - self.special_tokens
        if content < 1:
            raise Unavailable("the encoder's window holds no token of a text: its config.json is damaged")
        self.window_tokens = window_tokens
        self.vocabulary = int(self._tokenizer.get_vocab_size(with_added_tokens=True))
        self._overlap = content // OVERLAP_SHARE if overlap_tokens is None else min(overlap_tokens, content - 1)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=window_tokens, stride=self._overlap)

    def windows(self, text: str) -> list[Window]:
        """The text whole, in one window or several; a text without words is one window of special tokens, or none.

        Raises Broken if the library gives up, as it does where a regular expression of tokenizer.json goes round in circles.
        """
        first = encoded(self._tokenizer, text)
        encodings = [first, *first.overflowing]
        before, after = self._overlap - self._overlap // 2, self._overlap // 2
        last = len(encodings) - 1
        return [
            _window(encoding, before if place else 0, after if place < last else 0)
            for place, encoding in enumerate(encodings)
            if encoding.ids
        ]


class PairTokenizer:
    """One tokenizer.json, for encoders that read two texts at once; window_tokens: as in Tokenizer.

    Its own template says how the two are joined and numbered (token_type_ids). Of the first text, there are as many windows
    as it takes; the second stands whole in each of them.
    """

    def __init__(self, path: Path, window_tokens: int) -> None:
        """Raises NotInstalled, or Unavailable if the file is none, or knows no pairs."""
        self._tokenizer = opened(path)
        special_tokens = int(self._tokenizer.num_special_tokens_to_add(is_pair=True))
        if special_tokens <= int(self._tokenizer.num_special_tokens_to_add(is_pair=False)):
            raise Unavailable("the encoder's tokenizer.json doesn't say how two texts are parted: take another model")
        self.most_second_tokens = (window_tokens - special_tokens) // 2
        self._tokenizer.no_padding()
        if self.most_second_tokens < 1:
            raise Unavailable("the encoder's window holds no two texts: its config.json is damaged")
        overlap = self.most_second_tokens // OVERLAP_SHARE
        self._tokenizer.enable_truncation(max_length=window_tokens, stride=overlap, strategy="only_first")

    def windows(self, first: str, second: str) -> list[Window]:
        """Raises TextTooLong if the second text takes more than half of the window, Broken as Tokenizer does."""
        alone = encoded(self._tokenizer, second, special=False)
        if len(alone.ids) > self.most_second_tokens:
            raise TextTooLong(
                f"the text has more than the {self.most_second_tokens} tokens that the model can hold against another one"
            )
        whole = encoded(self._tokenizer, first, second)
        return [_window(encoding, 0, 0) for encoding in (whole, *whole.overflowing)]


def encoded(library: Any, text: str, pair: str | None = None, *, special: bool = True) -> Any:
    """The library's encoding, cut as it was told. special: with special tokens. Raises Broken."""
    try:
        plain = [_LONE.sub("\ufffd", each) for each in (text, pair) if each is not None]
        return library.encode(*plain, add_special_tokens=special)
    except BaseException as error:  # a panic of the library's is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise Broken("the tokenizer fails on a text: its tokenizer.json may be damaged, fetch it again") from None


def _window(encoding: Any, before: int, after: int) -> Window:
    """before, after: how many content tokens at its ends the neighbours answer for."""
    content = [place for place, special in enumerate(encoding.special_tokens_mask) if not special]
    first, end = (content[0], content[-1] + 1) if content else (0, 0)
    return Window(
        ids=np.array(encoding.ids, np.int64),
        type_ids=np.array(encoding.type_ids, np.int64),
        offsets=tuple(encoding.offsets),
        words=tuple(encoding.word_ids),
        own=range(first + before, end - after),
    )


def normalizer(characters: bytes) -> Callable[[str], str]:
    """What SentencePiece's map of characters makes of a text. Raises NotInstalled, or Unavailable for another map."""
    try:
        from tokenizers import normalizers
    except ImportError as error:
        raise NotInstalled("the package tokenizers can't be loaded: install Nearloop again") from error
    try:
        found: Callable[[str], str] = normalizers.Precompiled(characters).normalize_str
    except BaseException as error:  # a panic of the library's is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise Unavailable("the encoder's map of characters is damaged: install Nearloop again") from error
    return lambda text: found(_LONE.sub("\ufffd", text))


def opened(path: Path) -> Any:
    """A tokenizer.json as the library reads it. Raises NotInstalled, Unavailable."""
    try:
        from tokenizers import Tokenizer as Library
    except ImportError as error:
        raise NotInstalled("the package tokenizers can't be loaded: install Nearloop again") from error
    try:
        data = read_plain(path) if path.stat().st_size <= MAX_FILE_BYTES else None
    except OSError as error:
        raise Unavailable("the encoder's tokenizer.json can't be read: fetch the model again, whole") from error
    if data is None:
        raise Unavailable(f"the encoder's tokenizer.json is over {MAX_FILE_BYTES >> 20} MB, which none has")
    try:
        return Library.from_buffer(data)
    except BaseException as error:  # a panic of the library's is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise Unavailable(
            "the encoder's tokenizer.json is damaged or of an unknown kind: fetch the model again"
        ) from error
