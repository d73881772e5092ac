"""The family `code`: names in code that are the user's own, looked for where a policy asks for it.

What is found in one text is a name in all of them, so each is looked for as a whole word in every text of the conversation.
A name that a tool, a JSON key or another text that can't be changed holds is left alone: a request that names it once
where nothing can be replaced would otherwise never leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, Span
from daemon.signals.code.kin import Kin, kin_of, owners, relatives, their_hosts
from daemon.signals.code.names import LABEL, CodeNames, identifiers
from daemon.signals.code.public import public_names
from daemon.signals.hosts import LABEL as HOST
from daemon.signals.overlaps import folded
from daemon.signals.parts import Parts
from daemon.signals.per_text import PerText
from providers.texts import Field, seen_in

_SAID: Final = "messages["
"""Descriptions of tools and ids of calls name nothing of the user's that their conversation doesn't."""


class NamesInCode:
    """One observation with all places, if a policy asks."""

    signal = "code"
    kind = Kind.PRIVACY
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._wanted = parts.guard and self.signal in parts.reduce
        self._all = PerText(CodeNames())

    def look(self, asked: Asked) -> list[Observation]:
        """What the rule sees, and where else it stands."""
        if not self._wanted:
            return []
        began = perf_counter()
        texts = tuple(field for field in asked.fields if field.path.startswith(_SAID) and not _is_fixed(field))
        seen = self._all.look(Asked(asked.request, texts, asked.until))
        spans = [span for each in seen for span in each.spans]
        by_path = {field.path: field.text for field in texts}
        fixed = folded("\n".join(field.text for field in asked.fields if _is_fixed(field)))
        names = {by_path[span.path][span.start : span.end] for span in spans}
        names = {name for name in names if folded(name) not in fixed}
        kin = _kin_of(texts, names)
        kept = [span for span in spans if by_path[span.path][span.start : span.end] in names]
        kept += _others(texts, names, kept)
        kept += [span for span in _kin(texts, kin) if folded(by_path[span.path][span.start : span.end]) not in fixed]
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=self.signal,
                label=label,
                value=float(len(places)),
                spans=tuple(sorted(places, key=lambda span: (span.path, span.start))),
                took_ms=took_ms,
                scanned=sum(each.scanned for each in seen),
                validated=False,
            )
            for label in (LABEL, HOST)
            if (places := [span for span in kept if span.label == label])
        ]


def _is_fixed(field: Field) -> bool:
    """Whether nothing can be done about a name there. In pictures it can be painted over."""
    return field.fixed and seen_in(field.path) is None


def _others(texts: tuple[Field, ...], names: set[str], found: list[Span]) -> list[Span]:
    """Where a name stands that was found elsewhere: as a whole word in the same case, and no word of a longer name."""
    inside = {(span.path, place) for span in found for place in range(span.start, span.end)}
    return [
        Span(field.path, start, start + len(name), LABEL)
        for field in texts
        for start, name in identifiers(field.text)
        if name in names and (field.path, start) not in inside
    ]


def _kin_of(texts: tuple[Field, ...], names: set[str]) -> Kin:
    domains = frozenset(owner for field in texts for owner in owners(field.text))
    return kin_of(names, domains, public_names())


def _kin(texts: tuple[Field, ...], kin: Kin) -> Iterator[Span]:
    """Where names that were found are said otherwise."""
    public = public_names()
    for field in texts:
        for start, end in relatives(field.text, kin, public):
            yield Span(field.path, start, end, LABEL)
        for start, end in their_hosts(field.text, kin):
            yield Span(field.path, start, end, HOST)
