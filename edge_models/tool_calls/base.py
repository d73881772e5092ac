"""The contract of a model family's way of writing tool calls, and the reader that finds them in an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from edge_models.engines.base import Call

Piece = str | Call


class Family(Struct, frozen=True):
    """How models of one family write calls.

    marks: strings of which one stands in the chat template of such a model. opens: strings that begin a block of calls;
    first: only where the answer begins. closes: what ends a block; empty: the end of the answer. calls: a block's calls, its
    opening included and its closing not; None if it is not one, and then it is text.
    """

    name: str
    marks: tuple[str, ...]
    opens: tuple[str, ...]
    closes: tuple[str, ...]
    calls: Callable[[str], list[Call] | None]
    first: bool = False


class CallReader:
    """Reads one answer that comes in pieces. Text goes through as soon as it can't be the beginning of a call."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._held = ""
        self._inside = False
        self._said = False

    def feed(self, text: str) -> list[Piece]:
        """Take a piece, return what is certain now."""
        self._held += text
        pieces: list[Piece] = []
        while self._advance(pieces, last=False):
            pass
        return pieces

    def finish(self) -> list[Piece]:
        """The answer is over: a block without its end is still read."""
        pieces: list[Piece] = []
        while self._advance(pieces, last=True):
            pass
        return pieces

    def _advance(self, pieces: list[Piece], last: bool) -> bool:
        """Take one step through what is held. Returns whether there may be another."""
        return self._through_block(pieces, last) if self._inside else self._through_text(pieces, last)

    def _through_text(self, pieces: list[Piece], last: bool) -> bool:
        place = self._opening()
        if place is None:
            keep = 0 if last else self._doubtful()
            self._say(pieces, self._held[: len(self._held) - keep])
            self._held = self._held[len(self._held) - keep :]
            return False
        self._say(pieces, self._held[:place])
        self._held = self._held[place:]
        self._inside = True
        return True

    def _through_block(self, pieces: list[Piece], last: bool) -> bool:
        found = [(place, close) for close in self._family.closes if (place := self._held.find(close)) >= 0]
        if not found and not last:
            return False
        end, close = min(found) if found else (len(self._held), "")
        block, whole = self._held[:end], self._held[: end + len(close)]
        self._held = self._held[end + len(close) :]
        self._inside = False
        calls = self._family.calls(block)
        if calls is None:
            self._say(pieces, whole)
        else:
            pieces += calls
            self._said = True
        return bool(self._held)

    def _opening(self) -> int | None:
        """Where a block begins in what is held."""
        if self._family.first:
            start = len(self._held) - len(self._held.lstrip())
            begins = not self._said and self._held.startswith(self._family.opens, start)
            return start if begins else None
        places = [place for opening in self._family.opens if (place := self._held.find(opening)) >= 0]
        return min(places, default=None)

    def _doubtful(self) -> int:
        """Length of the tail that may be the beginning of an opening."""
        if self._family.first:
            bare = self._held.lstrip()
            may_be = not self._said and any(opening.startswith(bare) for opening in self._family.opens)
            return len(self._held) if may_be else 0
        longest = max(len(opening) for opening in self._family.opens) - 1
        for length in range(min(longest, len(self._held)), 0, -1):
            tail = self._held[-length:]
            if any(opening.startswith(tail) for opening in self._family.opens):
                return length
        return 0

    def _say(self, pieces: list[Piece], text: str) -> None:
        if text:
            pieces.append(text)
            self._said = self._said or bool(text.strip())


class _Written(Struct, frozen=True):
    """A call as most families write it."""

    name: str
    arguments: Any = None
    parameters: Any = None


_decode_one: Callable[[str], _Written] = msgspec.json.Decoder(_Written).decode
_decode_some: Callable[[str], list[_Written]] = msgspec.json.Decoder(list[_Written]).decode


def from_json(text: str) -> list[Call] | None:
    """Calls written as a JSON object, or a list of them. None if the text isn't that."""
    text = text.strip()
    try:
        written = _decode_some(text) if text.startswith("[") else [_decode_one(text)]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    calls = [_call(each) for each in written]
    return [call for call in calls if call] if calls and all(calls) else None


def _call(written: _Written) -> Call | None:
    """None if its arguments are no object. Some write the object once more as a string."""
    arguments = written.arguments if written.arguments is not None else written.parameters
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None
    if arguments is None:
        arguments = {}
    return Call(written.name, msgspec.json.encode(arguments).decode()) if isinstance(arguments, dict) else None
