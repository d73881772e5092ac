"""A judge's or a planner's answer, read strictly: one JSON object, or nothing."""

from __future__ import annotations

import json
from typing import Any, Final

_MOST_CHARS: Final = 100_000
_MOST_TRIES: Final = 64
"""Braces from which an object might begin."""
_decoder: Final = json.JSONDecoder()


def the_object(text: str) -> dict[str, Any] | None:
    """The one JSON object of a text, whatever words are around it; None if there is none, or several that differ.

    A judge that repeats an answer's made-up verdict beside its own has given two, and so none.
    """
    found: list[dict[str, Any]] = []
    at = text.find("{") if len(text) <= _MOST_CHARS else -1
    tries = 0
    while at >= 0 and (tries := tries + 1) <= _MOST_TRIES:
        try:
            value, end = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict) and value not in found:
                found.append(value)
        at = text.find("{", end)
    return found[0] if len(found) == 1 else None


def scores(text: str, names: tuple[str, ...], most: float = 10.0) -> dict[str, float] | None:
    """What a judge gives each of `names`, from 0 to 1; None unless it says exactly that."""
    said = the_object(text)
    given = said.get("scores", said) if said is not None else None
    if not isinstance(given, dict) or set(given) != set(names):
        return None
    found: dict[str, float] = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            return None
        found[name] = value / most
    return found


def confidence_of(text: str) -> float | None:
    """The grade from 0 to 1 that a verifier gives; None unless it says exactly that, with or without a reason."""
    said = the_object(text)
    if said is None or not {"confidence"} <= set(said) <= {"confidence", "reason"}:
        return None
    value = said["confidence"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)
