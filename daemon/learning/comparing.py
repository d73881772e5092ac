"""Whether two answers to one question say the same, where that can be told without asking anybody.

What is told has to be right, since models are held to it; so anything between the same and something else is nothing.
"""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.confidence.canonical import canonical, plain
from daemon.confidence.families import Family
from daemon.loopers.agreement import marked

COMPARABLE: Final = frozenset[Family]({"choice", "number", "yes_no", "short", "structured"})
LONGEST_CHARS: Final = 4000
"""Of an answer that is compared: one this long is no short one."""
MOST_WORDS: Final = 12
"""That carry a short answer: more of them say more than one thing."""
_TURNING: Final = frozenset({"no", "not", "never", "none", "neither", "nor", "or", "but"})
"""Words that turn what stands beside them."""
_FILLING: Final = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "it",
        "its",
        "this",
        "that",
        "these",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "by",
        "with",
        "from",
        "as",
        "and",
        "so",
        "i",
        "you",
        "he",
        "she",
        "they",
        "we",
        "answer",
        "correct",
        "would",
        "called",
        "known",
        "named",
    ]
)
"""Words that sentences are made with, and that carry no answer."""


def same(one: str, other: str, family: Family, question: str) -> bool | None:
    """None: they can't be compared. question: its text, whose options and words answers repeat."""
    if family not in COMPARABLE or max(len(one), len(other)) > LONGEST_CHARS:
        return None
    match family:
        case "structured":
            value, its = _value(one), _value(other)
            return None if value is None or its is None else value == its
        case "short":
            return _same_words(_short(one), _short(other), frozenset(plain(question).split()))
        case _:
            first, second = (canonical(_short(text), family, question) for text in (one, other))
            return first == second if first and second else None


def _short(text: str) -> str:
    """The result, where an answer marks one."""
    return marked(text) or text


def _same_words(one: str, other: str, asked: frozenset[str]) -> bool | None:
    first, second = plain(one), plain(other)
    if first == second:
        return True if first else None
    few, more = sorted((_carrying(first, asked), _carrying(second, asked)), key=len)
    if not few or len(more) > MOST_WORDS or (few & _TURNING) != (more & _TURNING):
        return None
    if few <= more:
        return True
    return None if few & more else False


def _carrying(text: str, asked: frozenset[str]) -> set[str]:
    return {word for word in text.split() if word not in asked and word not in _FILLING}


def _value(text: str) -> bytes | None:
    """JSON in one way of writing."""
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        return msgspec.json.encode(msgspec.json.decode(bare), order="sorted")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
