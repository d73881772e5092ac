"""The family `picture`: what pictures are, as far as this machine saw that, for the boundary alone.

A picture has each class that it may well be: what is delicate already at a low probability, since a passport that is taken
for a receipt has left. What can be read, screenshots and charts among it, is so only where that is sure; of everything else
nobody is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import perf_counter
from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, Span
from daemon.signals.parts import Parts
from providers.contract import Sight
from providers.texts import carried

IDENTITY: Final = "identity_document"
MEDICAL: Final = "medical_picture"
PHOTO: Final = "photo"
EXPLICIT: Final = "explicit_picture"
READABLE: Final = "readable_picture"
UNSURE: Final = "picture"

SURE: Final = 0.7
"""From here on a picture is of a kind, or of one of those that can be read, taken together."""
MAY_BE: Final = {IDENTITY: 0.067, MEDICAL: 0.2, PHOTO: 0.4}
"""From here on it may be: what stays here in `balanced` is taken for itself far below what is sure. For identity documents
this is the shipped model's own, by which it finds 98 of 100 that it hasn't seen.
"""
MAY_BE_EXPLICIT: Final = 0.4
_KINDS: Final = {IDENTITY: "identity_document", MEDICAL: "medical", PHOTO: "photo"}
_READABLE: Final = ("receipt", "document", "code_screenshot", "chart", "ui")
_MACHINE_READABLE: Final = re.compile(r"^(?=(?:[^\n<]*<){5})[A-Z0-9<«‹ ]{28,}$", re.MULTILINE)
"""A line of a passport's zone that machines read (ICAO 9303): of capitals, digits and the filler."""


class PictureKinds:
    """One observation for each class, with the pictures' places, which have no length."""

    signal = "picture"
    kind = Kind.PRIVACY
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._guard = parts.guard

    def look(self, asked: Asked) -> list[Observation]:
        """What each picture may be that was looked at."""
        if not self._guard:
            return []
        began = perf_counter()
        places: dict[str, list[Span]] = {}
        scores: dict[str, float] = {}
        for path, part in carried(asked.request):
            for label, score in classes(part.sight) if part.sight is not None else ():
                places.setdefault(label, []).append(Span(path, 0, 0, label, fixed=True))
                scores[label] = max(scores.get(label, 0.0), score)
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=self.signal,
                label=label,
                score=min(scores[label], 1.0),
                value=float(len(spans)),
                spans=tuple(spans),
                took_ms=took_ms,
            )
            for label, spans in places.items()
        ]


def classes(sight: Sight) -> Iterator[tuple[str, float]]:
    """Those of one picture, one at least, with how sure they are."""
    delicate = {label: sight.kinds.get(kind, 0.0) for label, kind in _KINDS.items()}
    if _MACHINE_READABLE.search(sight.text):
        delicate[IDENTITY] = 1.0
    yield from ((label, score) for label, score in delicate.items() if score >= MAY_BE[label])
    if sight.explicit is not None and sight.explicit >= MAY_BE_EXPLICIT:
        yield EXPLICIT, sight.explicit
    readable = sum(sight.kinds.get(kind, 0.0) for kind in _READABLE)
    may_be_identity = MAY_BE[IDENTITY] <= delicate[IDENTITY] < SURE
    if readable >= SURE and not may_be_identity:
        yield READABLE, readable
    elif may_be_identity or max(delicate.values()) < SURE:
        yield UNSURE, 1.0 - max(*delicate.values(), readable)
