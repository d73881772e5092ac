"""Words that look like names and are none, in the script and case of another word.

Latin ones have a pair of consonants in their middle that English, German, French and Spanish words hardly have, and none of
their usual endings, so that no word of an answer is taken for one.
"""

from __future__ import annotations

import re
from typing import Final

from daemon.boundary.aliases import names
from daemon.boundary.aliases.base import Dice, Roll

WORD: Final = re.compile(r"[^\W\d_]+")
MIN_CHARS: Final = 5
"""Of a Latin word: shorter ones stand in answers by chance."""

_ONSETS: Final = (
    "b",
    "d",
    "f",
    "g",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "t",
    "v",
    "z",
    "br",
    "dr",
    "gr",
    "kr",
    "tr",
)
_VOWELS: Final = "aeiou"
_MIDDLES: Final = (
    "dz",
    "gz",
    "kv",
    "lv",
    "lz",
    "rj",
    "rv",
    "rz",
    "tz",
    "vk",
    "vl",
    "vr",
    "zd",
    "zl",
    "zm",
    "zn",
    "zv",
    "nz",
)
_LAST_VOWELS: Final = "aiou"
_CODAS: Final = "kmnx"

_CYRILLIC: Final = str.maketrans("abdefghijklmnoprtuvxz", "абдефгхийклмнопртувкз")


def word(dice: Dice) -> str:
    """In small letters, 5 to 7 of them."""
    return dice.pick(_ONSETS) + dice.pick(_VOWELS) + dice.pick(_MIDDLES) + dice.pick(_LAST_VOWELS) + dice.pick(_CODAS)


def like(piece: str, roll: Roll) -> str:
    """A word for a word, in its script, and in its case if it has one."""
    dice = roll(piece.casefold())
    match _script(piece):
        case "hangul":
            return dice.pick(names.SURNAMES_KO) + dice.pick(names.GIVEN_KO) + dice.pick(names.GIVEN_KO)
        case "kana":
            return dice.pick(names.SURNAMES_JA) + dice.pick(names.GIVEN_JA) if not _all_kana(piece) else _kana(dice)
        case "han":
            return dice.pick(names.SURNAMES_ZH) + dice.pick(names.GIVEN_ZH) + dice.pick(names.GIVEN_ZH)
        case "cyrillic":
            return cased(word(dice).translate(_CYRILLIC), piece)
        case _:
            return cased(word(dice), piece)


def cased(made: str, like: str) -> str:
    """A word of small letters in the case of another one."""
    if like.isupper() and len(like) > 1:
        return made.upper()
    if like[:1].isupper():
        return made[:1].upper() + made[1:]
    return made


def _kana(dice: Dice) -> str:
    return "".join(dice.pick(names.KANA) for _ in range(5))


def _all_kana(piece: str) -> bool:
    return all("\u3040" <= character <= "\u30ff" for character in piece)


def _script(piece: str) -> str:
    for character in piece:
        if "\uac00" <= character <= "\ud7a3":
            return "hangul"
        if "\u3040" <= character <= "\u30ff":
            return "kana"
        if "\u0400" <= character <= "\u04ff":
            return "cyrillic"
    return "han" if any("\u4e00" <= character <= "\u9fff" for character in piece) else "latin"
