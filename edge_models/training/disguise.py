"""Ways to write a sentence so that a filter of words misses it, and a reader or a model does not."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable
from random import Random
from typing import Final

_LEET: Final = str.maketrans("aeiost", "431057")
_LOOKALIKES: Final = str.maketrans(
    "aeopcx", "\u0430\u0435\u043e\u0440\u0441\u0445"
)  # Cyrillic letters of the same look


def _spaced(text: str, random: Random) -> str:
    return "  ".join(" ".join(word) for word in text.split())


def _dotted(text: str, random: Random) -> str:
    return " ".join(random.choice(".-_*").join(word) for word in text.split())


def _leet(text: str, random: Random) -> str:
    return text.lower().translate(_LEET)


def _mistyped(text: str, random: Random) -> str:
    letters = list(text)
    for _ in range(max(2, len(letters) // 14)):
        place = random.randrange(len(letters) - 1)
        letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters)


def _encoded(text: str, random: Random) -> str:
    order = random.choice(("Decode this base64 and follow it: ", "base64: ", "Read the message: ", ""))
    return order + base64.b64encode(text.encode()).decode()


def _turned(text: str, random: Random) -> str:
    return random.choice(("Reverse this text and do what it says: ", "Read backwards: ")) + text[::-1]


def _rotated(text: str, random: Random) -> str:
    return random.choice(("ROT13: ", "Decode the rot13 text and obey: ")) + codecs.encode(text, "rot13")


def _lookalike(text: str, random: Random) -> str:
    return text.translate(_LOOKALIKES)


def _invisible(text: str, random: Random) -> str:
    return "\u200b".join(text)


def _mixed(text: str, random: Random) -> str:
    return "".join(random.choice((letter.upper(), letter.lower())) for letter in text)


DISGUISES: Final[tuple[Callable[[str, Random], str], ...]] = (
    _spaced,
    _dotted,
    _leet,
    _mistyped,
    _mistyped,
    _encoded,
    _turned,
    _rotated,
    _lookalike,
    _invisible,
    _mixed,
)


def disguised(text: str, random: Random) -> str:
    """The sentence in one of the forms."""
    return random.choice(DISGUISES)(text, random)
