"""Comparing texts, and the settings of property tests over them."""

from __future__ import annotations

from typing import Final

from hypothesis import HealthCheck, settings

PATIENT: Final = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A machine that is busy is no failure; each example reads and writes a text several times."""


def in_order(short: str, long: str) -> bool:
    """Whether all characters of one text are in the other, in their order."""
    rest = iter(long)
    return all(character in rest for character in short)
