"""Which requests are wanted: words of a search, and quick choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daemon import wire
from tui.requests import answer_of, name_of

Test = Callable[[wire.Record], bool]


def _escalated(record: wire.Record) -> bool:
    places = [attempt.place for attempt in record.attempts]
    return "device" in places and any(place != "device" for place in places)


QUICK: Final[dict[str, Test]] = {
    "all": lambda record: True,
    "stayed": lambda record: record.egress == "none",
    "left": lambda record: record.egress != "none",
    "escalated": _escalated,
    "not answered": lambda record: record.outcome != "answered",
}
"""In the order in which a key walks through them."""

_FIELDS: Final[dict[str, Callable[[wire.Record], str]]] = {
    "client": lambda record: record.client or "anyone",
    "model": lambda record: record.model,
    "by": lambda record: " ".join(name_of(each) for each in record.attempts),
    "left": lambda record: record.egress,
    "outcome": lambda record: record.outcome,
    "project": lambda record: record.project or "",
    "session": lambda record: record.session or "",
    "rule": lambda record: _rule(record),
    "protocol": lambda record: record.protocol,
    "found": lambda record: " ".join(each.label for each in (record.clearance.findings if record.clearance else ())),
    "picture": lambda record: " ".join(each.kind or each.error or "unknown" for each in record.pictures),
    "error": lambda record: record.error or "",
    "id": lambda record: record.id,
}
FIELDS: Final = tuple(_FIELDS)
"""What may stand before a colon."""


def _rule(record: wire.Record) -> str:
    if record.decision is None:
        return ""
    route = record.decision.route
    return f"{record.decision.rule} {route.recipe} {route.decision or ''}" if route else record.decision.rule


def wanted(text: str) -> Test:
    """A record has to hold each word: `client:zed masked slow:2` (longer than 2 s), `-word` for those without it."""
    tests = [_test(word) for word in text.lower().split()]
    return lambda record: all(test(record) for test in tests)


def _test(word: str) -> Test:
    if word.startswith("-") and len(word) > 1:
        inner = _test(word[1:])
        return lambda record: not inner(record)
    name, colon, rest = word.partition(":")
    if colon and name == "slow":
        return _slower(rest)
    if colon and name in _FIELDS:
        field = _FIELDS[name]
        return lambda record: rest in field(record).lower()
    return lambda record: any(word in field(record).lower() for field in _FIELDS.values())


def _slower(seconds: str) -> Test:
    try:
        limit_ms = float(seconds.removesuffix("s")) * 1000
    except ValueError:
        return lambda record: True  # still being typed
    return lambda record: record.took_ms > limit_ms


def is_local(record: wire.Record) -> bool:
    """Whether this machine answered."""
    answer = answer_of(record)
    return record.outcome == "answered" and answer is not None and answer.place == "device"
