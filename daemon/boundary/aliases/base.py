"""What an alias is: a value of the same kind that stands for a private one while a request is away.

Theory of operation. An alias is made of the value by a keyed hash, so that the same value has the same alias in every turn
of a conversation and a provider's prompt cache still hits, and nothing has to be stored for it. It keeps the kind and, where
that is short, the layout: an e-mail address still parses, a card still passes Luhn's test, an identifier keeps its case. It
shares no run of RUN characters with its value, is MAX_CHARS long at most, so that little of a stream has to be held back,
and is unlike any word, so that an answer hardly ever holds one by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import shake_256
from typing import Final, Literal, TypeAlias, TypeVar

from msgspec import Struct

MAX_CHARS: Final = 23
"""Of an alias. One more character may be needed to see that it is over: a stream is held back by 24 at most."""
RUN: Final = 4
"""So many characters in a row tell something of a value (the measure of arXiv:2604.12064)."""

Reading: TypeAlias = Literal["exact", "words", "digits"]
"""How an alias is known again in an answer. exact: character by character. words: in any case, and each of its words alone.
digits: also with other marks between its digits, or none."""

_T = TypeVar("_T")


class Alias(Struct, frozen=True):
    """One value and what stands for it. parts: words of the alias that stand for words of the value."""

    text: str
    value: str
    label: str
    reading: Reading
    parts: tuple[tuple[str, str], ...] = ()


class Dice:
    """Numbers that a seed fixes. seed: keyed, so that nobody else can throw them again."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._pool = 0
        self._size = 1
        self._drawn = 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, evenly but for one part in 2**32."""
        if self._size < n << 32:
            self._pool = int.from_bytes(shake_256(self._seed + self._drawn.to_bytes(4)).digest(64))
            self._size = 1 << 512
            self._drawn += 1
        self._pool, drawn = divmod(self._pool, n)
        self._size //= n
        return drawn

    def pick(self, choices: Sequence[_T]) -> _T:
        """One of them."""
        return choices[self.below(len(choices))]


Roll: TypeAlias = Callable[[str], Dice]
"""The dice for one piece of a value: the same piece has the same throws, whatever stands around it."""
Make: TypeAlias = Callable[[str, Roll], str]
"""From a value to a candidate for its alias. Any text comes in; what it can't lay out, it replaces by something simpler."""


class Form(Struct, frozen=True):
    """What aliases of one class look like. same: what of two spellings has to be equal for them to be one value."""

    make: Make
    reading: Reading = "exact"
    same: Callable[[str], str] = str


def shares_run(one: str, other: str) -> bool:
    """Whether two texts have RUN characters in a row in common, in any case."""
    one, other = one.casefold(), other.casefold()
    return any(one[at : at + RUN] in other for at in range(len(one) - RUN + 1))
