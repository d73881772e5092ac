"""`router_dc`: by how like a request is to what models are described as being good at."""

from __future__ import annotations

import math
from typing import Final

from daemon.recipes.algorithms import RouterDc
from daemon.recipes.model import ModelCard
from daemon.routing.selection.base import Option, Question, Scores
from daemon.signals.opening import Unread

TEMPERATURE: Final = 0.07
LEAST: Final = 0.3
"""A likeness below which no description fits; upstream's min_similarity."""


def router_dc(options: tuple[Option, ...], question: Question) -> Scores | None:
    """Shares of a softmax over the likenesses. None without an encoder, without descriptions, and if none fits."""
    wanted = question.algorithm.router_dc or RouterDc()
    said = [_description(each.card, bool(wanted.use_capabilities)) for each in options]
    if not any(said) or not question.words.strip() or (wanted.require_descriptions and not all(said)):
        return None
    try:
        alike = [question.vectors.likeness(question.words, text) if text else None for text in said]
    except Unread:
        return None
    known = [value for value in alike if value is not None]
    if max(known) < (LEAST if wanted.min_similarity is None else wanted.min_similarity):
        return None
    temperature = wanted.temperature or TEMPERATURE
    weights = [None if value is None else math.exp((value - max(known)) / temperature) for value in alike]
    total = sum(weight for weight in weights if weight is not None)
    return tuple(None if weight is None else weight / total for weight in weights)


def _description(card: ModelCard | None, capabilities: bool) -> str:
    if card is None:
        return ""
    words = " ".join(word.replace("_", " ") for word in card.capabilities) if capabilities else ""
    return f"{card.description} {words}".strip()
