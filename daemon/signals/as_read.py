"""A text as somebody reads it: escapes of URLs, JSON and HTML undone, and characters that nobody sees left out.

`ada%40lovelace.dev`, `ada\\u0040lovelace.dev`, `ada (at) lovelace (dot) dev` and an address with an unseen character in it
tell whose it is as the address itself does. So a rule looks at both writings, and what it finds in the second has its place
in the first.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final

from daemon.signals.base import Found, Kind, TextRule
from daemon.signals.overlaps import settle

DEPTH: Final = 2
"""Escapes within escapes are undone so often: `%2540` in a link within a link."""
AROUND_CHARS: Final = 240
"""So far at each side of what is escaped a rule is asked once more; none looks farther for what tells of a value."""
_BLANK: Final = re.compile(r"[ \n]")
_HEX: Final = r"(?:[2-6][0-9a-fA-F]|7[0-9a-eA-E])"
_UNSEEN: Final = r"\u00ad\u200b-\u200f\u2060-\u2064\ufe0f\ufeff"
_WRITTEN: Final = re.compile(  # begins with a set of characters, which is much faster to look for than alternatives
    rf"[%\\&(\[{{<\uff01-\uff5e{_UNSEEN}](?:"
    rf"(?:(?<=%)|(?<=\\)(?:u00|x)|(?<=&)\#[xX])(?P<hex>{_HEX})(?:(?<=\#...);)?|"
    r"(?<=&)\#(?P<decimal>3[2-9]|[4-9]\d|1[01]\d|12[0-6]);|"
    r"(?P<at>(?<=&)commat;|(?<=[(\[{<])[aA][tT][)\]}>])|(?P<dot>(?<=&)period;|(?<=[(\[{<])[dD][oO][tT][)\]}>])|"
    rf"(?P<wide>(?<=[\uff01-\uff5e]))|(?P<unseen>(?<=[{_UNSEEN}])[{_UNSEEN}]*))"
)
_WIDE: Final = 0xFF01 - ord("!")


class Reading:
    """The text as read, and where its characters stand in the text as written."""

    def __init__(self, written: str) -> None:
        pieces: list[str] = []
        self._at: list[int] = []
        """Where each thing that reads otherwise begins in `text`."""
        self._size: list[int] = []
        self._from: list[tuple[int, int]] = []
        """Where it begins and ends as written."""
        done = size = 0
        for found in _WRITTEN.finditer(written):
            meant, (start, end) = _meant(found), found.span()
            if (found["at"] or found["dot"]) and start > done and written[start - 1] == " " == written[end : end + 1]:
                start, end = start - 1, end + 1  # ` (at) `
            pieces += (written[done:start], meant)
            size += start - done
            self._at.append(size)
            self._size.append(len(meant))
            self._from.append((start, end))
            size += len(meant)
            done = end
        self.text = "".join((*pieces, written[done:]))

    def __bool__(self) -> bool:
        """Whether anything reads otherwise than it is written."""
        return bool(self._at)

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """From a place in `text` to its place as written; None if it is written as it is read."""
        first = bisect_left(self._at, start)
        while first < len(self._at) and self._at[first] == start and not self._size[first]:
            first += 1  # unseen, and in front of it
        last = bisect_left(self._at, end)
        if first >= last:
            return None
        return self._start(start), self._end(end)

    def around(self) -> list[tuple[int, int]]:
        """Parts of `text`, whole words, in which all lies that reads otherwise, with AROUND_CHARS at each side."""
        parts: list[tuple[int, int]] = []
        for at, size in zip(self._at, self._size, strict=True):
            if parts and at + size + AROUND_CHARS <= parts[-1][1]:
                continue
            first, last = max(0, at - AROUND_CHARS), at + size + AROUND_CHARS
            start = max(self.text.rfind(" ", 0, first), self.text.rfind("\n", 0, first)) + 1 if first else 0
            blank = _BLANK.search(self.text, last) if last < len(self.text) else None
            end = blank.start() if blank else len(self.text)
            if parts and start <= parts[-1][1]:
                parts[-1] = (parts[-1][0], max(end, parts[-1][1]))
            else:
                parts.append((start, end))
        return parts

    def _start(self, at: int) -> int:
        index = bisect_right(self._at, at) - 1
        if index < 0:
            return at
        begin, end = self._from[index]
        inside = at - self._at[index]
        return begin if inside < self._size[index] else end + inside - self._size[index]

    def _end(self, at: int) -> int:
        index = bisect_left(self._at, at) - 1
        if index < 0:
            return at
        end = self._from[index][1]
        return end + max(0, at - self._at[index] - self._size[index])


def _meant(found: re.Match[str]) -> str:
    if code := found["hex"]:
        return chr(int(code, 16))
    if code := found["decimal"]:
        return chr(int(code))
    if found["wide"] is not None:
        return chr(ord(found[0]) - _WIDE)
    return "@" if found["at"] else "." if found["dot"] else ""


class InAnyWriting:
    """A rule that looks at a text as it is written and as it is read."""

    def __init__(self, rule: TextRule) -> None:
        self.signal: str = rule.signal
        self.kind: Kind = rule.kind
        self._rule = rule

    def find(self, text: str) -> tuple[Found, ...]:
        """All hits, in order, none inside another."""
        return self._find(text, DEPTH)

    def _find(self, text: str, depth: int) -> tuple[Found, ...]:
        found = self._rule.find(text)
        reading = Reading(text) if depth else None
        if not reading:
            return found
        read = [
            Found(*place, hit.label, hit.score)
            for start, end in reading.around()
            for hit in self._find(reading.text[start:end], depth - 1)
            if (place := reading.place(start + hit.start, start + hit.end)) is not None
        ]
        return settle((*found, *read)) if read else found
