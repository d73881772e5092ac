"""Small things that the rules over one text share: places of words, and hits in order with none on another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from daemon.signals.base import Found


def settle(found: Iterable[Found]) -> tuple[Found, ...]:
    """All hits in order of their start. Hits that share a character become one: the first one's label, the ground of both.

    Of two that start together the longer gives the label; of two that are equal, the one that was named first.
    """
    settled: list[Found] = []
    for hit in sorted(found, key=lambda hit: (hit.start, -hit.end)):
        if settled and hit.start < settled[-1].end:
            last = settled[-1]
            if hit.end > last.end:
                settled[-1] = Found(last.start, hit.end, last.label, max(last.score, hit.score))
        else:
            settled.append(hit)
    return tuple(settled)


def folded(text: str) -> str:
    """Lower case, at the same length, so that a place in it is a place in the text. ("İ" alone would become two.)"""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


_NO_MARKS: Final = bytes(each if each > 127 or chr(each).isalpha() else 32 for each in range(256))
_MARKS: Final = bytes.maketrans(b"()[]{},;\"'`=<>*|", b" " * 16)


class Vocabulary:
    """Which words a text may have, told from its distinct pieces without their digits: of code a quarter, of a log a tenth.

    lower: the text as the words are written. A word has no digit and no line feed.
    """

    def __init__(self, lower: str) -> None:
        lines = set(lower.encode("utf-8", "surrogatepass").translate(None, b"0123456789").split(b"\n"))
        self._pieces = b" ".join(set(b"\n".join(lines).translate(_MARKS).split()))

    @cached_property
    def words(self) -> frozenset[bytes]:
        """All of them by themselves, without marks: to ask for many at once, where `said` asks for one after the other."""
        return frozenset(self._pieces.translate(_NO_MARKS).split())

    def said(self, words: Sequence[str]) -> list[str]:
        """Those of the words that the text may hold; all that it holds are among them."""
        return [word for word in words if self._may_hold(word)]

    def says(self, words: Sequence[str]) -> bool:
        """Whether the text may hold one of the words."""
        return any(map(self._may_hold, words))

    def _may_hold(self, word: str) -> bool:
        return all(piece in self._pieces for piece in word.encode().translate(_MARKS).split())


def places(text: str, words: Iterable[str]) -> Iterator[int]:
    """Where each of the words stands: much faster than one alternation of a regular expression over the text."""
    for word in words:
        at = text.find(word)
        while at >= 0:
            yield at
            at = text.find(word, at + len(word))


def around(text: str, words: Iterable[str], before: int, behind: int) -> Iterator[tuple[int, int]]:
    """Stretches of a text near to one of the words, in order, those that touch as one: for patterns that are slow to look
    with everywhere. before, behind: in characters.
    """
    start = end = -1
    for at in sorted(places(text, words)):
        if at - before > end:
            if end >= 0:
                yield start, end
            start = max(0, at - before)
        end = min(len(text), at + behind)
    if end >= 0:
        yield start, end


def border(one: str, other: str) -> bool:
    """Whether a word may end between two characters: at a mark, a digit, a hump, or where a script has no blanks."""
    if not (one.isalpha() and other.isalpha()):
        return not (one.isdigit() and other.isdigit())
    if one.lower() == one.upper() or other.lower() == other.upper():
        return True
    return one.islower() and other.isupper()
