"""Choosing from a distribution that is known."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from edge_models.sampling import Choosing, Sampler, details, logprobs

PROBABILITIES = np.array([0.5, 0.25, 0.125, 0.0625, 0.0625])
LOGITS = (np.log(PROBABILITIES) + 3).astype(np.float32)
DRAWS = 4000


def choosing(temperature: float = 1.0, top_p: float = 1.0, seed: int | None = 1, presence: float = 0.0) -> Choosing:
    return Choosing(temperature, top_p, presence_penalty=presence, seed=seed)


def shares(sampler: Sampler) -> list[float]:
    counts = Counter(sampler.choose(LOGITS) for _ in range(DRAWS))
    return [counts[token] / DRAWS for token in range(len(LOGITS))]


def test_draws_follow_the_distribution() -> None:
    """At temperature 1, each token comes as often as it is likely, within four standard deviations."""
    for share, probability in zip(shares(Sampler(choosing())), PROBABILITIES, strict=True):
        assert abs(share - probability) < 4 * math.sqrt(probability * (1 - probability) / DRAWS)


def test_temperature_sharpens() -> None:
    """At temperature 0.5, probabilities are squared and scaled."""
    squared = PROBABILITIES**2 / (PROBABILITIES**2).sum()
    for share, probability in zip(shares(Sampler(choosing(temperature=0.5))), squared, strict=True):
        assert abs(share - probability) < 4 * math.sqrt(probability * (1 - probability) / DRAWS)


@pytest.mark.parametrize(("top_p", "tokens"), [(0.4, 1), (0.5, 1), (0.6, 2), (0.75, 2), (0.8, 3), (0.9, 4), (0.99, 5)])
def test_top_p_takes_the_fewest_that_suffice(top_p: float, tokens: int) -> None:
    """Tokens outside of the nucleus never come, and those inside keep their ratios."""
    found = shares(Sampler(choosing(top_p=top_p)))

    assert sum(share > 0 for share in found) == tokens
    assert found[0] == pytest.approx(0.5 / PROBABILITIES[:tokens].sum(), abs=0.04)


def test_top_p_looks_at_far_tokens_where_it_has_to() -> None:
    """A flat tail with much weight is not cut off by the shortcut that sorts near tokens only."""
    logits = np.full(100_000, -13.0, np.float32)
    logits[7] = 0.0
    sampler = Sampler(choosing(top_p=0.9))

    assert len({sampler.choose(logits) for _ in range(200)}) > 10  # the tail has 0.18 of the whole


@pytest.mark.parametrize("how", [choosing(temperature=0.0), choosing(top_p=0.0), choosing(temperature=1e-9)])
def test_greedy(how: Choosing) -> None:
    """Temperature 0, or next to it, and top_p 0 take the most likely token."""
    assert {Sampler(how).choose(LOGITS) for _ in range(20)} == {0}


def test_seeds() -> None:
    """A seed, any whole number, repeats the draws; none at all doesn't."""

    def drawn(seed: int | None) -> list[int]:
        sampler = Sampler(choosing(seed=seed))
        return [sampler.choose(LOGITS) for _ in range(40)]

    assert drawn(-5) == drawn(-5)
    assert drawn(2**70) == drawn(2**70)
    assert drawn(1) != drawn(2)
    assert drawn(None) != drawn(None)


def test_penalties_count_what_was_written() -> None:
    """Presence lowers a token once, frequency each time; the given logits stay as they are."""
    sampler = Sampler(Choosing(0.0, presence_penalty=0.3, frequency_penalty=0.3))
    before = LOGITS.copy()
    written = []
    for _ in range(4):
        token = sampler.choose(LOGITS)
        sampler.took(token)
        written.append(token)

    assert written == [0, 0, 1, 0]  # 0 falls by 0.6, 0.9, …; 1 is ln 2 = 0.69 below it at first
    assert (before == LOGITS).all()


def test_masked_tokens_never_come() -> None:
    """Minus infinity is never chosen, at any temperature and top_p."""
    logits = LOGITS.copy()
    logits[:2] = -np.inf
    for how in (choosing(), choosing(top_p=0.9), choosing(temperature=50.0), choosing(temperature=0.0)):
        sampler = Sampler(how)
        assert all(sampler.choose(logits) > 1 for _ in range(200))


def test_details_are_those_of_the_distribution() -> None:
    """Log-probability, alternatives and entropy of a known distribution; a row with impossible tokens too."""
    told = details(LOGITS, 2, 3)

    assert told.logprob == pytest.approx(math.log(0.125), abs=1e-5)
    assert [token for token, _ in told.top] == [0, 1, 2]
    assert [logprob for _, logprob in told.top] == pytest.approx([math.log(p) for p in (0.5, 0.25, 0.125)], abs=1e-5)
    assert told.entropy == pytest.approx(-(PROBABILITIES * np.log(PROBABILITIES)).sum(), abs=1e-5)
    assert logprobs(LOGITS[None, :], np.array([1])) == pytest.approx([math.log(0.25)], abs=1e-5)
    impossible = np.append(LOGITS, np.float32(-np.inf))
    assert details(impossible, 2, 0).entropy == pytest.approx(told.entropy, abs=1e-5)


def test_a_certain_token() -> None:
    """Probability 1 is a log-probability of 0 and an entropy of 0, never above."""
    logits = np.array([100.0, 0.0, -50.0], np.float32)

    told = details(logits, 0, 1)

    assert told.logprob == told.top[0][1] == 0.0
    assert told.entropy == pytest.approx(0.0, abs=1e-6)
