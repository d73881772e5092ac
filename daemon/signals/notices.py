"""Names in the notice of an open licence: whoever passes the text on has to pass them on, so they are no secret.

A notice is the run of lines without an empty one around the words by which a licence grants something to everybody. What is
free in it are its lines that say who holds the rights or who wrote it. Without such words around it, such a line is a find
like any other.
"""

from __future__ import annotations

import re
from typing import Final

_GRANTS: Final = re.compile(
    r"permission (?:is hereby granted|to use, copy)|gnu (?:lesser |library |affero )?general public|"
    r"redistribution and use in source|"
    r"licensed (?:to the apache|to psf|under (?:the )?(?:apache|mit|bsd|mozilla|isc|gnu|gpl|psf|terms|a 3-clause))|"
    r"released under (?:the )?(?:apache|mit|bsd|mozilla|isc|gnu|gpl|psf)|(?:mit|bsd|isc|apache|psf|"
    r"mozilla public|python) licen[sc]e|"
    r"spdx-license-identifier: (?:mit|apache|bsd|isc|mpl|gpl|lgpl|psf|0bsd|cc0|unlicense|zlib|boost|bsl-1)|public domain|"
    r"disclaims? all warranties|without any warranty|free software foundation|open.?source licen[sc]e|contributor agreement"
)
_CREDITS: Final = re.compile(
    r"copyright|\(c\)|©|\bauthors?\b|(?:written|contributed|created|developed) by|all rights reserved|"
    r"foundation, inc|disclaims?|"
    r"in no event shall|in advertising|the names? of|franklin st"
)
_EMPTY: Final = re.compile(r"\n[ \t]*\n")
MOST_CHARS: Final = 6_000
"""Of a notice: the longest short licences have 2,000."""


def notices(lower: str) -> list[tuple[int, int]]:
    """Where credits in notices stand, line by line and in order. lower: the text in small letters."""
    found: list[tuple[int, int]] = []
    if not any(word in lower for word in ("licen", "permission", "warrant", "public domain", "software foundation")):
        return found
    done = 0
    for grant in _GRANTS.finditer(lower):
        if grant.end() <= done:
            continue
        start = max(0, grant.start() - MOST_CHARS)
        for empty in _EMPTY.finditer(lower, start, grant.start()):
            start = empty.end()
        end = _EMPTY.search(lower, grant.end(), grant.end() + MOST_CHARS)
        at, done = max(start, done), end.start() if end else min(len(lower), grant.end() + MOST_CHARS)
        while at < done:
            line_end = lower.find("\n", at, done)
            line_end = line_end if line_end >= 0 else done
            if _CREDITS.search(lower, at, line_end):
                found.append((at, line_end))
            at = line_end + 1
    return found
