"""The tokens that a tool call is made of: its name, and the values of its arguments.

How sure a model is of a call can't be told from all of its tokens: brackets, keys and marks are near certain whatever is
called (as words of the question are in prose). It is the name and the values that could have been others (a study of
function calling, arXiv:2604.22985, scores these alone).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from providers.contract import Logprob

_SCALAR: Final = re.compile(rb'"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b', re.DOTALL)


def deciding(tokens: Sequence[Logprob], names: Sequence[str]) -> tuple[Logprob, ...]:
    """Those with a byte of a name or of a value. tokens: of the calls' whole blocks; names: of the tools called."""
    written = b"".join(token.piece for token in tokens)
    spans = _spans(written, names)
    kept, start = [], 0
    for token in tokens:
        end = start + len(token.piece)
        if any(start < last and first < end for first, last in spans):
            kept.append(token)
        start = end
    return tuple(kept)


def _spans(written: bytes, names: Sequence[str]) -> list[tuple[int, int]]:
    """Where names and values stand. A string in front of a colon is a key, and an empty one has no bytes but its quotes."""
    spans = []
    for found in _SCALAR.finditer(written):
        if found[2] is None:
            first, last = found.span(1) if found[1] is not None else found.span()
            spans.append((first, last) if last > first else found.span())
    place = 0
    for name in names:  # some families write it outside of JSON
        at = written.find(name.encode(), place)
        if at >= 0:
            place = at + len(name.encode())
            spans.append((at, place))
    return spans
