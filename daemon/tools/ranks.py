"""Which side effects are worse, and which keys a draft needs for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from daemon.settings import Effect, Keys

WORSE: Final[tuple[Effect, ...]] = ("read", "write", "execute", "network", "unknown", "irreversible")
STRICTER: Final[tuple[Keys, ...]] = ("usual", "surer", "two", "independent", "beyond")
NEEDED: Final[Mapping[Effect, Keys]] = {
    "read": "usual",
    "write": "surer",
    "execute": "two",
    "network": "two",
    "unknown": "independent",
    "irreversible": "independent",
}
"""Where the user says nothing else."""
DOUBT_LEFT: Final = 0.3
"""What part of the doubt that an answer may have a call that changes something may have: 3 % wrong writes where 10 % wrong
reads would do."""


def worst(effects: Iterable[Effect]) -> Effect:
    """Of several; nothing at all reads."""
    return max(effects, key=WORSE.index, default="read")


def keys_for(effect: Effect, own: Mapping[Effect, Keys]) -> Keys:
    """What a draft with such a call needs. own: the user's."""
    return own.get(effect, NEEDED[effect])


def doubt(keys: Keys) -> float:
    """What part of the doubt that any other draft may have, one with such calls may have."""
    return 1.0 if keys == "usual" else DOUBT_LEFT


def wants_second(keys: Keys) -> bool:
    """Whether sureness alone is not enough."""
    return STRICTER.index(keys) >= STRICTER.index("two")
