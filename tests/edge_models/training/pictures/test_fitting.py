"""The head over features, on made-up ones."""

import numpy as np

from edge_models.training.pictures.fitting import (
    RECALL,
    Held,
    chances,
    head_of,
    held_out,
    identity_threshold,
    temperature,
    weights_of,
)
from edge_models.training.pictures.gathered import LABELS
from edge_models.training.pictures.samples import Samples


def clouds(each: int, apart: float, seed: int = 1) -> Samples:
    """A cloud for each kind, of three sources that lie a little aside."""
    chance = np.random.default_rng(seed)
    middles = np.random.default_rng(0).normal(0, apart, (len(LABELS), 12))
    kinds = np.repeat(np.arange(len(LABELS)), each)
    sources = np.tile(np.arange(each) % 3, len(LABELS))
    aside = np.random.default_rng(5).normal(0, 0.3, (3, 12))
    inputs = middles[kinds] + aside[sources] + chance.normal(0, 1, (len(kinds), 12))
    return Samples(inputs.astype(np.float32), kinds, np.array([f"source {number}" for number in sources]))


def test_a_head_knows_new_pictures() -> None:
    """Clouds that lie apart are told apart, by inputs of any scale."""
    learned, new = clouds(30, 3), clouds(30, 3, seed=2)
    guess = head_of(learned).logits(new.inputs).argmax(axis=1)
    assert (guess == new.kinds).mean() > 0.95


def test_nobody_judges_what_it_learned() -> None:
    """A source whose labels are nonsense is judged by heads without it, so it stays nonsense."""
    samples = clouds(30, 3)
    odd = samples.sources == "source 1"
    turned = samples.kinds.copy()
    turned[odd] = (turned[odd] + 1) % len(LABELS)
    held = held_out(Samples(samples.inputs, turned, samples.sources), seed=1)
    right = held.logits.argmax(axis=1) == turned
    assert right[odd].mean() < 0.3


def test_kinds_and_sources_weigh_alike() -> None:
    """However many pictures they have."""
    samples = Samples(np.zeros((5, 2), np.float32), np.array([0, 0, 0, 1, 1]), np.array(["a", "a", "b", "c", "c"]))
    assert np.allclose(weights_of(samples), [0.25, 0.25, 0.5, 0.5, 0.5])


def test_overconfident_logits_are_cooled() -> None:
    """Ten times too sure: the temperature is near ten, and probabilities come true."""
    chance = np.random.default_rng(3)
    logits = chance.normal(0, 1.5, (4000, len(LABELS)))
    kinds = np.array([chance.choice(len(LABELS), p=row) for row in chances(logits, 1.0)])
    found = temperature(Held(logits * 10, kinds, np.ones(len(kinds))))
    assert 7 < found < 14


def test_the_threshold_keeps_the_recall() -> None:
    """At least so many of the held-out identity documents are above it."""
    logits = np.random.default_rng(4).normal(0, 2, (500, len(LABELS)))
    logits[:, 0] += 3
    held = Held(logits, np.zeros(500, np.int64), np.ones(500))
    bar = identity_threshold(held, 1.0)
    assert (chances(logits, 1.0)[:, 0] >= bar).mean() >= RECALL
    assert 0.002 <= bar <= 0.5
