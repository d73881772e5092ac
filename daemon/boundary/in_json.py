"""Aliases in JSON turned back: in a tool call's arguments, and in answers that were asked for as JSON.

An alias may be written with escapes, and a value has to be written with those that its place asks for. Arguments are
JSON in a string, which may hold JSON in a string, and so on: they come here whole, each string is read as JSON reads it, and
turned back as the text that it is; one that is itself an object or a list is looked into first. A string in which nothing is
found stays as it was written, to the byte, and so does all that stands between strings, but for numbers. An answer is told
while it comes in, so only its own escapes are read.
"""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec

from daemon.boundary.restorer import Index, Restorer, restored_text

DEEPEST: Final = 16
"""Levels of JSON within JSON that are looked into; what is deeper is one text."""
_STRING: Final = re.compile(r'("(?:[^"\\]|\\.)*")', re.DOTALL)
_APART: Final = "\0"
"""Stands between strings that are looked through together: no alias has it."""
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CUT_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_NUMBER: Final = re.compile(r"-?\d[\d.eE+-]*")


def arguments_restored(text: str, index: Index) -> str:
    """Arguments with their aliases turned back. What is no JSON is one text."""
    return _text(text, index, 0)


class Answer:
    """A JSON answer that comes in pieces. Escapes that nobody needs are written out before aliases are looked for."""

    def __init__(self, index: Index) -> None:
        self._restorer = Restorer(index, lambda value: _written(value)[1:-1])
        self._cut = ""

    def feed(self, piece: str) -> str:
        """Take a piece, return what is certain."""
        text = self._cut + piece
        whole = len(text)
        if cut := _CUT_ESCAPE.search(text):
            backslashes = len(text[: cut.start()]) - len(text[: cut.start()].rstrip("\\"))
            whole = cut.start() if backslashes % 2 == 0 else len(text)
        self._cut = text[whole:]
        return self._restorer.feed(_ESCAPE.sub(_written_out, text[:whole]))

    def finish(self) -> str:
        """The text is over: what was held back is all there is."""
        cut, self._cut = self._cut, ""
        return self._restorer.feed(cut) + self._restorer.finish()


def _written_out(escape: re.Match[str]) -> str:
    if escape[2] == "/":
        return "/"
    if escape[1] is None:
        return escape[0]
    character = chr(int(escape[1], 16))
    return character if character.isprintable() and character not in '"\\' else escape[0]


def _text(text: str, index: Index, depth: int) -> str:
    return _strings(text, index, depth) if depth < DEEPEST and _is_json(text) else restored_text(text, index)


def _is_json(text: str) -> bool:
    """Whether a text is an object or a list."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)  # unlike msgspec it takes halves of surrogate pairs
    except (ValueError, RecursionError):
        return False
    return True


def _strings(text: str, index: Index, depth: int) -> str:
    """What is JSON: its strings, and what stands between them, in one go, since there may be thousands."""
    pieces = _STRING.split(text)  # strings stand at odd places
    said = [json.loads(piece) if place % 2 else piece for place, piece in enumerate(pieces)]
    inner = {
        place: _strings(each, index, depth + 1) for place, each in enumerate(said) if place % 2 and _opens(each, depth)
    }
    plain = ["" if place in inner else each for place, each in enumerate(said)]
    turned = restored_text(_APART.join(plain), index).split(_APART)
    if len(turned) != len(plain):  # there is one in a value
        turned = [restored_text(each, index) for each in plain]
    for place, back in enumerate(turned):
        back = inner.get(place, back)
        if place % 2:
            pieces[place] = pieces[place] if back == said[place] else _written(back)
        elif _NUMBER.sub("0", back) == _NUMBER.sub("0", said[place]):  # a number may be ours, if it stays one
            pieces[place] = back
    return "".join(pieces)


def _opens(text: str, depth: int) -> bool:
    return depth + 1 < DEEPEST and _is_json(text)


def _written(text: str) -> str:
    """A text as a string of JSON's."""
    try:
        return msgspec.json.encode(text).decode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(text)
