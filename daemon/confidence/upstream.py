"""vLLM Semantic Router's ways to say how sure an answer is, by its names and normalisers, for recipes that name them.

Their scores are no probabilities: a threshold of such a recipe was chosen for them, and is held against them.
`self_verify` asks the model to grade itself, and `automix_entailment` has others held against its answer: neither
is a number of one generation (`loopers/verifying.py`).
Source: facts of the router's documentation, `looper/confidence.go`.
"""

from __future__ import annotations

import math
from typing import Final, Literal

from daemon.confidence.features import Features

Method = Literal["avg_logprob", "margin", "hybrid", "self_verify", "automix_entailment"]
HERE: Final[frozenset[str]] = frozenset({"avg_logprob", "margin", "hybrid"})
"""Those that are numbers of one generation."""
ASKED: Final[frozenset[str]] = frozenset({"self_verify", "automix_entailment"})
"""Those that take further calls, and a whole answer."""
THRESHOLDS: Final[dict[str, float]] = {
    "avg_logprob": -1.0,  # accepts everything: its score is never below 0
    "margin": 0.5,
    "hybrid": 0.5,
    "self_verify": 0.7,
    "automix_entailment": 0.7,
}
"""Where a recipe names none."""
MARGIN_TOP: Final = 2
"""Alternatives that a margin needs."""
_LOWEST: Final = 3.0
"""Its mean log-probability of -3 counts as 0, and 0 as 1."""


def normalised_logprob(mean: float) -> float:
    """A mean log-probability on a scale from 0 to 1."""
    return min(max((mean + _LOWEST) / _LOWEST, 0.0), 1.0)


def normalised_margin(margin: float) -> float:
    """A mean distance between the best two alternatives on a scale from 0 to 1."""
    return 1.0 - math.exp(-margin / 3.0) if margin > 0 else 0.0


def upstream_score(seen: Features, method: str, weights: tuple[float, float] = (0.5, 0.5)) -> float | None:
    """The score that a method gives. weights: of log-probability and margin in `hybrid`.

    None where the engine doesn't tell alternatives, and for methods that are no numbers of the generation.
    """
    logprob = normalised_logprob(seen.mean)
    if method == "avg_logprob":
        return logprob
    if method not in HERE or seen.margin is None:
        return None
    margin = normalised_margin(seen.margin)
    return margin if method == "margin" else weights[0] * logprob + weights[1] * margin
