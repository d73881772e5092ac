"""From text to the one length of tokens that an encoder of pictures and texts reads: cut, ended and padded as in training.

Its text tower masks nothing and takes the last token's vector, so padding is part of what it reads: another token to pad
with, or another side, is another vector. Which it is stands in tokenizer_config.json, not in config.json, whose default is
that of SigLIP's first vocabulary.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from edge_models.engines.base import Unavailable
from edge_models.plain_files import open_plain
from edge_models.pooling import Ids
from edge_models.tokenizer import encoded, opened

_MOST_BYTES: Final = 64 << 20  # Gemma's lists its 256,000 tokens there as well
_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_SPACE: Final = re.compile(r"\s+")


class _Token(Struct, frozen=True):
    content: str


class _Config(Struct, frozen=True):
    """What is read of tokenizer_config.json."""

    tokenizer_class: str | None = None
    pad_token: str | _Token | None = None
    eos_token: str | _Token | None = None
    padding_side: str | None = None
    add_eos_token: bool | None = None
    do_lower_case: bool | None = None


_decode: Final = msgspec.json.Decoder(_Config).decode


class PaddedTokenizer:
    """One tokenizer.json with its tokenizer_config.json. length: of tokens, special ones included."""

    def __init__(self, directory: Path, length: int, pad_id: int | None) -> None:
        """pad_id: what config.json says, for a directory that doesn't say better. Raises NotInstalled, Unavailable."""
        config = _read(directory / "tokenizer_config.json")
        self._library = opened(directory / "tokenizer.json")
        self._plain = _PLAINER.get((config.tokenizer_class or "").removesuffix("Fast"), str)
        if config.do_lower_case and self._plain is str:
            self._plain = str.lower
        self.length = length
        self.vocabulary = int(self._library.get_vocab_size(with_added_tokens=True))
        token = _content(config.pad_token)
        pad = self._library.token_to_id(token) if token is not None else self._own_pad(pad_id)
        if pad is None or config.padding_side not in (None, "left", "right"):
            raise Unavailable("the encoder's tokenizer doesn't say how texts are padded: fetch the model again, whole")
        self._end = self._library.token_to_id(_content(config.eos_token) or "") if config.add_eos_token else None
        self._pad, self._left = int(pad), config.padding_side == "left"
        self._library.no_padding()
        self._library.no_truncation()
        if length <= int(self._library.num_special_tokens_to_add(is_pair=False)):
            raise Unavailable("the encoder's window holds no token of a text: its config.json is damaged")
        self._library.enable_truncation(max_length=length)

    def _own_pad(self, otherwise: int | None) -> int | None:
        """What tokenizer.json itself pads with."""
        own = self._library.padding
        return int(own["pad_id"]) if own else otherwise

    def ids(self, text: str) -> Ids:
        """(length,). A text that is too long loses its end, not the token that ends it. Raises Broken."""
        found = list(encoded(self._library, self._plain(text)).ids)[: self.length]
        if self._end is not None and self._end not in found[-1:]:  # a template that forgets what the settings say
            found = [*found[: self.length - 1], self._end]
        padding = [self._pad] * (self.length - len(found))
        return np.array([*padding, *found] if self._left else [*found, *padding], np.int64)


def _canonical(text: str) -> str:
    """As SigLIP's texts were in training: in small letters, without ASCII punctuation (big_vision, `prompt_engineering`)."""
    return _SPACE.sub(" ", text.lower().translate(_PUNCTUATION)).strip()


_PLAINER: Final[dict[str, Callable[[str], str]]] = {"SiglipTokenizer": _canonical, "Siglip2Tokenizer": str.lower}
"""What classes of transformers do to a text in code, which some tokenizer.json of the hub lack; twice does no harm."""


def _content(token: str | _Token | None) -> str | None:
    return token.content if isinstance(token, _Token) else token


def _read(path: Path) -> _Config:
    try:
        with open_plain(path) as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return _Config()
    except OSError as error:
        raise _damaged() from error
    try:
        return _decode(data if len(data) <= _MOST_BYTES else b"")
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise _damaged() from error


def _damaged() -> Unavailable:
    return Unavailable("the encoder's tokenizer_config.json is damaged or no such file: fetch the model again")
