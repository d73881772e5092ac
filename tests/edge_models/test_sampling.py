"""Choosing tokens, on small distributions that can be reckoned by hand and on large ones against plain sorting."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_models.engines.base import Broken
from edge_models.sampling import Choosing, Logits, Sampler, details, highest, logprobs

DRAWS = 4_000


def of(*probabilities: float) -> Logits:
    """Logits whose softmax these are."""
    with np.errstate(divide="ignore"):
        return np.log(np.array(probabilities, np.float32))


def shares(logits: Logits, choosing: Choosing) -> dict[int, float]:
    """How often each token comes, over many draws of one request."""
    sampler = Sampler(choosing)
    counts = Counter(sampler.choose(logits) for _ in range(DRAWS))
    return {token: count / DRAWS for token, count in sorted(counts.items())}


def close(found: dict[int, float], expected: dict[int, float]) -> bool:
    """Whether two tables agree within five standard errors."""
    return found.keys() == expected.keys() and all(
        abs(found[token] - share) < 5 * math.sqrt(share * (1 - share) / DRAWS) + 1e-9
        for token, share in expected.items()
    )


def test_draws_follow_the_distribution() -> None:
    """At temperature 1 each token comes as often as the model says, and an impossible one never."""
    assert close(shares(of(0.5, 0.3, 0.2, 0.0), Choosing(seed=1)), {0: 0.5, 1: 0.3, 2: 0.2})


def test_temperature_sharpens() -> None:
    """At temperature 0.5 probabilities are squared and made whole again."""
    whole = 0.25 + 0.09 + 0.04
    expected = {0: 0.25 / whole, 1: 0.09 / whole, 2: 0.04 / whole}

    assert close(shares(of(0.5, 0.3, 0.2), Choosing(temperature=0.5, seed=2)), expected)


def test_the_nucleus_is_the_fewest_with_top_p() -> None:
    """top_p 0.7 of 0.5, 0.3, 0.2 keeps the first two; 0.5 keeps the first alone."""
    logits = of(0.2, 0.5, 0.3)

    assert close(shares(logits, Choosing(top_p=0.7, seed=3)), {1: 0.625, 2: 0.375})
    assert shares(logits, Choosing(top_p=0.5, seed=3)) == {1: 1.0}


def test_a_flat_distribution_needs_its_tail() -> None:
    """Where top_p is more than what lies near the best, the rest is looked at too."""
    logits = np.full(200_000, -13.0, np.float32)
    logits[5] = 0.0
    sampler = Sampler(Choosing(top_p=0.9, seed=4))
    drawn = [sampler.choose(logits) for _ in range(20)]
    first = 1 / (0.9 * (1 + 199_999 * math.exp(-13)))  # 0.765 of what the nucleus holds

    assert 10 < drawn.count(5) < 20
    assert first == pytest.approx(0.765, abs=0.001)
    assert all(token < 0.9 * 200_000 for token in drawn)


def test_top_k_comes_before_top_p() -> None:
    """Two of three, and of these the fewest that have top_p of the two."""
    logits = of(0.2, 0.5, 0.3)

    assert close(shares(logits, Choosing(top_k=2, seed=5)), {1: 0.625, 2: 0.375})
    assert shares(logits, Choosing(top_k=2, top_p=0.6, seed=5)) == {1: 1.0}
    assert shares(logits, Choosing(top_k=1)) == {1: 1.0}


@pytest.mark.parametrize("choosing", [Choosing(temperature=0), Choosing(top_p=0), Choosing(temperature=1e-30)])
def test_greedy(choosing: Choosing) -> None:
    """Temperature 0, top_p 0 and next to nothing take the likeliest."""
    assert shares(of(0.3, 0.29, 0.41), choosing) == {2: 1.0}


def test_seeds() -> None:
    """The same seed draws the same tokens, another one others; without one, each request draws its own."""
    logits = np.random.default_rng(0).normal(0, 1, 1000).astype(np.float32)

    def drawn(seed: int | None) -> list[int]:
        sampler = Sampler(Choosing(seed=seed))
        return [sampler.choose(logits) for _ in range(20)]

    assert drawn(7) == drawn(7)
    assert drawn(-7) == drawn(-7)
    assert drawn(7) != drawn(8)
    assert drawn(None) != drawn(None)


def test_presence_and_frequency() -> None:
    """A token of the answer loses the presence penalty once and the frequency penalty each time; the prompt's don't."""
    logits = np.array([2.0, 1.0, 0.0], np.float32)
    greedy = {"temperature": 0.0}
    once = Sampler(Choosing(**greedy, presence_penalty=0.9), prompt=(0, 0))
    often = Sampler(Choosing(**greedy, frequency_penalty=0.4), prompt=(0, 0))

    for _ in range(2):
        assert once.choose(logits) == often.choose(logits) == 0
        once.took(0)
        often.took(0)
    assert once.choose(logits) == 0  # 2 - 0.9 is more than 1, however often it came
    assert often.choose(logits) == 0  # 2 - 0.8 is more than 1
    often.took(0)
    assert often.choose(logits) == 1  # 2 - 1.2 is less
    assert logits.tolist() == [2.0, 1.0, 0.0]


def test_repetition() -> None:
    """What prompt or answer hold is less likely by a factor, on either side of 0."""
    choosing = Choosing(temperature=0.0, repetition_penalty=1.5)
    positive, negative = np.array([3.0, 2.1], np.float32), np.array([-2.0, -2.9], np.float32)

    assert Sampler(choosing).choose(positive) == 0
    assert Sampler(choosing, prompt=[0]).choose(positive) == 1
    assert Sampler(choosing, prompt=[0]).choose(negative) == 1
    written = Sampler(choosing)
    written.took(0)
    assert written.choose(positive) == 1


def test_details_are_the_models_own() -> None:
    """Log-probability, alternatives and entropy in nats, of numbers that can be reckoned."""
    found = details(of(0.5, 0.25, 0.25, 0.0) + 3, 1, top=3)

    assert found.logprob == pytest.approx(math.log(0.25), abs=1e-6)
    assert [token for token, _ in found.top] == [0, 1, 2]
    assert [math.exp(logprob) for _, logprob in found.top] == pytest.approx([0.5, 0.25, 0.25], abs=1e-6)
    assert found.entropy == pytest.approx(1.5 * math.log(2), abs=1e-6)
    assert details(of(1.0, 0.0), 0, top=0).entropy == 0.0


def test_details_hold_for_large_vocabularies() -> None:
    """Over 151,936 tokens they agree with double precision."""
    logits = np.random.default_rng(1).normal(0, 4, 151_936).astype(np.float32)
    exact = logits.astype(np.float64) - np.log(np.exp(logits.astype(np.float64)).sum())
    found = details(logits, 17, top=20)

    assert found.logprob == pytest.approx(exact[17], abs=1e-5)
    assert found.entropy == pytest.approx(-(np.exp(exact) * exact).sum(), abs=1e-4)
    assert [token for token, _ in found.top] == np.argsort(-exact)[:20].tolist()
    rows, tokens = np.stack([logits, logits + 9]), np.array([17, 400])
    assert logprobs(rows, tokens) == pytest.approx([exact[17], exact[400]], abs=1e-5)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=3000), st.integers(0, 25))
def test_the_highest_are_those_of_a_whole_sort(values: list[int], count: int) -> None:
    """However values lie, equal ones included."""
    array = np.array(values, np.float32)

    found = highest(array, count)

    assert array[found].tolist() == sorted(values, reverse=True)[:count]
    assert len(set(found.tolist())) == len(found)


def test_equal_values_have_one_order() -> None:
    """Among the equal ones that are taken, the lower number comes first."""
    values = np.zeros(10_000, np.float32)
    values[[77, 5000, 9999]] = 1.0

    assert highest(values, 3).tolist() == [77, 5000, 9999]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_logits_that_are_no_numbers_are_an_error(temperature: float) -> None:
    """A model with damaged weights is told as that, and its answer is not made of the first token for ever."""
    logits = np.zeros(100, np.float32)
    logits[7] = np.nan
    with pytest.raises(Broken, match="numbers that are none"):
        Sampler(Choosing(temperature=temperature)).choose(logits)
