"""From token vectors to one vector for a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]

_SHORTEST: Final = 1e-12  # of a vector, before it is divided by its length: torch.nn.functional.normalize


def mean_pool(hidden: Floats, mask: Ids) -> Floats:
    """Average the token vectors that `mask` keeps, and scale each row to unit length.

    hidden: (batch, tokens, width), the encoder's last layer. mask: (batch, tokens), 1 = token, 0 = padding.
    Returns (batch, width), each row of length 1. Raises ValueError if a row of `mask` keeps no token.
    Source: sentence-transformers `Pooling`; training/test_export.py holds both to cosine >= 0.999.
    """
    kept = mask.astype(np.float32)
    counts = kept.sum(axis=1, keepdims=True)
    if not counts.all():
        raise ValueError("a text has no token to average")
    sums: Floats = np.einsum("btw,bt->bw", hidden, kept)
    return unit(sums / counts)


def cls_pool(hidden: Floats, mask: Ids) -> Floats:
    """The first token's vector, scaled to unit length. Shapes as for `mean_pool`; `mask` must keep the first token."""
    if not mask[:, 0].all():
        raise ValueError("a text has no first token")
    return unit(hidden[:, 0])


def unit(vectors: Floats) -> Floats:
    """Each row of (batch, width) scaled to length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = (vectors / np.maximum(lengths, _SHORTEST)).astype(np.float32)
    return scaled


POOLINGS: Final[dict[str, Callable[[Floats, Ids], Floats]]] = {"mean": mean_pool, "cls": cls_pool}
