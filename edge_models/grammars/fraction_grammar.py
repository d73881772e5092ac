"""What may stand behind a number's dot so that it stays within bounds, as grammars over digits.

A fraction is written as its digits, without trailing zeros for bounds: 0.25 is "25", a whole number is "". Of what is
allowed, at most `_MOST` digits are written, and at least one, since JSON has no dot without a digit.
"""

from __future__ import annotations

from typing import Final

from edge_models.grammars.grammar_text import choice, digits, literal

MOST_DIGITS: Final = 15
"""Of a bound: as many as a double tells apart."""
_TAIL: Final = 16
_ANY: Final = digits(0, _TAIL)


def at_least(bound: str, *, strict: bool) -> str:
    """Digits of fractions of `bound` or more; strict: more."""
    if not bound:
        return _positive() if strict else digits(1, _TAIL)
    head, rest = bound[0], bound[1:]
    options = [f"{literal(head)} {_behind_least(rest, strict)}"]
    if head < "9":
        options.append(f"{_digit(int(head) + 1, 9)} {_ANY}")
    return choice(options)


def at_most(bound: str, *, strict: bool) -> str | None:
    """Digits of fractions of `bound` or less; strict: less. None if there are none."""
    if not bound:
        return None if strict else f'"0"{{1,{_TAIL}}}'
    head, rest = bound[0], bound[1:]
    options = [f"{_digit(0, int(head) - 1)} {_ANY}"] if head > "0" else []
    if rest or not strict:
        options.append(f"{literal(head)} {_optional(at_most(rest, strict=strict)) if rest else _zeros()}")
    return choice(options) if options else None


def between(low: str, high: str, *, above: bool, below: bool) -> str | None:
    """Digits of fractions from low to high; above, below: the bounds themselves don't count. None if there are none."""
    if not low and not above:
        return at_most(high, strict=below)
    if not high:
        return None
    first, last = low[:1] or "0", high[0]
    if first == last:
        inner = between(low[1:], high[1:], above=above, below=below)
        if low[1:] or above:
            return f"{literal(first)} {inner}" if inner else None
        return f"{literal(first)} {_optional(inner)}"
    options = [f"{literal(first)} {_behind_least(low[1:], above)}"]
    if int(last) - int(first) > 1:
        options.append(f"{_digit(int(first) + 1, int(last) - 1)} {_ANY}")
    if high[1:] or not below:
        rest = at_most(high[1:], strict=below) if high[1:] else None
        options.append(f"{literal(last)} {_optional(rest) if rest else _zeros()}")
    return choice(options)


def _behind_least(rest: str, strict: bool) -> str:
    """What follows a first digit that is the bound's own."""
    if rest:
        return at_least(rest, strict=strict)
    return _positive() if strict else _ANY


def _positive() -> str:
    """Digits that are not all zero."""
    return f'"0"{{0,{_TAIL - 1}}} [1-9] {digits(0, _TAIL - 1)}'


def _zeros() -> str:
    return f'"0"{{0,{_TAIL}}}'


def _optional(inner: str | None) -> str:
    return f"( {inner} )?" if inner else ""


def _digit(low: int, high: int) -> str:
    return literal(str(low)) if low == high else f"[{low}-{high}]"
