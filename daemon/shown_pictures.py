"""What a record tells of the pictures that a request carried: kinds, numbers and classes, and no word that was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from daemon import wire
from daemon.signals.base import Kind, Observation
from daemon.signals.shown import PHOTO, size_bytes
from providers.contract import Image, Request, Sight
from providers.texts import Carried, carried, seen_in

NOT_LOOKED: Final = "not-looked"
"""The code of a picture that nobody was asked to look at."""
MOST: Final = 40
"""In a record: agents send every screenshot of a session with each turn."""


def pictures_of(
    request: Request,
    observations: Iterable[Observation],
    unseen: Mapping[str, str] = {},
    took_ms: Mapping[str, float] = {},
) -> tuple[wire.Picture, ...]:
    """Of the newest pictures and documents of a request, in order.

    observations: of this very request, since places are told by paths. unseen: why nobody could look, took_ms: how long a
    look took, both by path.
    """
    there = carried(request)[-MOST:]
    if not there:
        return ()
    findings = _findings(observations)
    return tuple(_picture(each, findings.get(each.path, {}), unseen, took_ms.get(each.path)) for each in there)


def pictures_before(request: Request) -> int:
    """How many there are before those."""
    return max(0, len(carried(request)) - MOST)


def _picture(each: Carried, findings: dict[str, int], unseen: Mapping[str, str], took_ms: float | None) -> wire.Picture:
    path, part = each
    sight = part.sight
    what = wire.Picture(path=path, part="image" if isinstance(part, Image) else "file", size_bytes=size_bytes(part))
    if sight is None:
        return replace(what, took_ms=took_ms, error=unseen.get(path, NOT_LOOKED))
    kind, probability = _likeliest(sight.kinds)
    thing, share = _likeliest(sight.things) if kind == PHOTO else (None, None)
    return replace(
        what,
        form=sight.form,
        width=sight.width,
        height=sight.height,
        pages=sight.pages,
        kind=kind,
        probability=probability,
        thing=thing,
        thing_probability=share,
        words=_words(sight),
        findings=findings,
        explicit=sight.explicit,
        detail=sight.detail,
        took_ms=took_ms,
    )


def _words(sight: Sight) -> int:
    return len(sight.text.split())


def _likeliest(chances: Mapping[str, float]) -> tuple[str | None, float | None]:
    if not chances:
        return None, None
    name = max(chances, key=lambda each: chances[each])
    return name, round(chances[name], 4)


def _findings(observations: Iterable[Observation]) -> dict[str, dict[str, int]]:
    """By path: how many places of which class."""
    found: dict[str, dict[str, int]] = {}
    for seen in observations:
        for span in seen.spans if seen.kind is Kind.PRIVACY else ():
            if (path := seen_in(span.path)) is not None:
                labels = found.setdefault(path, {})
                labels[span.label] = labels.get(span.label, 0) + 1
    return found
