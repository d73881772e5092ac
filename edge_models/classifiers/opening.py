"""From a directory to an encoder that answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from edge_models.classifiers import embedder, sequence, tokens
from edge_models.classifiers.base import EncoderRef, Task
from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.entailment import EntailmentHead
from edge_models.classifiers.sequence import SequenceClassifier
from edge_models.classifiers.tokens import TokenHead
from edge_models.encoder import Encoder, open_encoder_body
from edge_models.encoder_config import read_pooling
from edge_models.engines.base import Broken, NotInstalled, Unavailable
from edge_models.tokenizer import PairTokenizer

if TYPE_CHECKING:
    from edge_models.classifiers.image_text import ImageTextEncoder

Opened: TypeAlias = "SequenceClassifier | TokenHead | TextEmbedder | EntailmentHead | ImageTextEncoder"

HEADS: Final[dict[Task, tuple[tuple[str, ...], Callable[[Encoder, EncoderRef], Opened]]]] = {
    "text-classification": (sequence.OUTPUTS, lambda encoder, ref: SequenceClassifier(encoder, ref.across)),
    "token-classification": (tokens.OUTPUTS, lambda encoder, ref: TokenHead(encoder)),
    "feature-extraction": (
        embedder.OUTPUTS,
        lambda encoder, ref: TextEmbedder(encoder, read_pooling(Path(ref.directory))),
    ),
    "entailment": (
        sequence.OUTPUTS,
        lambda encoder, ref: EntailmentHead(
            encoder, PairTokenizer(Path(ref.directory) / "tokenizer.json", encoder.tokenizer.window_tokens)
        ),
    ),
}
"""Task to (what is wanted of the graph, what stands over it)."""


def open_encoder(ref: EncoderRef) -> Opened:
    """Load, check and warm up. Raises NotInstalled, Unavailable."""
    if ref.task == "zero-shot-image-classification":
        return _with_pictures(ref)
    outputs, head = HEADS[ref.task]
    encoder = open_encoder_body(Path(ref.directory), ref.runtime, ref.placement, outputs)
    try:
        return head(encoder, ref)
    except Unavailable:
        encoder.close()
        raise
    except Broken as error:
        encoder.close()
        raise Unavailable("the encoder fails on a plain sentence: its files are damaged, fetch it again") from error


def _with_pictures(ref: EncoderRef) -> ImageTextEncoder:
    """Apart from the others, since it needs Pillow, which is an extra."""
    try:
        from edge_models.classifiers.image_text import open_image_text
    except ImportError as error:
        raise NotInstalled("looking at pictures needs Pillow: install `nearloop[vision]`") from error
    return open_image_text(ref)
