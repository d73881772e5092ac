"""Aliases of what has no meaning but its characters: keys, tokens, passwords, numbers with letters."""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final

from daemon.boundary.aliases.base import MAX_CHARS, Dice, Roll

MIN_CHARS: Final = 10
"""Shorter ones stand in answers by chance."""
_LETTERS: Final = ascii_lowercase + digits
_MARKS: Final = frozenset("-_.:/")


def shape(value: str, roll: Roll) -> str:
    """A letter for a letter, a digit for a digit, single marks kept; cut where it gets long, filled up where it is short."""
    dice = roll(value)
    if "\n" in value:  # a key file: one line says as much
        return dice.pick(ascii_lowercase) + "".join(dice.pick(_LETTERS) for _ in range(MAX_CHARS - 4))
    made: list[str] = []
    for character in value[:MAX_CHARS]:
        keep = character in _MARKS and bool(made) and made[-1].isalnum()
        made.append(character if keep else _like(character, dice))
    if (missing := MIN_CHARS - sum(map(str.isalnum, made))) > 0:
        made = [*made[: MAX_CHARS - missing], *(dice.pick(_LETTERS) for _ in range(missing))]
    if not made[-1].isalnum():
        made[-1] = dice.pick(_LETTERS)
    return "".join(made)


def _like(character: str, dice: Dice) -> str:
    if character.isdigit():
        return dice.pick(digits)
    return dice.pick(ascii_uppercase if character.isupper() else ascii_lowercase)
