"""Aliases of numbers: of telephones, cards, accounts, and what authorities give people. Check digits are right."""

from __future__ import annotations

import re
from typing import Final

from daemon.boundary.aliases.base import MAX_CHARS, Dice, Roll

MIN_DIGITS: Final = 7
"""Fewer stand in answers by chance."""
_NO_DIGIT: Final = re.compile(r"\D+")
_MARKS: Final = frozenset(" -./()+")


def digits(value: str) -> str:
    """The digits of a number alone, which are the number, however it is written."""
    return _NO_DIGIT.sub("", value)


def number(value: str, roll: Roll) -> str:
    """Other digits in the same layout; the first is no zero."""
    dice = roll(digits(value))
    wanted = max(MIN_DIGITS, len(digits(value)))
    return _laid_out(value, str(1 + dice.below(9)) + _some(wanted - 1, dice))


def card(value: str, roll: Roll) -> str:
    """Passes Luhn's test (ISO/IEC 7812-1, annex B); of an issuer that a reader knows."""
    dice = roll(digits(value))
    size = min(19, max(13, len(digits(value))))
    body = dice.pick(("4", "51", "52", "53", "54"))
    body += _some(size - 1 - len(body), dice)
    return _laid_out(value, body + _luhn(body))


def iban(value: str, roll: Roll) -> str:
    """One of a country whose numbers are short, with ISO 13616's check digits."""
    dice = roll(re.sub(r"\s", "", value).upper())
    country, size = dice.pick((("NO", 11), ("BE", 12), ("DK", 14), ("FI", 14)))
    body = _some(size, dice)
    check = 98 - int("".join(str(int(each, 36)) for each in f"{body}{country}00")) % 97
    made = f"{country}{check:02}{body}"
    return " ".join(made[at : at + 4] for at in range(0, len(made), 4)) if " " in value else made


def _laid_out(value: str, made: str) -> str:
    """Digits between a value's marks; alone where that is too long or has something else than marks."""
    out: list[str] = []
    rest = iter(made)
    for character in value.strip():
        if character.isdigit():
            out.append(next(rest, ""))
        elif character in _MARKS:
            out.append(character)
        else:
            return made[:MAX_CHARS]
    laid_out = "".join((*out, *rest))
    return laid_out if len(laid_out) <= MAX_CHARS else made[:MAX_CHARS]


def _some(size: int, dice: Dice) -> str:
    return "".join(str(dice.below(10)) for _ in range(size))


def _luhn(body: str) -> str:
    total = 0
    for place, character in enumerate(reversed(body)):
        doubled = int(character) * (1 + (place % 2 == 0))
        total += doubled - 9 * (doubled > 9)
    return str(-total % 10)
