"""Likeness on a recipe's scale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from daemon.recipes.embedder import Embedder
from daemon.signals.background import REQUESTS
from daemon.signals.scales import RARE, Scales, Scored, edge
from daemon.signals.vectors import UPSTREAMS, Bank, Score, Vector, Vectors
from tests.fakes.signal_parts import with_models

EXAMPLES = ("Debug this Python stack trace.", "Refactor this TypeScript function.", "Write a SQL query.")


class Numbers:
    """A text's vector is the number that it is made of; general requests go from 0 to 0.5 evenly."""

    width = 1

    def embed(self, texts: tuple[str, ...]) -> list[Vector]:
        if texts is REQUESTS:
            return [0.5 * place / (len(texts) - 1) for place in range(len(texts))]
        return [float(text) for text in texts]

    def bank(self, vectors: list[Vector], cluster: float, most: int, weight: float, top: int) -> Bank:
        class Same:
            def score(self, vector: Vector) -> Score:
                return Score(vector, vector, vector)

            def best(self, vector: Vector) -> float:
                return float(vector)

        return Same()

    def likeness(self, one: Vector, other: Vector) -> float:
        return float(one)

    def close(self) -> None: ...


def scales(embedder: Embedder | None) -> Scales:
    return Scales(Vectors(Numbers), embedder)


def test_two_points_make_the_map() -> None:
    """Where likeness begins is upstream's 0.5, and what is equal stays 1."""
    mapped = scales(Embedder())
    rare = edge([0.5 * place / (len(REQUESTS) - 1) for place in range(len(REQUESTS))])

    assert mapped.scored(repr(rare), ("1",)).score == pytest.approx(0.5)
    assert mapped.scored("1", ("1",)).score == 1.0
    assert rare == pytest.approx(0.5 * (1 - RARE), abs=0.01)


def test_a_recipe_may_say_where_likeness_begins() -> None:
    """Its `min_score_threshold`."""
    rare = edge([0.5 * place / (len(REQUESTS) - 1) for place in range(len(REQUESTS))])

    assert scales(Embedder(related=0.3)).scored(repr(rare), ("1",)).score == pytest.approx(0.3)


@pytest.mark.parametrize("embedder", [None, Embedder(ours=True)])
def test_our_own_scale_is_left_alone(embedder: Embedder | None) -> None:
    """No request of ours is even read."""
    own = scales(embedder)

    assert own.scored("0.4", ("1",)) == Scored(0.4, 0.4)
    assert own.scored("0.4", ("1",)).held(0.75) is None
    assert own.bar(0.45, 0.7, 0.8) == 0.45


def test_from_where_on_the_best_matches_softly() -> None:
    """On our scale 0.5, on upstream's what it says, and nowhere if a recipe turns that off."""

    def softly(embedder: Embedder | None, rules: int = 1) -> float | None:
        return scales(embedder).softly("0", ("1",), UPSTREAMS, rules)

    assert softly(None) == 0.5
    assert softly(Embedder(related=0.45)) == pytest.approx(0.45)
    assert softly(Embedder(soft=False)) is None


@given(some.integers(1, 50), some.integers(1, 50))
def test_of_more_rules_the_best_has_to_be_better(some_: int, more: int) -> None:
    """Since the best of many is high by chance; in the end higher than what any general request reaches."""
    mapped = scales(Embedder())
    few, many = (mapped.softly("0", ("1",), UPSTREAMS, rules) for rules in sorted((some_, more)))
    highest = mapped.scored("0.5", ("1",)).score

    assert few is not None
    assert many is not None
    assert 0.5 <= few <= many <= highest + 1e-9


_COSINES = some.floats(-1, 1)


@given(_COSINES, _COSINES, some.floats(0, 0.99))
def test_the_map_keeps_the_order(one: float, other: float, related: float) -> None:
    """And stays a likeness."""
    mapped = scales(Embedder(related=related))
    low, high = (mapped.scored(repr(each), ("1",)).score for each in sorted((one, other)))

    assert -1 <= low <= high <= 1


@given(_COSINES, some.floats(0, 1))
def test_a_threshold_here_is_the_same_place(likeness: float, threshold: float) -> None:
    """What passes the recipe's threshold passes the one on our scale, and nothing else does."""
    found = scales(Embedder()).scored(repr(likeness), ("1",))
    held = found.held(threshold)

    assert held is not None
    assert held.likeness == likeness
    assert held.here is not None
    if abs(likeness - held.here) > 1e-9 and found.score > -1:
        assert (found.score >= threshold) is (likeness >= held.here)


def test_equal_texts_are_equal_on_every_scale() -> None:
    """Without asking an encoder."""
    assert scales(Embedder()).alike("0.3", " 0.3\n") == Scored(1.0, 1.0)


@given(some.floats(0, 1), some.floats(0, 1))
def test_a_bar_keeps_the_order_and_the_default(one: float, other: float) -> None:
    """Stricter there is stricter here."""
    mapped = scales(Embedder())
    low, high = (mapped.bar(each, 0.7, 0.77) for each in sorted((one, other)))

    assert 0 <= low <= high <= 1
    assert mapped.bar(0.7, 0.7, 0.77) == pytest.approx(0.77)
    assert (mapped.bar(0, 0.7, 0.77), mapped.bar(1, 0.7, 0.77)) == (0, 1)


def test_with_the_real_encoder() -> None:
    """A paraphrase passes upstream's usual threshold, a stranger does not reach where likeness begins."""
    parts = with_models(embedder=Embedder())
    near = parts.scales.scored("please debug my python stack trace", EXAMPLES)
    far = parts.scales.scored("What is the capital of France?", EXAMPLES)

    assert near.score >= 0.75
    assert far.score < 0.5
    assert far.likeness < 0.3


def test_an_encoder_that_can_not_tell_texts_apart_matches_nothing_by_it() -> None:
    """Requests in Chinese are held against Chinese ones, which are all alike to MiniLM."""
    parts = with_models(embedder=Embedder())
    stranger = parts.scales.scored("这个周末去哪里爬山比较好？", ("法国的首都是哪里？", "水的沸点是多少？"))

    assert stranger.likeness > 0.3
    assert stranger.score < 0.75
