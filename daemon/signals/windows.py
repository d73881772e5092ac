"""Where runs of digits stand in a text, with what may stand between and around them.

All families that begin with digits look only here. In code such runs are rare. Logs are made of them, so there a family
names its cores: pieces of which each of its numbers holds one, with `0` for any digit and `A` for any capital. They are
looked for in the text's own shape, where `bytes.find` takes 0.06 ms for 130 kB, and patterns read only the windows that
hold one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from daemon.signals.overlaps import Vocabulary

Window: TypeAlias = tuple[int, int]
"""Start and end, in characters."""

_CLASSES: Final = bytes.maketrans(b"123456789BCDEFGHIJKLMNOPQRSTUVWXYZ?", b"0" * 9 + b"A" * 26)
_FOREIGN_DIGIT: Final = re.compile(r"[^\D0-9]")
_RUN: Final = re.compile(rb"0[0 \-.()/]{5,}0")
_DIGITS_IN_SHORTEST: Final = 7
"""A local telephone number."""
_LOOKED_AT: Final = 400
"""Characters of a run in which its digits are counted."""
_DATE: Final = re.compile(r"(?:19|20)\d\d([-/.])\d\d\1\d\d(?: \d\d)?")
_DATE_SHAPE: Final = re.compile(rb"0000(?:-00-|/00/|\.00\.)00(?: 00)?")
_ADDRESS: Final = re.compile(rb"0{1,3}(?:\.0{1,3}){3}")
"""With dates what logs are full of, and no family that looks into windows wants."""
_Sort: TypeAlias = Literal["number", "date", "other"]
_BEFORE: Final = 6
_BEHIND: Final = 14


def shape_of(text: str) -> bytes:
    """A byte for each character: `0` for a digit, `A` for a capital, `?` and all outside ASCII, else the character."""
    if not text.isascii():
        text = _FOREIGN_DIGIT.sub("0", text).replace("\u00a0", " ")  # which may stand in a run
    return text.encode("ascii", "replace").translate(_CLASSES)


class Windows:
    """The windows of one text, in order. Neighbours may overlap. shape: as `shape_of` has it."""

    def __init__(self, text: str, shape: bytes) -> None:
        self.shape = shape
        self.spans: Sequence[Window] = tuple(
            (max(0, start - _BEFORE), min(len(text), end + _BEHIND)) for start, end in _runs(text, shape)
        )
        self._ends = tuple(end for _, end in self.spans)

    def holding(self, cores: Iterable[bytes]) -> list[Window]:
        """The windows in which at least one of the cores begins."""
        held: set[int] = set()
        for core in cores if self.spans else ():
            following = 0
            at = self.shape.find(core)
            while at >= 0:
                following = bisect_right(self._ends, at, following)
                while following < len(self.spans) and self.spans[following][0] <= at:
                    held.add(following)
                    following += 1
                if following == len(self.spans):
                    break
                at = self.shape.find(core, max(at + 1, self.spans[following][0]))
        return [self.spans[place] for place in sorted(held)]

    def near(self, at: Sequence[int], before: int, behind: int = 0) -> list[Window]:
        """The windows near to one of the places, as `near` has it."""
        return near(self.spans, at, before, behind)

    def vocabulary(self, lower: str, whole: Vocabulary) -> Vocabulary:
        """Of what stands up to 64 characters before a window and 16 behind it, and maybe of more. whole: that of `lower`."""
        if len(self.spans) * 200 > len(lower):  # as much to read as all
            return whole
        return Vocabulary("\n".join(lower[max(0, start - 64) : end + 16] for start, end in self.spans))


def near(windows: Sequence[Window], at: Sequence[int], before: int, behind: int = 0) -> list[Window]:
    """Those windows that have one of the places inside, or so near. at: ascending. before, behind: in characters."""
    held: list[Window] = []
    following = 0
    for place in at:
        while following < len(windows) and windows[following][1] + behind <= place:
            following += 1
        while following < len(windows) and windows[following][0] - before <= place:
            held.append(windows[following])
            following += 1
    return held


def _runs(text: str, shape: bytes) -> Iterator[Window]:
    known: dict[bytes, _Sort] = {}  # what a run may be is told by its shape, of which logs have few
    for run in _RUN.finditer(shape):
        start, end = run.span()
        written = run[0]
        sort = known.get(written)
        if sort is None:
            sort = known[written] = _sort_of(written)
        if sort == "number" or (sort == "date" and not _DATE.fullmatch(text, start, end)):
            yield start, end


def _sort_of(written: bytes) -> _Sort:
    if written.count(b"0", 0, _LOOKED_AT) < _DIGITS_IN_SHORTEST or _ADDRESS.fullmatch(written):
        return "other"
    return "date" if _DATE_SHAPE.fullmatch(written) else "number"
