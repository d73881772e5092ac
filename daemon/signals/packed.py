"""Texts packed as base64 or hex within a text: unpacked, and looked at like the others.

`bWFyYUBub3JkaG9mLmNvbQ==` tells whose it is to everybody who can decode it. What is packed and holds a find is masked as a
whole, since a part of it can't be replaced without another coding. What doesn't unpack to readable text is left alone: most
long runs are names, digests and keys, and eighteen bytes of those are hardly ever all readable.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found, Kind, TextRule
from daemon.signals.overlaps import settle

_RUN: Final = re.compile(
    r"[A-Za-z0-9+/_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{20,}){0,400}(?:\r?\n[A-Za-z0-9+/_-]{1,75})?={0,2}"
)
"""Also in lines, as mail and PEM have it."""
_HEX: Final = re.compile(r"(?:[2-7][0-9a-fA-F]|0[9aAdD]|[cC][23][89abAB][0-9a-fA-F])+")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_FEEDS: Final = str.maketrans("", "", "\r\n")
_SAMPLE: Final = 24
MOST_CHARS: Final = 100_000
"""Of one run; what is longer is a file and not a value."""


class Unpacked:
    """A rule that also looks at what is packed in a text."""

    def __init__(self, rule: TextRule) -> None:
        self.signal: str = rule.signal
        self.kind: Kind = rule.kind
        self._rule = rule

    def find(self, text: str) -> tuple[Found, ...]:
        """All hits, in order, none inside another."""
        found = self._rule.find(text)
        packed = [
            Found(start, end, hits[0].label, max(hit.score for hit in hits))
            for start, end, inside in unpacked(text)
            if (hits := self._rule.find(inside))
        ]
        return settle((*found, *packed)) if packed else found


def unpacked(text: str) -> Iterator[tuple[int, int, str]]:
    """Where something readable is packed, and what it says."""
    for run in _RUN.finditer(text):
        if run.end() - run.start() > MOST_CHARS:
            continue
        written = run[0].translate(_FEEDS)
        inside = _from_hex(written) or _from_base64(written)
        if inside is None and "\n" in run[0]:
            yield from _line_by_line(run)
        elif inside is not None:
            yield run.start(), run.end(), inside


def _line_by_line(run: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    at = run.start()
    for line in run[0].split("\n"):
        written = line.rstrip("\r")
        if len(written) >= 20 and (inside := _from_hex(written) or _from_base64(written)):
            yield at, at + len(written), inside
        at += len(line) + 1


def _from_hex(written: str) -> str | None:
    if len(written) % 2 or not _HEX.fullmatch(written):
        return None
    return _readable(bytes.fromhex(written))


def _from_base64(written: str) -> str | None:
    """Without padding too. The first characters tell whether the others need be decoded."""
    standard = written.translate(_URL_SAFE).rstrip("=")
    if len(standard) % 4 == 1 or _decoded(standard[:_SAMPLE]) is None:
        return None
    return _decoded(standard)


def _decoded(standard: str) -> str | None:
    try:
        return _readable(b64decode(standard + "=" * (-len(standard) % 4), validate=True))
    except binascii.Error:
        return None


def _readable(unpacked: bytes) -> str | None:
    """As text, if it is one. A sample may end within a character."""
    try:
        text = unpacked.decode()
    except UnicodeDecodeError as error:
        if error.start < len(unpacked) - 3:
            return None
        text = unpacked[: error.start].decode()
    return text if all(letter.isprintable() or letter in "\t\r\n" for letter in text) else None
