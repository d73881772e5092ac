"""Names in the notice of an open licence: whoever passes the text on has to pass them on, so they are no secret.

A notice is the run of lines without an empty one around the words by which a licence grants something to everybody. What is
free in it are its lines that say who holds the rights or who wrote it. Without such words around it, such a line is a find
like any other, unless it credits somebody with a mailbox at an open project, which stands in each of its commits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_GRANTS: Final = re.compile(
    r"permission (?:is hereby granted|to use, copy)|gnu (?:lesser |library |affero )?general public|"
    r"redistribution and use in source|"
    r"licensed (?:to the apache|to psf|under (?:the )?(?:apache|mit|bsd|mozilla|isc|gnu|gpl|psf|terms|a 3-clause))|"
    r"released under (?:the )?(?:apache|mit|bsd|mozilla|isc|gnu|gpl|psf)|(?:mit|bsd|isc|apache|psf|"
    r"mozilla public|python) licen[sc]e|"
    r"spdx-license-identifier: (?:mit|apache|bsd|isc|mpl|gpl|lgpl|psf|0bsd|cc0|unlicense|zlib|boost|bsl-1)|public domain|"
    r"(?:bsd|mit|apache)[- ]style licen[sc]e|licen[sc]e[_\"'*]{0,3} ?[:=] ?[\"']?(?:the )?"
    r"(?:mit|[0-9]-clause|(?:new |modified )?bsd|apache|isc|l?gpl|gnu|mpl|mozilla|psf|python)(?![a-z])|"
    r"disclaims? all warranties|without any warranty|no warranty|free software foundation|open.?source licen[sc]e|"
    r"contributor agreement"
)
_CREDITS: Final = re.compile(
    r"copyright|\(c\)|©|(?<![a-z])authors?(?![a-z])|(?:written|contributed|created|developed) by|all rights reserved|"
    r"foundation, inc|disclaims?|"
    r"in no event shall|in advertising|the names? of|franklin st"
)
_EMPTY: Final = re.compile(r"\n[ \t]*\n")
_PROJECTS: Final = re.compile(
    r"@(?:[a-z]{2,10}\.)?(?:(?:apache|archlinux|boost|debian|eclipse|fedoraproject|freebsd|freedesktop|gentoo|gnome|gnu|haskell|"
    r"ietf|kde|kernel|llvm|mozilla|netbsd|openbsd|openssl|perl|postgresql|python|ruby-lang|rust-lang|tug|w3|wikimedia|x)\.org|"
    r"php\.net|sourceforge\.net)(?![\w-]|\.\w)"
)
"""Behind the name of a mailbox at one."""
_CREDITED_BY: Final = re.compile(
    r"(?:written|contributed|created|developed|maintained|implemented|ported|modified|suggested|reported|patch) by|"
    r"(?<![a-z])(?:author|maintainer)s?(?![a-z])|signed-off-by|reviewed-by|co-authored-by|acked-by|copyright|\(c\)|©"
)
_CREDIT_CHARS: Final = 120
"""From the words of a credit to its mailbox, at most."""
MOST_CHARS: Final = 6_000
"""Of a notice: the longest short licences have 2,000."""


def notices(lower: str) -> list[tuple[int, int]]:
    """Where credits that are free stand, line by line, those of notices in order. lower: the text in small letters."""
    found = list(_credits_at_projects(lower)) if "@" in lower else []
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


def _credits_at_projects(lower: str) -> Iterator[tuple[int, int]]:
    for mailbox in _PROJECTS.finditer(lower):
        start = max(lower.rfind("\n", 0, mailbox.start()) + 1, mailbox.start() - _CREDIT_CHARS)
        end = lower.find("\n", mailbox.end())
        if _CREDITED_BY.search(lower, start, mailbox.start()):
            yield start, end if end >= 0 else len(lower)
