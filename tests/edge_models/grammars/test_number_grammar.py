"""Numbers within bounds."""

from __future__ import annotations

import re
from itertools import product

import pytest

from edge_models.engines.base import BadSchema
from edge_models.grammars.number_grammar import integer, number

BOUNDS = (None, -1200, -101, -100, -99, -10, -7, -1, 0, 1, 5, 9, 10, 99, 100, 305, 1234)
FRACTIONS = ("", ".0", ".25", ".999")


def expression(grammar: str) -> re.Pattern[str]:
    """GBNF without rule names as a regular expression: literals lose their quotes, blanks go."""
    return re.compile(re.sub(r'"([^"]*)"| ', lambda found: re.escape(found[1] or ""), grammar))


def inside(given: float, low: float | None, high: float | None, above: bool, below: bool) -> bool:
    return (low is None or given > low or (given == low and not above)) and (
        high is None or given < high or (given == high and not below)
    )


@pytest.mark.parametrize(("above", "below"), list(product((False, True), repeat=2)))
def test_whole_numbers(above: bool, below: bool) -> None:
    """Of all whole numbers from -1300 to 1300, the grammar has those within the bounds, for 289 pairs of bounds."""
    for low, high in product(BOUNDS, repeat=2):
        allowed = [given for given in range(-1300, 1301) if inside(given, low, high, above, below)]
        if low is not None and high is not None and not allowed:
            with pytest.raises(BadSchema):
                integer(low, high, above=above, below=below)
            continue
        matches = expression(integer(low, high, above=above, below=below)).fullmatch
        assert [given for given in range(-1300, 1301) if matches(str(given))] == allowed, (low, high)


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
    """Whole numbers are counted from the next one inside; for others such a bound is refused."""
    matches = expression(integer(0.5, 3.5, above=False, below=True)).fullmatch

    assert [given for given in range(-5, 9) if matches(str(given))] == [1, 2, 3]
    with pytest.raises(BadSchema, match="whole numbers"):
        number(0.5, None, above=False, below=False)


def test_no_leading_zeros() -> None:
    """A number is written as JSON has it."""
    matches = expression(integer(0, 200, above=False, below=False)).fullmatch

    assert not any(map(matches, ("00", "007", "+5", "", "-", "1e2", "1.0")))
