"""The second opinion by words: what it counts, and what it learns."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from edge_models.training.heads import HEADS, ByWords, Head
from edge_models.training.instances import tokenizer
from edge_models.training.rows import Row
from edge_models.training.words import HALF, Words, drawn, eight_bits, fit_words
from tests.fakes.minilm import minilm


def test_the_order_of_words_counts() -> None:
    """Two windows of the same tokens differ by their pairs."""
    empty = drawn(9, 4)
    second = Words(empty.first, empty.second, {"any": np.random.default_rng(2).normal(size=(9 + 2 * HALF, 2))})
    one, other = (second.logits("any", np.array([2, *middle, 3])) for middle in ((5, 7), (7, 5)))
    assert np.abs(one - other).max() > 0.1


def test_eight_bits_keep_the_numbers() -> None:
    """None is off by more than half of what a whole number is worth, each label having its own worth."""
    table = np.random.default_rng(3).normal(size=(500, 3)).astype(np.float32) * np.float32([1, 100, 0])
    whole, scale = eight_bits(table)
    assert (np.abs(whole * scale - table) <= 0.51 * scale).all()
    assert scale[1] > 50 * scale[0]


def test_shipped_heads_that_hear_words_are_sequence_heads() -> None:
    """A token head has no window's logits that words could be added to."""
    heard = [head for head in HEADS if head.words]
    assert {head.name for head in heard} == {"domain", "complexity", "injection"}
    assert all(head.task == "sequence" for head in heard)


ROWS = [
    *(Row(f"a red thing, number {n}", {"colour": "red"}, source="ours") for n in range(40)),
    *(Row(f"the blue one, number {n}", {"colour": "blue"}, source="ours") for n in range(40)),
    *(Row(f"the blue one, number {n}", {"colour": "red"}, source="wrong") for n in range(80)),
]


def fit(said: ByWords | None, name: str = "colour") -> Words:
    """What is fitted on ROWS by MiniLM's tokenizer."""
    head = Head(name, ("red", "blue"), words=said)
    return fit_words(ROWS, tokenizer(minilm() / "tokenizer.json"), (head,), 30522, 7)


fitted = lru_cache(fit)


def margin(found: Words, text: str) -> float:
    """By how much a text is rather blue."""
    ids = tokenizer(minilm() / "tokenizer.json").windows(text)[0].ids
    red, blue = found.logits("colour", ids)
    return float(blue - red)


@pytest.mark.export
def test_it_learns_from_the_rows_of_its_source() -> None:
    """Words that go with a label speak for it, and rows of another source are not heard."""
    found = fitted(ByWords(1, 1, "ours"))
    assert margin(found, "my blue one") > 0.5 > -0.5 > margin(found, "a red thing")
    assert margin(fitted(ByWords(1, 1)), "my blue one") < 0.2


@pytest.mark.export
def test_it_is_the_same_in_every_run() -> None:
    """The fit begins at nothing and draws nothing."""
    one, other = (fit(ByWords(freedom=1, share=1)).tables["colour"] for _ in range(2))
    np.testing.assert_array_equal(one, other)


@pytest.mark.export
def test_freedom_and_share_make_it_louder() -> None:
    """A freer line has larger numbers, and half a share is half as loud."""
    bound, free, half = (
        abs(margin(fitted(ByWords(freedom, share, "ours")), "a red thing"))
        for freedom, share in ((0.1, 1), (1, 1), (1, 0.5))
    )
    assert bound < free
    assert half == pytest.approx(free / 2, rel=0.05)


@pytest.mark.export
def test_who_is_taught_by_nobody_or_asks_for_none_gets_none() -> None:
    """No table for a head without words, nor for one that no row teaches."""
    assert not fitted(None).tables
    assert not fitted(ByWords(1, 1), "shape").tables
    assert not fitted(ByWords(1, 1, "nowhere")).tables
