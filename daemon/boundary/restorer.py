"""Aliases in one text, which comes in pieces, turned back into the values they stand for.

A stream may be cut anywhere, so the tail that could still become an alias is held back: HELD_CHARS at most. An alias of
words is known again in any case, and each of its words alone; one of digits also with other marks between them, or none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from daemon.boundary.aliases.base import MAX_CHARS, Alias
from daemon.boundary.aliases.numbers import digits
from daemon.boundary.places import Places
from daemon.signals.as_read import Reading
from daemon.signals.overlaps import folded

HELD_CHARS: Final = MAX_CHARS + 1
_MARKS: Final = r"[ \-./()]{0,2}"
_NUMBERS: Final = re.compile(rf"(?<!\d)\d(?:{_MARKS}\d)+")
_NUMBER_AT_END: Final = re.compile(rf"(?<!\d)\d(?:{_MARKS}\d)*{_MARKS}\Z")
_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[^\W\d_]+")


def as_it_is(value: str) -> str:
    """A value in a text."""
    return value


class Index:
    """What a set of aliases looks like in answers; made once for all texts of an answer."""

    def __init__(self, aliases: Iterable[Alias]) -> None:
        self._exact: dict[str, str] = {}
        self._words: dict[str, tuple[str, str]] = {}
        self._numbers: dict[str, str] = {}
        for alias in aliases:
            self._exact[alias.text] = alias.value
            if alias.reading == "words":
                self._word(alias.text, alias.value)
                for one, other in alias.parts:
                    self._word(one, other)
                if "@" in alias.text:
                    self._word(_in_url(alias.text), _in_url(alias.value))
                elif (plain := Reading(alias.text).text) != alias.text:
                    self._word(plain, Reading(alias.value).text)
            elif alias.reading == "digits":
                self._numbers.setdefault(digits(alias.text), alias.value)
        exact = [form for form in self._exact if folded(form) not in self._words]
        self._places = Places(exact, self._words)
        self._beginnings = _beginnings(exact)
        self._small_beginnings = _beginnings(self._words)
        self._number_beginnings = _beginnings(self._numbers) | set(self._numbers)
        self._longest = max(map(len, self._numbers), default=0)

    def _word(self, form: str, value: str) -> None:
        self._words.setdefault(folded(form), (form, value))

    def find(self, text: str, start: int) -> list[tuple[int, int]]:
        """Where something of ours stands, the first first, of those that begin together the longest first."""
        found = self._places.find(text, start)
        if self._numbers:
            found += self._numbers_in(text, start)
            found.sort(key=lambda place: (place[0], -place[1]))
        return found

    def value(self, found: str) -> str:
        """What stands for a piece of text that was found."""
        if found in self._exact:
            return self._exact[found]
        if (word := self._words.get(folded(found))) is not None:
            form, value = word
            return value if found == form else _in_case_of(value, form, found)
        return _remarked(self._numbers[digits(found)], found)

    def doubtful(self, text: str) -> list[int]:
        """Where tails begin that could become something of ours, if more came."""
        first = max(0, len(text) - HELD_CHARS)
        tail = text[first:]
        lower = folded(tail) if self._words else ""
        places = [
            first + at
            for at in range(len(tail))
            if tail[at:] in self._beginnings or (lower and lower[at:] in self._small_beginnings)
        ]
        if self._numbers and (number := _NUMBER_AT_END.search(text, first)) is not None:
            places += [at for at in range(number.start(), number.end()) if self._counts(text, at)]
            places.sort()
        return places

    def _numbers_in(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        """Numbers of ours between other marks, which are no part of a longer one."""
        for run in _NUMBERS.finditer(text, start):
            groups = [group.span() for group in _DIGITS.finditer(text, run.start(), run.end())]
            for first, (begin, _) in enumerate(groups):
                counted = ""
                for group, end in groups[first:]:
                    counted += text[group:end]
                    if len(counted) > self._longest or end - begin > HELD_CHARS:
                        break
                    if counted in self._numbers:
                        yield begin, end

    def _counts(self, text: str, at: int) -> bool:
        if not text[at].isdigit() or (at and text[at - 1].isdigit()):
            return False
        return digits(text[at:]) in self._number_beginnings


def _beginnings(forms: Iterable[str]) -> frozenset[str]:
    """All that could become one of these."""
    return frozenset(form[:end] for form in forms for end in range(1, len(form)))


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
        shift = len(self._before)
        text = self._before + self._held
        places = [place + shift for place in doubtful]
        out: list[str] = []
        at = shift
        for start, end in self._index.find(text, shift):
            if start < at:
                continue
            if start >= next((place for place in places if place >= at), len(text)):
                break
            value = self._index.value(text[start:end])
            out += (text[at:start], self._write(value))
            at = end
        doubt = next((place for place in places if place >= at), len(text))
        out.append(text[at:doubt])
        self._before, self._held = text[:doubt][-1:], text[doubt:]
        return "".join(out)


def restored_text(text: str, index: Index) -> str:
    """A text that is there as a whole."""
    restorer = Restorer(index)
    restorer._held = text
    return restorer.finish()


def _in_url(address: str) -> str:
    """A mail address as a URL's query holds it."""
    return "".join(
        character if character.isascii() and (character.isalnum() or character in "-._~") else _escaped(character)
        for character in address
    )


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode(errors="surrogatepass"))


def _in_case_of(value: str, form: str, like: str) -> str:
    """A value as its alias was written, word by word: those that differ in the case of one word alone do too."""
    ours, theirs, own = (_WORD.findall(each) for each in (form, like, value))
    if not 1 < len(ours) == len(theirs) == len(own):
        return _recased(value, like)
    pairs = zip(ours, theirs, strict=True)
    return _WORD.sub(lambda word: word[0] if (pair := next(pairs))[0] == pair[1] else _recased(word[0], pair[1]), value)


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
