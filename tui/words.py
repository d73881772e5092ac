"""How numbers, times and other programs' words are written on a screen."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

_OBEYED: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that a terminal would obey, and those that turn the direction of what follows (UAX 9)."""

SOUGHT_CHARS: Final = 40
"""Of what is looked for, in a line that says what was found."""


def plain(text: str) -> str:
    """The text with each character that a terminal would obey shown as its number, on one line."""
    return _OBEYED.sub(lambda found: ascii(found[0])[1:-1], text)


def brief(text: str, most: int) -> str:
    """So much of it at most, plain: of more the beginning, and `…`."""
    shown = plain(text[: most + 1])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def clock(at: datetime) -> str:
    """The time of day here: `14:03:59`."""
    return at.astimezone().strftime("%H:%M:%S")


def day(at: datetime) -> str:
    """Day and time here: `2026-11-30 14:03:59`."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def lasted(ms: float) -> str:
    """A time that something took: `12 ms`, `1.24 s`, `41.0 s`, `3:07`."""
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < 10_000:
        return f"{ms / 1000:.2f} s"
    if ms < 60_000:
        return f"{ms / 1000:.1f} s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    return f"{minutes}:{seconds:02}"


def short(number: float) -> str:
    """A count in few characters: `950`, `1.2k`, `34k`, `1.2M`."""
    for limit, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= limit:
            scaled = number / limit
            return f"{scaled:.1f}{unit}" if scaled < 10 else f"{scaled:.0f}{unit}"
    return f"{number:.0f}"


def size(bytes_: float) -> str:
    """A size: `512 B`, `4.1 kB`, `2.3 MB`."""
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if bytes_ >= limit:
            return f"{bytes_ / limit:.1f} {unit}"
    return f"{bytes_:.0f} B"


def money(usd: float) -> str:
    """A sum: `$0`, `<$0.0001`, `$0.0042`, `$1.20`. What is more than nothing is never shown as nothing."""
    if usd == 0:
        return "$0"
    if 0 < usd < 0.00005:
        return "<$0.0001"
    return f"${usd:.4f}" if usd < 0.1 else f"${usd:.2f}"


def energy(joules: float) -> str:
    """Work: `12 J`, `3.4 kJ`."""
    return f"{joules:.0f} J" if joules < 1000 else f"{joules / 1000:.1f} kJ"


def share(part: float, whole: float) -> str:
    """A part of a whole: `92 %`; a dash of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 request`, `3 requests`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
