"""Scripts that put no blanks between words: where a number or a Latin word stands among them, it ends all the same.

`010-4829-7713로` and `电话13817294406` hold a number as `tel 13817294406` does, but for a pattern that asks for the end of a
word both go on. So patterns look at a text in which each such letter beside an ASCII one is a blank, at the same length.
Most texts have none of these letters, or a few: only the lines that have are looked at for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

Region: TypeAlias = tuple[int, int]
"""Start and end, in characters."""
LETTERS: Final = "\u3005\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
"""Han, kana and Hangul."""
AROUND_CHARS: Final = 200
"""So far at each side of such a letter, in lines that are longer."""
_BESIDE: Final = re.compile(rf"(?<=[0-9A-Za-z])[{LETTERS}]|[{LETTERS}](?=[0-9A-Za-z+(])")
_RUN: Final = re.compile(rf"[{LETTERS}]+")


def regions(text: str) -> Sequence[Region]:
    """Stretches that hold all such letters of a text, in order and apart."""
    found: list[Region] = []
    if text.isascii():
        return found
    at = 0
    while run := _RUN.search(text, at):
        start = max(text.rfind("\n", at, run.start()) + 1, run.start() - AROUND_CHARS, at)
        end = text.find("\n", run.end())
        end = min(end if end >= 0 else len(text), run.end() + AROUND_CHARS)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        at = end
    return found


def opened(text: str, where: Sequence[Region]) -> str:
    """The text with blanks where those scripts meet ASCII, at the same length."""
    pieces: list[str] = []
    at = 0
    for start, end in where:
        pieces += (text[at:start], _BESIDE.sub(" ", text[start:end]))
        at = end
    return "".join((*pieces, text[at:]))
