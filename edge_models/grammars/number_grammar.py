"""Numbers within bounds, as grammars over their digits."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from edge_models.engines.base import BadSchema
from edge_models.grammars.grammar_text import choice, digits, literal

_MOST: Final = 10**16 - 1  # JSON's readers take numbers for doubles, which tell whole ones apart up to 2^53
_FRACTION: Final = '"." [0-9]{1,16}'
_ZERO: Final = '( "." "0"{1,16} )?'
_ABOVE_ZERO: Final = '"." "0"{0,15} [1-9] [0-9]{0,15}'


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
    """Numbers from low to high, which have to be whole. Raises BadSchema."""
    for bound in (low, high):
        if bound is not None and bound != int(bound):
            raise BadSchema("an answer can be held to whole numbers as `minimum` and `maximum` alone")
    first, last = None if low is None else int(low), None if high is None else int(high)
    if first is not None and last is not None and (first > last or (first == last and (above or below))):
        raise BadSchema("no number lies between `minimum` and `maximum`")
    options = []
    if first is None or first < 0:
        at_zero = last is None or last >= 0
        nearest = 0 if last is None else max(0, -last)
        options += [
            f'"-" {each}' for each in _magnitude(nearest, first and -first, below and (not at_zero or last == 0), above)
        ]
    if last is None or last > 0 or (last == 0 and not below):
        options += _magnitude(max(0, first or 0), last, above and first is not None and first >= 0, below)
    return choice(options)


def _magnitude(low: int, high: int | None, above: bool, below: bool) -> list[str]:
    """Numbers of 0 or more from low to high, without a sign."""
    end = _MOST + 1 if high is None else high
    options = []
    if above and low < end:
        options.append(f"{literal(str(low))} {_ABOVE_ZERO}")
        low += 1
    if low < end:
        options.append(f"{natural(low, end - 1)} ( {_FRACTION} )?")
    if low <= end and not below and high is not None:
        options.append(f"{literal(str(high))} {_ZERO}")
    return options


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
