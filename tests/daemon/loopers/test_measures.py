"""Numbers that tell how sure a model was."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.loopers.measures import answer_bearing, measure, quantile, words
from providers.contract import Logprob


def tokens(*pairs: tuple[str, float]) -> list[Logprob]:
    return [Logprob(text.encode(), logprob) for text, logprob in pairs]


def test_words_of_the_question_and_punctuation_do_not_count() -> None:
    """A wrapper of certain words does not drown the one token that is the answer."""
    said = tokens(
        ("The", -0.01), (" capital", -0.01), (" of", 0.0), (" Peru", 0.0), (" is", -0.1), (" Oslo", -3.0), (".", 0.0)
    )

    assert answer_bearing(said, words("What is the capital of Peru?")) == [-3.0]


def test_an_answer_of_such_words_alone_counts_whole() -> None:
    """If nothing is left, everything counts."""
    assert answer_bearing(tokens(("Peru", -1.0), ("!", -2.0)), words("Peru")) == [-1.0, -2.0]


def test_the_score() -> None:
    """It is 1 for certainty, falls with the mean and with the weak spots, and is absent without log-probabilities."""
    sure = measure(tokens(("a", 0.0), ("b", 0.0)), frozenset())
    unsure = measure(tokens(*[("a", -0.1)] * 9, ("b", -4.0)), frozenset())

    assert sure is not None
    assert sure.score == 1.0
    assert unsure is not None
    assert (unsure.tokens, unsure.minimum) == (10, -4.0)
    assert unsure.score == pytest.approx(math.exp((unsure.mean + unsure.low) / 2))
    assert measure([], frozenset()) is None


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=50), st.floats(0, 1))
def test_quantiles_lie_between_the_ends(values: list[float], share: float) -> None:
    """A quantile is never outside the values, and its ends are theirs."""
    assert min(values) - 1e-9 <= quantile(values, share) <= max(values) + 1e-9
    assert quantile(values, 0) == min(values)
    assert quantile(values, 1) == max(values)


def test_quantile_interpolates() -> None:
    """Between two values it lies in proportion."""
    assert quantile([0.0, 10.0], 0.25) == 2.5
