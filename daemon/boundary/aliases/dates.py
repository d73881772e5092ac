"""Aliases of dates: another day of another year, written as the value is where it is written in numbers or in English."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from daemon.boundary.aliases.base import MAX_CHARS, Roll

_FIRST: Final = date(1931, 1, 1)
_FIRST_OF_2000: Final = date(2000, 1, 1)
_DAYS: Final = 7_300
_NUMBER: Final = re.compile(r"\d+")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTH: Final = re.compile(rf"\b(?:{'|'.join(f'{month[:3]}(?:{month[3:]})?' for month in _MONTHS)})\b", re.IGNORECASE)


def day(value: str, roll: Roll) -> str:
    """A day of the other century: `, 19` alone would be four characters of a value."""
    dice = roll(value.casefold())
    made = (_FIRST_OF_2000 if "19" in value else _FIRST) + timedelta(days=dice.below(_DAYS))
    numbers = _NUMBER.findall(value)
    if len(numbers) == 3 and (year := next((n for n, each in enumerate(numbers) if len(each) == 4), None)) is not None:
        ordered = [f"{made.month:02}", f"{made.day:02}"]
        if year == 2 and int(numbers[0]) > 12:
            ordered.reverse()
        ordered.insert(year, f"{made.year}")
        written = iter(ordered)
        laid_out = _NUMBER.sub(lambda _: next(written), value)
    elif len(numbers) == 2 and (month := _MONTH.search(value)):
        name = _MONTHS[made.month - 1]
        laid_out = _NUMBER.sub(lambda found: f"{made.year}" if len(found[0]) == 4 else f"{made.day}", value)
        laid_out = _MONTH.sub(name if len(month[0]) > 3 else name[:3], laid_out)
    else:
        laid_out = made.isoformat()
    return laid_out if len(laid_out) <= MAX_CHARS else made.isoformat()
