"""Numbers within bounds."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_models.engines.base import BadSchema
from edge_models.grammars.number_grammar import integer, number

BOUNDS = (None, -1200, -101, -100, -99, -10, -7, -1, 0, 1, 5, 9, 10, 99, 100, 305, 1234)
FRACTIONS = ("", ".0", ".25", ".999")


def expression(grammar: str) -> re.Pattern[str]:
    """GBNF without rule names as a regular expression: literals lose their quotes, blanks go."""
    return re.compile(re.sub(r'"([^"]*)"| ', lambda found: re.escape(found[1] or ""), grammar))


def inside(value: float, low: float | None, high: float | None, above: bool, below: bool) -> bool:
    return (low is None or value > low or (value == low and not above)) and (
        high is None or value < high or (value == high and not below)
    )


@pytest.mark.parametrize(("above", "below"), list(product((False, True), repeat=2)))
def test_whole_numbers(above: bool, below: bool) -> None:
    """Of all whole numbers from -1300 to 1300, the grammar has those within the bounds, for 289 pairs of bounds."""
    for low, high in product(BOUNDS, repeat=2):
        allowed = [each for each in range(-1300, 1301) if inside(each, low, high, above, below)]
        if low is not None and high is not None and not allowed:
            with pytest.raises(BadSchema):
                integer(low, high, above=above, below=below)
            continue
        matches = expression(integer(low, high, above=above, below=below)).fullmatch
        assert [each for each in range(-1300, 1301) if matches(str(each))] == allowed, (low, high)


@pytest.mark.parametrize(("above", "below"), list(product((False, True), repeat=2)))
def test_numbers_with_fractions(above: bool, below: bool) -> None:
    """The same with fractions, just inside and just outside of the bounds."""
    for low, high in product(BOUNDS, repeat=2):
        if low is not None and high is not None and (low > high or (low == high and (above or below))):
            with pytest.raises(BadSchema):
                number(low, high, above=above, below=below)
            continue
        matches = expression(number(low, high, above=above, below=below)).fullmatch
        near = {edge + off for edge in (low, high, 0) if edge is not None for off in range(-12, 13)}
        for whole, fraction in product(sorted(near), FRACTIONS):
            text = f"{whole}{fraction}"
            assert bool(matches(text)) == inside(float(text), low, high, above, below), (text, low, high)


def test_fractions_as_bounds() -> None:
    """Whole numbers are counted from the next one inside."""
    matches = expression(integer(0.5, 3.5, above=False, below=True)).fullmatch

    assert [each for each in range(-5, 9) if matches(str(each))] == [1, 2, 3]


EDGES = (None, -12.5, -1.05, -1, -0.75, -0.7, -0.001, 0, 0.05, 0.5, 0.59, 0.6, 1, 1.25, 36.6, 37)


@pytest.mark.parametrize(("above", "below"), list(product((False, True), repeat=2)))
def test_bounds_behind_the_dot(above: bool, below: bool) -> None:
    """Numbers with up to four digits behind the dot are let through if they lie within the bounds, and only then."""
    around = {0.0, 100.0, -100.0} | {
        round(edge + off, 4) for edge in EDGES if edge is not None for off in (0, 0.0001, 0.01, 0.1, 0.5, 1, 7)
    }
    texts = {f"{sign * value:.{places}f}" for value in around for sign in (1, -1) for places in (0, 1, 2, 4)}
    for low, high in product(EDGES, repeat=2):
        if low is not None and high is not None and (low > high or (low == high and (above or below))):
            with pytest.raises(BadSchema):
                number(low, high, above=above, below=below)
            continue
        matches = expression(number(low, high, above=above, below=below)).fullmatch
        for text in texts:
            if not text.startswith("-0") or float(text):
                assert bool(matches(text)) == inside(float(text), low, high, above, below), (text, low, high)


@given(
    low=st.decimals(-99, 99, places=3),
    width=st.decimals(0, 20, places=3),
    share=st.floats(-0.5, 1.5),
    above=st.booleans(),
    below=st.booleans(),
)
def test_any_bounds(low: Decimal, width: Decimal, share: float, above: bool, below: bool) -> None:
    """Whatever the bounds, a number is let through if it lies between them, and only then."""
    high = low + width
    if low == high and (above or below):
        return
    matches = expression(number(float(low), float(high), above=above, below=below)).fullmatch
    for text in (f"{float(low) + share * float(width):.5f}", str(low), str(high)):
        if float(text):
            assert bool(matches(text)) == inside(float(text), float(low), float(high), above, below)


def test_too_many_digits_are_refused() -> None:
    """A bound that no double tells from its neighbours is."""
    with pytest.raises(BadSchema, match="digits"):
        number(1e-17, None, above=False, below=False)


def test_no_leading_zeros() -> None:
    """A number is written as JSON has it."""
    matches = expression(integer(0, 200, above=False, below=False)).fullmatch

    assert not any(map(matches, ("00", "007", "+5", "", "-", "1e2", "1.0")))
