"""What parity measures say of faithful artefacts, and of planted faults."""

from __future__ import annotations

import numpy as np
import pytest

from edge_models.pooling import unit
from edge_models.training.parity import FLOORS, Reading, embeddings, generation, sequences, tokens
from edge_models.training.samples import SAMPLES, read_texts

RNG = np.random.default_rng(3)
ROWS = unit(RNG.normal(size=(40, 16)).astype(np.float32))
LOGPROBS = np.log(RNG.uniform(0.05, 0.9, size=30))
READING = Reading(np.arange(31), LOGPROBS, np.arange(1, 31))


def test_the_same_is_perfect() -> None:
    """An artefact that is its original has 1 in every measure."""
    labels = [("O", "B-PER"), ("O",)]
    for found in (
        embeddings(ROWS, ROWS),
        sequences(ROWS, ROWS),
        tokens(labels, labels),
        generation([READING], [READING]),
    ):
        assert found.value == pytest.approx(1, abs=1e-6)


def test_vectors_that_turned() -> None:
    """The mean cosine is what its name says, and neighbours that changed are counted."""
    turned = ROWS.copy()
    turned[:10] = -turned[:10]
    found = embeddings(ROWS, turned)
    assert found.value == pytest.approx(0.5, abs=1e-5)
    assert found.more["least cosine"] == pytest.approx(-1, abs=1e-5)
    assert found.more["same nearest neighbour"] < 1
    assert found.texts == 40


def test_labels_that_changed() -> None:
    """One text of four with another label is a quarter off."""
    before = np.array([[0.9, 0.1]] * 4, np.float32)
    after = before.copy()
    after[0] = (0.4, 0.6)
    found = sequences(before, after)
    assert found.value == 0.75
    assert found.more["largest difference"] == pytest.approx(0.5)


def test_words_that_changed() -> None:
    """Words are compared one by one; a text cut into other words is all wrong."""
    assert tokens([("O", "B-X", "I-X", "O")], [("O", "B-X", "O", "O")]).value == 0.75
    assert tokens([("O", "O"), ("O", "O")], [("O", "O"), ("O", "O", "O")]).value == 0.5


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_perplexity(factor: float) -> None:
    """A perplexity that rose or fell is off by the same ratio: a better one is another model."""
    moved = Reading(READING.ids, LOGPROBS + np.log(factor), READING.best)
    assert generation([READING], [moved]).value == pytest.approx(0.8)


def test_another_tokenizer() -> None:
    """Texts that are cut into other tokens can't be compared, and count against the artefact."""
    other = Reading(READING.ids + 1, LOGPROBS, READING.best)
    assert generation([READING, READING], [READING, other]).value == pytest.approx(0.5)
    assert generation([READING], [other]).value == 0


def test_every_task_has_a_floor_and_texts() -> None:
    """Floors are shares; the built-in texts are many, different, and each more than nothing."""
    assert set(FLOORS) == {
        "feature-extraction",
        "text-classification",
        "token-classification",
        "entailment",
        "text-generation",
    }
    assert all(0.5 < floor < 1 for floor in FLOORS.values())
    assert len(set(SAMPLES)) == len(SAMPLES) >= 64
    assert read_texts("one\n\n  \ntwo\n") == ("one", "two")
