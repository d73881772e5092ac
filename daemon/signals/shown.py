"""One picture or document of a request, as rules ask about it: yes, no, or that nobody knows and why."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from daemon.recipes.signals import Image as Rule
from daemon.recipes.signals import Mismatch
from daemon.recipes.values import Bounds
from daemon.signals.forward import NO_HEAD
from providers.contract import File, Image, Sight

UNSEEN: Final = "Unseen"
"""The error of a rule about a picture that nobody could look at."""
SURE: Final = 0.5
"""Of kinds and things together, where a rule says no threshold: then no other answer is as probable."""
PHOTO: Final = "photo"
OTHER: Final = "other"
OBJECT: Final = "object"
"""A thing in a photograph that is in no group."""


class Told(NamedTuple):
    """Whether something holds of a picture. holds: None: nobody knows, and `why` says the reason. score: how sure it is.
    label: of what.
    """

    holds: bool | None
    score: float = 1.0
    label: str | None = None
    why: str | None = None


class Shown(NamedTuple):
    """findings: labels and families of what privacy signals find in its words; None where that isn't known."""

    path: str
    part: Image | File
    findings: frozenset[str] | None = None

    @property
    def sight(self) -> Sight | None:
        return self.part.sight


def told(rule: Rule, shown: Shown) -> Told:
    """Whether a picture passes all of a rule's conditions but likeness and mismatch."""
    return together(test(rule, shown) for test in _TESTS)


def together(found: Iterable[Told]) -> Told:
    """All of them at once: what doesn't hold decides, then what nobody knows. It is as sure as the least sure."""
    score, label, unknown = 1.0, None, None
    for each in found:
        if each.holds is False:
            return each
        if each.holds is None:
            unknown = unknown or each
        score, label = min(score, each.score), label or each.label
    return unknown or Told(True, score, label)


def probable(chances: dict[str, float], names: Iterable[str], threshold: float) -> Told:
    """Whether it is one of some names. label: the likeliest of them."""
    wanted = {name: chances.get(name, 0.0) for name in names}
    score = min(1.0, sum(wanted.values()))
    return Told(score >= threshold, score, max(wanted, key=lambda name: wanted[name]))


def belongs(mismatch: Mismatch, sight: Sight | None, threshold: float) -> Told:
    """Whether a picture does *not* belong to a field. It has to be surely something else: what nobody is sure of, and what
    is of no kind, may belong. Of photographs their things count, where the field has any.
    """
    if sight is None:
        return Told(None, why=UNSEEN)
    if not sight.kinds:
        return Told(None, why=NO_HEAD)
    kind = max(sight.kinds, key=lambda name: sight.kinds[name])
    sure = sight.kinds[kind]
    if kind == OTHER or kind in mismatch.kinds or sure < threshold:
        return Told(False, sure, kind)
    if kind != PHOTO or not mismatch.things:
        return Told(True, sure, kind)
    if not sight.things:
        return Told(None, why=NO_HEAD)
    thing = max(sight.things, key=lambda name: sight.things[name])
    surely = min(sure, sight.things[thing])
    return Told(thing != OBJECT and thing not in mismatch.things and surely >= threshold, surely, thing)


def content(part: Image | File) -> bytes | None:
    """A picture's own bytes; None if it isn't carried in the request."""
    head, _, body = part.url.partition(",")
    if not head.startswith("data:") or not head.endswith(";base64"):
        return None
    try:
        return b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return None


def size_bytes(part: Image | File) -> int | None:
    """Of a picture's own bytes, without reading them; None if it isn't carried in the request."""
    head, _, body = part.url.partition(",")
    if not head.startswith("data:") or not head.endswith(";base64"):
        return None
    return len(body) * 3 // 4 - body.count("=", -2)


# ---- conditions -----------------------------------------------------------------------------------------------------


def _unseen(rule: Rule, shown: Shown) -> Told:
    return Told(True) if rule.unseen is None else Told((shown.sight is None) is rule.unseen)


def _bytes(rule: Rule, shown: Shown) -> Told:
    if rule.bytes is None:
        return Told(True)
    size = size_bytes(shown.part)
    return Told(None, why=UNSEEN) if size is None else Told(rule.bytes.hold(size))


def _within(bounds: Bounds | None, shown: Shown, number: Callable[[Sight], float | None]) -> Told:
    if bounds is None:
        return Told(True)
    if shown.sight is None:
        return Told(None, why=UNSEEN)
    value = number(shown.sight)
    return Told(None, why=NO_HEAD) if value is None else Told(bounds.hold(value))


def _formats(rule: Rule, shown: Shown) -> Told:
    if not rule.formats:
        return Told(True)
    if shown.sight is None:
        return Told(None, why=UNSEEN)
    return Told(shown.sight.form in {form.lower() for form in rule.formats}, label=shown.sight.form)


def _kinds(rule: Rule, shown: Shown) -> Told:
    return _shares(rule.kinds, rule, shown, lambda sight: dict(sight.kinds))


def _things(rule: Rule, shown: Shown) -> Told:
    if rule.things and shown.sight is not None and shown.sight.kinds and not shown.sight.things:
        return Told(False, 0.0)  # it was looked at, and is no photograph
    return _shares(rule.things, rule, shown, lambda sight: dict(sight.things))


def _shares(names: tuple[str, ...], rule: Rule, shown: Shown, chances: Callable[[Sight], dict[str, float]]) -> Told:
    if not names:
        return Told(True)
    if shown.sight is None:
        return Told(None, why=UNSEEN)
    found = chances(shown.sight)
    return probable(found, names, SURE if rule.threshold is None else rule.threshold) if found else _no_head()


def _explicit(rule: Rule, shown: Shown) -> Told:
    if rule.explicit is None:
        return Told(True)
    if shown.sight is None:
        return Told(None, why=UNSEEN)
    sure = shown.sight.explicit
    return _no_head() if sure is None else Told(sure >= rule.explicit, sure)


def _no_head() -> Told:
    return Told(None, why=NO_HEAD)


def _findings(rule: Rule, shown: Shown) -> Told:
    if not rule.findings:
        return Told(True)
    if shown.sight is None:
        return Told(None, why=UNSEEN)
    if shown.findings is None:
        return Told(None, why="Unscanned")
    found = [name for name in rule.findings if name in shown.findings]
    return Told(bool(found), label=found[0] if found else None)


_TESTS: Final[tuple[Callable[[Rule, Shown], Told], ...]] = (
    _unseen,
    _bytes,
    _formats,
    lambda rule, shown: _within(rule.words, shown, lambda sight: float(len(sight.text.split()))),
    lambda rule, shown: _within(rule.pixels, shown, lambda sight: float(sight.width * sight.height)),
    lambda rule, shown: _within(rule.pages, shown, lambda sight: float(sight.pages)),
    lambda rule, shown: _within(rule.detail, shown, lambda sight: sight.detail),
    _kinds,
    _things,
    _explicit,
    _findings,
)
