"""What is seen of a request and the tools for it, and the line through that."""

from __future__ import annotations

import math

import pytest

from edge_models.tool_fit import Column, Gate, Offered, features, words

WEATHER = Offered("get_weatherForecast", "Tells the weather of cities.", ("city_name",))
PIZZA = Offered("orderPizza", "", ())


def test_an_only_tool_has_nobody_ahead_of() -> None:
    """And what was said is shared out over its words."""
    seen = features("Weather forecast for the city?", [0.6], [WEATHER])

    assert (seen["best"], seen["ahead"], seen["over"], seen["many"]) == (0.6, 0.0, 0.0, 0.0)
    assert seen["name"] == 1.0
    assert seen["words"] == 1.0


def test_the_nearest_is_held_against_the_others() -> None:
    """By likeness, not by order."""
    seen = features("pizza", [0.1, 0.2, 0.7], [WEATHER, WEATHER, PIZZA])

    assert seen["ahead"] == pytest.approx(0.5)
    assert seen["over"] == pytest.approx(0.55)
    assert seen["many"] == pytest.approx(math.log(3))
    assert (seen["name"], seen["words_any"]) == (0.5, 1.0)


def test_words_are_compared_without_their_endings() -> None:
    """Names are taken apart, and words that everybody says are left out."""
    assert words("getCityNames for_the API2") == words("cities named API 2") == frozenset({"city", "nam", "api", "2"})
    assert words("what is this") == frozenset()


def test_nothing_said_shares_nothing() -> None:
    """No division by no words."""
    assert features("what is it", [0.0], [Offered("x", "")])["words"] == 0.0


def test_the_line_is_a_probability() -> None:
    """Also far out."""
    gate = Gate((Column("best", -1.0, 0.5, 0.1),), 0.0, 0.8)

    assert gate.none_fits({"best": 0.5}) == 0.5
    assert gate.none_fits({"best": 0.6}) == pytest.approx(1 / (1 + math.e))
    assert 0 < gate.none_fits({"best": 1e6}) < 1e-9 < 1 - 1e-9 < gate.none_fits({"best": -1e6}) <= 1


def test_what_an_encoder_reads_is_the_name_in_words() -> None:
    """And the description, where there is one."""
    assert WEATHER.said == "get weather forecast: Tells the weather of cities."
    assert PIZZA.said == "order pizza"
