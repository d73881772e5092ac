"""Which of the models that could be fetched fits this machine, by its memory and by its measured speed.

Theory. A model that answers one person reads all its weights for each token, so how fast it writes is how fast memory is
read over how much there is to read. What the machine manages was measured with one model; a small one wastes part of each
step, so the prediction is on the low side for larger ones. (SmolLM2-135M on one machine: 148 tokens/s of 98 MB in Q4_1 are
14 GB/s; as Q8_0, 96 tokens/s of 145 MB are 14 GB/s too.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from edge_models.memory import Shape, estimate

COMFORTABLE: Final = 8.0
"""Tokens a second: somewhat faster than people read (250 words a minute are 5 to 6)."""
MEMORY_SHARE: Final = 0.5
"""Of the machine's memory that a model may take: the rest is for the editor, the browser and the system."""


class Offer(Struct, frozen=True):
    """A model that could be had. size_bytes: of what is fetched."""

    name: str
    engine: str
    licence: str
    size_bytes: int
    shape: Shape


class Fit(Struct, frozen=True):
    """How a model would do here. writing: predicted tokens a second. why_not: empty if it fits."""

    name: str
    licence: str
    size_bytes: int
    memory_bytes: int
    writing: float
    why_not: str = ""


def bytes_a_second(writing: float, weights_bytes: int) -> float:
    """How fast weights are read, from a model that was measured."""
    return writing * weights_bytes


def fits(offers: Iterable[Offer], memory_bytes: int, weights_a_second: float) -> tuple[Fit, ...]:
    """All of them, the best for this machine first: the largest that fits, then what fits too, then the others."""
    found = [_fit(offer, memory_bytes, weights_a_second) for offer in offers]
    return tuple(sorted(found, key=lambda fit: (bool(fit.why_not), -fit.memory_bytes)))


def _fit(offer: Offer, memory_bytes: int, weights_a_second: float) -> Fit:
    needed = estimate(offer.shape, offer.engine).total_bytes
    writing = weights_a_second / offer.shape.weights_bytes
    why_not = ""
    if needed > MEMORY_SHARE * memory_bytes:
        why_not = f"it takes {needed / 1e9:.1f} GB of this machine's {memory_bytes / 1e9:.1f} GB of memory"
    elif writing < COMFORTABLE:
        why_not = f"it would write about {writing:.0f} tokens a second, slower than one reads"
    return Fit(offer.name, offer.licence, offer.size_bytes, needed, writing, why_not)
