"""Numbers within bounds, as grammars over their digits."""

from __future__ import annotations

from decimal import Decimal
from math import ceil, floor
from typing import Final

from edge_models.engines.base import BadSchema
from edge_models.grammars import fraction_grammar as fractions
from edge_models.grammars.grammar_text import choice, digits, literal

_MOST: Final = 10**16 - 1  # JSON's readers take numbers for doubles, which tell whole ones apart up to 2^53
_FRACTION: Final = '"." [0-9]{1,16}'


def integer(low: float | None, high: float | None, *, above: bool, below: bool) -> str:
    """Whole numbers from low to high. above, below: the bounds themselves don't count. Raises BadSchema."""
    first = -_MOST if low is None else floor(low) + 1 if above else ceil(low)
    last = _MOST if high is None else ceil(high) - 1 if below else floor(high)
    if first > last:
        raise BadSchema("no whole number lies between `minimum` and `maximum`")
    options = []
    if first < 0:
        options.append(f'"-" {natural(max(1, -last), -first)}')
    if last >= 0:
        options.append(natural(max(0, first), last))
    return choice(options)


def number(low: float | None, high: float | None, *, above: bool, below: bool) -> str:
    """Numbers from low to high, without exponents. above, below: the bounds themselves don't count. Raises BadSchema."""
    if low is not None and high is not None and (low > high or (low == high and (above or below))):
        raise BadSchema("no number lies between `minimum` and `maximum`")
    options = []
    if low is None or low < 0:
        nearest = 0 if high is None or high > 0 else -high
        strict = below and high is not None and high <= 0
        options += [f'"-" {each}' for each in _magnitude(nearest, None if low is None else -low, strict, above)]
    if high is None or high > 0 or (high == 0 and not below):
        options += _magnitude(max(0, low or 0), high, above and low is not None and low >= 0, below)
    if not options:
        raise BadSchema("no number that can be written lies between `minimum` and `maximum`")
    return choice(options)


def _parts(bound: float) -> tuple[int, str]:
    """A bound of 0 or more as its whole part and the digits behind the dot. Raises BadSchema."""
    whole, _, fraction = f"{Decimal(str(bound)):f}".partition(".")
    fraction = fraction.rstrip("0")
    if len(fraction) > fractions.MOST_DIGITS:
        raise BadSchema(f"`minimum` and `maximum` may have {fractions.MOST_DIGITS} digits behind the dot")
    return int(whole), fraction


def _magnitude(low: float, high: float | None, above: bool, below: bool) -> list[str]:
    """Numbers of 0 or more from low to high, without a sign."""
    first, behind_first = _parts(low)
    last, behind_last = _parts(_MOST + 1 if high is None else high)
    if first == last:
        return _of_one_whole(first, (behind_first, behind_last), above, below)
    options = []
    if behind_first or above:
        options.append(f'{literal(str(first))} "." {fractions.at_least(behind_first, strict=above)}')
        first += 1
    if first < last:
        options.append(f"{natural(first, last - 1)} ( {_FRACTION} )?")
    if high is not None:
        options += _of_one_whole(last, ("", behind_last), False, below)
    return options


def _of_one_whole(whole: int, behind: tuple[str, str], above: bool, below: bool) -> list[str]:
    """Numbers with this whole part, from one fraction to another."""
    low, high = behind
    inner = fractions.between(low, high, above=above, below=below)
    alone = not low and not above and (high or not below)  # the whole number itself
    if alone:
        return [f'{literal(str(whole))} ( "." {inner} )?' if inner else literal(str(whole))]
    return [f'{literal(str(whole))} "." {inner}'] if inner else []


def natural(low: int, high: int) -> str:
    """Whole numbers of 0 or more, from low to high, without leading zeros."""
    options = []
    for length in range(len(str(low)), len(str(high)) + 1):
        first = max(low, 10 ** (length - 1) if length > 1 else 0)
        last = min(high, 10**length - 1)
        options.append(_same_length(str(first), str(last)))
    return choice(options)


def _same_length(first: str, last: str) -> str:
    """Digits from first to last, which have one length."""
    common = next((place for place, pair in enumerate(zip(first, last, strict=True)) if pair[0] != pair[1]), len(first))
    if common == len(first):
        return literal(first)
    head = f"{literal(first[:common])} " if common else ""
    first, last = first[common:], last[common:]
    if len(first) == 1 or (set(first[1:]) == {"0"} and set(last[1:]) == {"9"}):
        return head + f"[{first[0]}-{last[0]}]{_some(len(first) - 1)}"
    options = [f"{literal(first[0])} {_from(first[1:])}"]
    if int(last[0]) - int(first[0]) > 1:
        options.append(f"[{int(first[0]) + 1}-{int(last[0]) - 1}]{_some(len(first) - 1)}")
    options.append(f"{literal(last[0])} {_to(last[1:])}")
    return head + choice(options)


def _from(first: str) -> str:
    return _same_length(first, "9" * len(first))


def _to(last: str) -> str:
    return _same_length("0" * len(last), last)


def _some(count: int) -> str:
    return f" {digits(count, count)}" if count else ""
