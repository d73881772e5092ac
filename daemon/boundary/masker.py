"""The aliases of one request: made, checked, and kept until its answer is over."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from daemon.boundary.aliases import people
from daemon.boundary.aliases.base import MAX_CHARS, Alias, Dice, Form, Roll, shares_run
from daemon.boundary.aliases.registry import form_of
from daemon.boundary.aliases.words import MIN_CHARS
from daemon.errors import Refused

ATTEMPTS: Final = 50
_PIECES: Final[dict[str, re.Pattern[str]]] = {
    "PERSON": people.WORDS,
    "ORGANIZATION": people.WORDS,
    "TERM": people.HUMPS,
    "CODE_NAME": people.HUMPS,
    "CLOUD_RESOURCE": people.HUMPS,
}
"""Classes whose aliases' words stand for the value's words, one by one."""


class Masker:
    """Hands out aliases. key: whoever has it knows them. texts: all of the request, in which none may stand by chance."""

    def __init__(self, key: bytes, texts: Iterable[str]) -> None:
        self._key = key
        self._texts = "\n".join(texts).lower()
        self._by_value: dict[str, Alias] = {}
        self._taken: dict[str, str] = {}
        """Texts and words of aliases, in small letters, to what they stand for, in small letters."""

    @property
    def aliases(self) -> tuple[Alias, ...]:
        """All so far."""
        return tuple(self._by_value.values())

    def alias(self, label: str, value: str) -> Alias:
        """What stands for a value. Raises Refused if nothing can."""
        if (known := self._by_value.get(value)) is not None:
            return known
        form = form_of(label)
        for attempt in range(ATTEMPTS):
            text = form.make(value, self._roll(form, f"{attempt}\0{value}" if attempt else ""))
            pieces = people.parts(value, text, _PIECES[label]) if label in _PIECES else ()
            made = Alias(text, value, label, form.reading, pieces)
            if self._fits(made):
                self._by_value[value] = made
                self._taken[text] = value
                self._taken |= {one.lower(): other.lower() for one, other in pieces}
                return made
        raise Refused("a value that has to be masked can't be: the request stays here")

    def forget(self) -> None:
        """All of them: what follows has those that it would have had at first."""
        self._by_value.clear()
        self._taken.clear()

    def _roll(self, form: Form, another: str) -> Roll:
        """another: what else shall count than the piece."""

        def roll(piece: str) -> Dice:
            hashed = blake2b(key=self._key, digest_size=32)
            hashed.update(f"{form.same(piece)}\0{another}".encode(errors="surrogatepass"))
            return Dice(hashed.digest())

        return roll

    def _fits(self, made: Alias) -> bool:
        """Whether it tells nothing of its value, and can't be taken for anything else."""
        if not made.text or len(made.text) > MAX_CHARS or shares_run(made.text, made.value):
            return False
        if self._taken.get(made.text, made.value) != made.value:
            return False
        if made.reading == "exact":  # too long to stand there by chance: it is ours, and was not turned back
            return True
        if made.text.lower() in self._texts:
            return False
        return all(
            self._taken.get(one.lower(), other.lower()) == other.lower()
            and (not one.isascii() or len(one) >= MIN_CHARS)
            and one.lower() not in self._texts
            for one, other in made.parts
        )
