"""Embedders: where a text lies among others.

The windows of a long text are pooled one by one and averaged by the tokens that each answers for.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from edge_models.classifiers.base import Described
from edge_models.encoder import Encoder
from edge_models.engines.base import Unavailable
from edge_models.pooling import POOLINGS, Floats, Ids, unit

OUTPUTS: Final = ("last_hidden_state", "sentence_embedding", "embedding", "token_embeddings")


class TextEmbedder:
    """An encoder whose token vectors are pooled into one. pooling: a name in POOLINGS."""

    def __init__(self, encoder: Encoder, pooling: str) -> None:
        """Raises Unavailable if the graph gives no vectors."""
        shape = encoder.probe()
        if len(shape) not in (2, 3):
            raise Unavailable(f"the encoder gives {shape}, which are no vectors: export it for feature-extraction")
        self._encoder = encoder
        self._pool = POOLINGS[pooling]
        self.about = Described(
            "feature-extraction", (), shape[-1], encoder.tokenizer.window_tokens, encoder.runtime.device
        )

    def embed(self, texts: tuple[str, ...]) -> Floats:
        rows = np.empty((len(texts), self.about.width), np.float32)
        for place, text in enumerate(texts):
            rows[place] = self._embed(text)
        return rows

    def _embed(self, text: str) -> Floats:
        total = np.zeros((1, self.about.width), np.float32)
        for window, mask, values in self._encoder.walk(text):
            total += max(1, len(window.own)) * self._vector(values, mask)
        row: Floats = unit(total)[0]
        return row

    def _vector(self, values: Floats, mask: Ids) -> Floats:
        return unit(values) if values.ndim == 2 else self._pool(values, mask)

    def tokens(self, text: str) -> int:
        """How many tokens of a text are read."""
        return sum(len(window.own) for window in self._encoder.tokenizer.windows(text))

    def close(self) -> None:
        self._encoder.close()
