"""Aliases in one text, which comes in pieces, turned back into the values they stand for.

A stream may be cut anywhere, so the tail that could still become an alias is held back: HELD_CHARS at most. An alias of
words is known again in any case, and each of its words alone; one of digits also with other marks between them, or none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Final

from daemon.boundary.aliases.base import MAX_CHARS, Alias
from daemon.boundary.aliases.numbers import digits

HELD_CHARS: Final = MAX_CHARS + 1
_MARKS: Final = r"[ \-./()]{0,2}"
_DIGITS_AT_END: Final = re.compile(rf"(?<!\d)\d(?:{_MARKS}\d)*{_MARKS}\Z")


def as_it_is(value: str) -> str:
    """A value in a text."""
    return value


class Index:
    """What a set of aliases looks like in answers; made once for all texts of an answer."""

    def __init__(self, aliases: Iterable[Alias]) -> None:
        self._exact: dict[str, str] = {}
        self._folded: dict[str, tuple[str, str]] = {}
        self._digits: dict[str, str] = {}
        for alias in aliases:
            self._exact[alias.text] = alias.value
            match alias.reading:
                case "words":
                    self._fold(alias.text, alias.value)
                    for one, other in alias.parts:
                        self._fold(one, other)
                    if "@" in alias.text:
                        self._fold(_in_url(alias.text), _in_url(alias.value))
                case "digits":
                    self._digits.setdefault(digits(alias.text), alias.value)
                case "exact":
                    pass
        self._forms = sorted({form.lower() for form in (*self._exact, *self._folded)})
        self._numbers = sorted(self._digits)
        self.pattern = self._compiled() if self._exact else None

    def _fold(self, form: str, value: str) -> None:
        self._folded.setdefault(form.lower(), (form, value))

    def _compiled(self) -> re.Pattern[str]:
        forms = [re.escape(form) for form in sorted(self._forms, key=len, reverse=True)]
        forms += [rf"(?<!\d){_MARKS.join(number)}(?!\d)" for number in sorted(self._numbers, key=len, reverse=True)]
        return re.compile("|".join(forms), re.IGNORECASE)

    def value(self, found: str) -> str:
        """What stands for a piece of text that the pattern found; itself if that is nothing of ours."""
        if found in self._exact:
            return self._exact[found]
        if (folded := self._folded.get(found.lower())) is not None:
            form, value = folded
            return value if found == form else _recased(value, found)
        if len(found) <= HELD_CHARS and (number := self._digits.get(digits(found))) is not None:
            return _remarked(number, found)
        return found

    def doubtful(self, text: str) -> list[int]:
        """Where tails begin that could become a form, if more came."""
        first = max(0, len(text) - HELD_CHARS)
        tail = text[first:].lower()
        if len(tail) != len(text) - first:  # a character that is two in small letters
            places = [first]
        else:
            places = [first + at for at in range(len(tail)) if self._begins(tail[at:])]
        if self._numbers and (number := _DIGITS_AT_END.search(text, first)) is not None:
            places += [
                at for at in range(number.start(), number.end()) if text[at].isdigit() and self._counts(text, at)
            ]
        return sorted(places)

    def _begins(self, tail: str) -> bool:
        at = bisect_left(self._forms, tail)
        if at < len(self._forms) and self._forms[at] == tail:
            at += 1
        return at < len(self._forms) and self._forms[at].startswith(tail)

    def _counts(self, text: str, at: int) -> bool:
        if at and text[at - 1].isdigit():
            return False
        counted = digits(text[at:])
        place = bisect_left(self._numbers, counted)
        return place < len(self._numbers) and self._numbers[place].startswith(counted)


class Restorer:
    """One text that comes in pieces. write: how a value is written where the text stands."""

    def __init__(self, index: Index, write: Callable[[str], str] = as_it_is) -> None:
        self._index = index
        self._write = write
        self._before = ""
        """The last character that went out, as it came in."""
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take a piece, return what is certain."""
        self._held += piece
        return self._certain(self._index.doubtful(self._held))

    def finish(self) -> str:
        """The text is over: what was held back is all there is."""
        return self._certain([])

    def _certain(self, doubtful: list[int]) -> str:
        pattern = self._index.pattern
        if pattern is None:
            ready, self._held = self._held, ""
            return ready
        text = self._before + self._held
        shift = len(self._before)
        places = [place + shift for place in doubtful]
        out: list[str] = []
        at = shift
        while True:
            found = pattern.search(text, at)
            doubt = next((place for place in places if place >= at), len(text))
            if found is None or found.start() >= doubt:
                out.append(text[at:doubt])
                self._before, self._held = text[:doubt][-1:], text[doubt:]
                return "".join(out)
            value = self._index.value(found[0])
            out += (text[at : found.start()], found[0] if value is found[0] else self._write(value))
            at = found.end()


def _in_url(address: str) -> str:
    """A mail address as a URL's query holds it."""
    return "".join(
        character if character.isascii() and (character.isalnum() or character in "-._~") else _escaped(character)
        for character in address
    )


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode(errors="surrogatepass"))


def _recased(value: str, like: str) -> str:
    """A value in the case in which its alias was written."""
    if like.isupper():
        return value.upper()
    if like.islower():
        return value.lower()
    return value[:1].upper() + value[1:] if like[:1].isupper() else value


def _remarked(value: str, like: str) -> str:
    """A number with the marks between its digits that its alias was written with, if they are as many."""
    own = digits(value)
    if len(own) != len(digits(like)):
        return value
    rest = iter(own)
    return "".join(next(rest) if character.isdigit() else character for character in like)
