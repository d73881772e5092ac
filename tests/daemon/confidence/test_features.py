"""What one generation shows of how sure the model was."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.confidence.features import (
    TAIL,
    WINDOW,
    Generation,
    answer_bearing,
    features,
    quantile,
    valid,
    words,
    worst_window,
)
from daemon.confidence.judgement import plain_score
from providers.contract import Alternative, Logprob


def tokens(*pairs: tuple[str, float]) -> tuple[Logprob, ...]:
    return tuple(Logprob(text.encode(), logprob) for text, logprob in pairs)


def test_words_of_the_question_and_punctuation_do_not_count() -> None:
    """A wrapper of certain words does not drown the one token that is the answer."""
    said = tokens(
        ("The", -0.01), (" capital", -0.01), (" of", 0.0), (" Peru", 0.0), (" is", -0.1), (" Oslo", -3.0), (".", 0.0)
    )
    asked = words("What is the capital of Peru?")

    assert answer_bearing(said, asked) == [-3.0]
    seen = features(Generation(said, "The capital of Peru is Oslo.", asked, "stop"))
    assert seen is not None
    assert (seen.tokens, seen.answer_tokens, seen.answer_mean, seen.answer_first) == (7, 1, -3.0, -3.0)
    assert seen.mean == pytest.approx(-3.12 / 7)


def test_an_answer_of_such_words_alone_counts_whole() -> None:
    """If nothing is left, everything counts."""
    assert answer_bearing(tokens(("Peru", -1.0), ("!", -2.0)), words("Peru")) == [-1.0, -2.0]


def test_without_log_probabilities_nothing_is_known() -> None:
    """An engine that tells none gives no features, rather than zeros."""
    assert features(Generation((), "four", frozenset(), "stop")) is None


def test_margin_and_entropy_are_there_where_the_engine_tells_them() -> None:
    """Margins are between the best two alternatives, in whatever order they come; without them there is None."""
    top = (Alternative(b"x", -2.5), Alternative(b"a", -0.5))
    told = features(Generation((Logprob(b"a", -0.5, top, 1.25), Logprob(b"b", -0.1, (), 0.25)), "ab", reason="stop"))
    silent = features(Generation(tokens(("a", -0.5)), "a", reason="stop"))

    assert told is not None
    assert (told.margin, told.margin_minimum, told.entropy) == (2.0, 2.0, 0.75)
    assert silent is not None
    assert (silent.margin, silent.entropy, silent.entropy_q90) == (None, None, None)


def test_the_end_is_known_once_it_is_there() -> None:
    """A draft that goes on has no end yet, and one that was cut off has none of its own."""
    made = tokens(("a", -0.1))

    ends = [features(Generation(made, "a", reason=reason)) for reason in (None, "stop", "length")]

    assert [seen.ended for seen in ends if seen] == [None, True, False]


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=80))
def test_the_worst_window_is_the_least_of_all_windows(values: list[float]) -> None:
    """It is what one finds by looking at each, and never above the mean of a shorter answer."""
    width = min(WINDOW, len(values))
    each = [math.fsum(values[start : start + width]) / width for start in range(len(values) - width + 1)]

    assert worst_window(values) == pytest.approx(min(each), abs=1e-9)


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=80))
def test_features_are_finite_and_in_order(values: list[float]) -> None:
    """Whatever the log-probabilities, the low quantiles stand in order and nothing is out of bounds."""
    seen = features(Generation(tuple(Logprob(b"w", value) for value in values), "w", reason="stop"))

    assert seen is not None
    assert seen.minimum <= seen.q05 + 1e-9 <= seen.q10 + 2e-9 <= seen.q25 + 3e-9 <= 3e-9
    assert seen.tail == pytest.approx(math.fsum(values[-TAIL:]) / len(values[-TAIL:]))
    assert 0 <= seen.uncertain <= 1
    assert 0 <= plain_score(seen) <= 1


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=50), st.floats(0, 1))
def test_quantiles_lie_between_the_ends(values: list[float], share: float) -> None:
    """A quantile is never outside the values, and its ends are theirs."""
    assert min(values) - 1e-9 <= quantile(values, share) <= max(values) + 1e-9
    assert quantile(values, 0) == min(values)
    assert quantile(values, 1) == max(values)


def test_quantile_interpolates() -> None:
    """Between two values it lies in proportion."""
    assert quantile([0.0, 10.0], 0.25) == 2.5


@pytest.mark.parametrize(
    ("text", "schema", "expected"),
    [
        ("plain words", None, None),
        ("```python\nprint(1)\n```", None, True),
        ("```py\nprint(1\n```", None, False),
        ("```python\nx = 1\n```\nand\n```json\n{,}\n```", None, False),
        ("```json\n[1, 2]\n```", None, True),
        ("```sh\nif then fi(\n```", None, None),
        ('{"n": 1}', {"type": "object", "required": ["n"]}, True),
        ("{}", {"type": "object", "required": ["n"]}, False),
        ("not json", {"type": "object"}, False),
        ("[" * 100_000, {"type": "array"}, False),  # a model that repeats itself
    ],
)
def test_what_can_be_checked_is(text: str, schema: dict[str, object] | None, expected: bool | None) -> None:
    """JSON is held to its schema and fenced code is parsed; of anything else nothing is said."""
    assert valid(text, schema) is expected


def test_the_plain_score_falls_with_the_mean_and_the_weak_spots() -> None:
    """It is 1 for certainty, and lower for one weak token among nine good ones."""
    sure = features(Generation(tokens(("a", 0.0), ("b", 0.0)), "ab", reason="stop"))
    unsure = features(Generation(tokens(*[("a", -0.1)] * 9, ("b", -4.0)), "ab", reason="stop"))

    assert sure is not None
    assert unsure is not None
    assert plain_score(sure) == 1.0
    assert plain_score(unsure) == pytest.approx(math.exp((unsure.answer_mean + unsure.answer_q10) / 2))
