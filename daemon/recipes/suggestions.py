"""What was probably meant by a name that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN = 12
"""Of the names that there are, if none is near."""


def suggestion(written: str, known: Iterable[str], otherwise: str = "there are") -> str:
    """A remedy: the nearest name, or the names that there are."""
    names = list(known)
    if close := get_close_matches(written, names, n=1, cutoff=0.6):
        return f"did you mean `{close[0]}`?"
    return f"{otherwise} {listed(names)}" if names else "there are none: define it"


def listed(names: list[str]) -> str:
    """Some names."""
    return ", ".join(f"`{name}`" for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
