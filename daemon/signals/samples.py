"""What documents, tests and templates are written with: `my-bucket`, `example`, digits counted up, one digit repeated.

Nobody has such a value, so it points at nobody. What somebody could have is none, however often documents hold it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_WORDS: Final = frozenset(
    """
    example examples sample samples foo bar baz qux foobar foobaz dummy placeholder lorem contoso fabrikam
    """.split()  # noqa: SIM905
)
"""Where nothing stands beside them: who calls a shop `example-shop` has one. Contoso and Fabrikam are Microsoft's."""
_OWNERS: Final = frozenset({"my", "your", "our", "their", "some", "any"})
"""Whose it is, at a name's beginning."""
_THINGS: Final = (
    "account|api|app|application|bucket|client|cluster|company|container|corp|customer|database|db|dbname|domain|host|"
    "hostname|instance|machine|name|namespace|network|org|organi[sz]ation|project|registry|repo|resource|schema|server|"
    "service|shop|site|storage|store|subdomain|table|team|tenant|user|vault|website|workspace"
)
_OWNED: Final = re.compile(rf"(?:my|your|some)(?:{_THINGS})s?\d{{0,3}}")
"""`myapp` and `yourdomain2`, but not `mysql`."""
_KINDS: Final = re.compile(rf"(?:(?:{_THINGS}|a|the|id|new|old|test|dev|prod|x|y)[-_]?\d{{0,3}}[-_.]?)+")
_SPLIT: Final = re.compile(r"[-_.@]")
_STAND_IN: Final = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)+")
_DIGITS: Final = "0123456789" * 3
_COUNTED_CHARS: Final = 6


def is_sample_name(name: str) -> bool:
    """Whether a name, in small letters, says that it is an example's or that whoever reads it has to put in his own."""
    words = _SPLIT.split(name)
    return (
        name in _WORDS
        or words[0] in _OWNERS
        or any(_OWNED.fullmatch(word) or (len(word) >= _COUNTED_CHARS and is_counted(word)) for word in words)
    )


def is_kind_only(name: str) -> bool:
    """Whether a name, in small letters, says nothing but what it is a name of: `company`, `bucket-1`, `test_db`."""
    return _KINDS.fullmatch(name) is not None


def is_stand_in(name: str) -> bool:
    """Whether it is written as templates write what has to be put in: `PROJECT_ID`."""
    return _STAND_IN.fullmatch(name) is not None


def is_counted(digits: str) -> bool:
    """Whether digits are one digit repeated, or counted up or down: `000000`, `123456`, `987654`."""
    return len(set(digits)) == 1 or (digits.isdecimal() and (digits in _DIGITS or digits[::-1] in _DIGITS))


def is_sample_number(digits: str) -> bool:
    """Whether nobody was given a number of so many digits: its last seven are one digit, or all of it is counted."""
    return len(set(digits[-7:])) == 1 or (len(digits) >= 9 and is_counted(digits))


_FICTION: Final = re.compile(r"(?:(?:1?[2-9]\d\d)?)55501\d\d")
"""555-0100 to 555-0199 of each area are kept for fiction (North American Numbering Plan, 555 line numbers)."""


def is_nobodys_number(digits: str) -> bool:
    """Whether a telephone number is a sample's, or of those that are kept for fiction."""
    return is_sample_number(digits) or _FICTION.fullmatch(digits) is not None


def is_sample_uuid(value: str) -> bool:
    """Whether each group is one sign repeated or is counted, or most of it is: `11111111-2222-…`, `12345678-1234-…`."""
    groups = value.split("-")
    counted = [is_counted(group) for group in groups]
    return all(counted) or (counted[0] and sum(counted) >= len(groups) - 2)


def is_sample_address(octets: tuple[int, ...]) -> bool:
    """Whether four numbers of an address are what comes to a writer's mind: `1.2.3.4`, `4.3.2.1`, `10.20.30.40`."""
    steps = {after - before for before, after in pairwise(octets)}
    return (
        len(steps) == 1 and octets[0] <= 12 and steps <= {-1, 0, 1, 10, 11, 22} and (0 not in steps or octets[0] < 10)
    )
