"""From a directory to an encoder that answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from edge_models.classifiers import embedder, sequence, tokens
from edge_models.classifiers.base import EncoderRef, Task
from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.entailment import EntailmentHead
from edge_models.classifiers.sequence import SequenceClassifier
from edge_models.classifiers.tokens import TokenHead
from edge_models.encoder import Encoder, open_encoder_body
from edge_models.encoder_config import read_pooling
from edge_models.engines.base import Broken, Unavailable
from edge_models.tokenizer import PairTokenizer

Opened = SequenceClassifier | TokenHead | TextEmbedder | EntailmentHead

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
