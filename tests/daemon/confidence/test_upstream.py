"""The other router's scores, by its own formulas."""

from __future__ import annotations

import math

import pytest

from daemon.confidence.features import Generation, features
from daemon.confidence.upstream import THRESHOLDS, normalised_logprob, normalised_margin, upstream_score
from providers.contract import Alternative, Logprob


@pytest.mark.parametrize(("mean", "score"), [(0.0, 1.0), (-1.5, 0.5), (-3.0, 0.0), (-9.0, 0.0), (0.3, 1.0)])
def test_log_probabilities_from_minus_three_to_zero(mean: float, score: float) -> None:
    """clamp((avg_logprob + 3) / 3, 0, 1)."""
    assert normalised_logprob(mean) == score


@pytest.mark.parametrize(("margin", "score"), [(0.0, 0.0), (-1.0, 0.0), (3.0, 1 - math.exp(-1))])
def test_margins_approach_one(margin: float, score: float) -> None:
    """1 - exp(-margin / 3), and 0 for none."""
    assert normalised_margin(margin) == pytest.approx(score)


def test_methods_by_name() -> None:
    """Each method is its formula over all tokens; those that need another call are no number of the generation."""
    top = (Alternative(b"a", -0.5), Alternative(b"b", -3.5))
    seen = features(Generation((Logprob(b"a", -0.5, top), Logprob(b" ", -1.0, top)), "a ", reason="stop"))
    assert seen is not None

    assert upstream_score(seen, "avg_logprob") == pytest.approx(0.75)
    assert upstream_score(seen, "margin") == pytest.approx(1 - math.exp(-1))
    assert upstream_score(seen, "hybrid", (0.25, 0.75)) == pytest.approx(0.25 * 0.75 + 0.75 * (1 - math.exp(-1)))
    assert upstream_score(seen, "self_verify") is None
    assert upstream_score(seen, "automix_entailment") is None
    assert THRESHOLDS["avg_logprob"] == -1


def test_a_margin_needs_alternatives() -> None:
    """Where the engine tells the chosen token alone, neither margin nor hybrid is made up."""
    seen = features(Generation((Logprob(b"a", -0.5),), "a", reason="stop"))
    assert seen is not None

    assert upstream_score(seen, "margin") is None
    assert upstream_score(seen, "hybrid") is None
