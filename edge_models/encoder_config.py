"""What an encoder's directory says of itself: its config.json, and how its vectors are pooled."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from edge_models.engines.base import Unavailable
from edge_models.plain_files import open_plain
from edge_models.pooling import POOLINGS

MOST_WINDOW_TOKENS: Final = 8192  # attention over more takes gigabytes
_MOST_CONFIG_BYTES: Final = 4 * 1024 * 1024
_SHIFTED: Final = frozenset({"camembert", "mpnet", "roberta", "xlm-roberta", "xlm-roberta-xl"})
"""Families whose first position is 2, so that two of their positions are never used (transformers, modeling_roberta)."""
_KNOWN_MODULES: Final = frozenset({"Transformer", "Pooling", "Normalize"})  # of sentence-transformers
T = TypeVar("T")


class EncoderConfig(Struct, frozen=True):
    """What is read of a Hugging Face config.json. id2label: label by the number of its column, as text."""

    model_type: str = ""
    architectures: tuple[str, ...] | None = None
    max_position_embeddings: int = 0
    vocab_size: int = 0
    hidden_size: int = 0
    num_hidden_layers: int = 0
    num_attention_heads: int = 0
    layer_norm_eps: float = 1e-12
    hidden_act: str = "gelu"
    position_embedding_type: str | None = "absolute"
    problem_type: str | None = None
    id2label: dict[str, str] = {}

    @property
    def window_tokens(self) -> int:
        """How many tokens it reads at once. Raises Unavailable if it doesn't tell."""
        tokens = self.max_position_embeddings - 2 * (self.model_type in _SHIFTED)
        if tokens < 1:
            raise Unavailable("the encoder's config.json does not tell its window (max_position_embeddings)")
        return min(tokens, MOST_WINDOW_TOKENS)

    @property
    def labels(self) -> tuple[str, ...]:
        """In the order of the columns. Raises Unavailable if they are not numbered from 0."""
        numbered = [self.id2label.get(str(number)) for number in range(len(self.id2label))]
        labels = tuple(label for label in numbered if label is not None)
        if not labels or len(labels) < len(numbered):
            raise Unavailable("the encoder's config.json does not tell its labels (id2label, numbered from 0)")
        return labels


class _Pooling(Struct, frozen=True):
    pooling_mode_mean_tokens: bool = False
    pooling_mode_cls_token: bool = False


class _Module(Struct, frozen=True):
    type: str
    path: str = ""


_config: Final = msgspec.json.Decoder(EncoderConfig)
_pooling: Final = msgspec.json.Decoder(_Pooling)
_modules: Final = msgspec.json.Decoder(tuple[_Module, ...])


def read_config(directory: Path) -> EncoderConfig:
    """The directory's config.json. Raises Unavailable."""
    return _read(directory / "config.json", _config)


def read_pooling(directory: Path) -> str:
    """How sentence-transformers' files say that vectors are pooled; mean if they say nothing. Raises Unavailable."""
    folder = "1_Pooling"
    if (directory / "modules.json").is_file():
        modules = _read(directory / "modules.json", _modules)
        unknown = {module.type.rpartition(".")[2] for module in modules} - _KNOWN_MODULES
        if unknown:
            raise Unavailable("the encoder has layers after its pooling, which can't be run: take another model")
        paths = [module.path for module in modules if module.type.endswith(".Pooling")]
        folder = paths[0] if paths and paths[0].isidentifier() else folder
    if not (directory / folder / "config.json").is_file():
        return "mean"
    found = _read(directory / folder / "config.json", _pooling)
    modes = {"mean": found.pooling_mode_mean_tokens, "cls": found.pooling_mode_cls_token}
    chosen = [mode for mode in POOLINGS if modes[mode]]
    if len(chosen) != 1:
        raise Unavailable(f"the encoder's vectors are pooled in a way that is none of {', '.join(POOLINGS)}")
    return chosen[0]


def _read(path: Path, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        with open_plain(path) as file:
            data = file.read(_MOST_CONFIG_BYTES + 1)
        if len(data) > _MOST_CONFIG_BYTES:
            raise Unavailable(f"the encoder's {path.name} is over {_MOST_CONFIG_BYTES >> 20} MB, which none has")
        return decoder.decode(data)
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise Unavailable(f"the encoder's {path.name} is missing or damaged: fetch the model again, whole") from error
