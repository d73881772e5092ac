"""The family `code`: names in code that are the user's own, looked for where a policy asks for it.

What is found in one text is a name in all of them, so each is looked for as a whole word in every text of the conversation.
A name that a tool, a JSON key or another text that can't be changed holds is left alone: a request that names it once
where nothing can be replaced would otherwise never leave.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, Span
from daemon.signals.code.names import LABEL, CodeNames, identifiers
from daemon.signals.overlaps import folded
from daemon.signals.parts import Parts
from daemon.signals.per_text import PerText
from providers.texts import Field

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
        texts = tuple(field for field in asked.fields if field.path.startswith(_SAID) and not field.fixed)
        seen = self._all.look(Asked(asked.request, texts, asked.until))
        spans = [span for each in seen for span in each.spans]
        by_path = {field.path: field.text for field in texts}
        fixed = folded("\n".join(field.text for field in asked.fields if field.fixed))
        names = {by_path[span.path][span.start : span.end] for span in spans}
        names = {name for name in names if folded(name) not in fixed}
        if not names:
            return []
        kept = [span for span in spans if by_path[span.path][span.start : span.end] in names]
        kept += _others(texts, names, kept)
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=self.signal,
                label=LABEL,
                value=float(len(kept)),
                spans=tuple(sorted(kept, key=lambda span: (span.path, span.start))),
                took_ms=took_ms,
                scanned=sum(each.scanned for each in seen),
                validated=False,
            )
        ]


def _others(texts: tuple[Field, ...], names: set[str], found: list[Span]) -> list[Span]:
    """Where a name stands that was found elsewhere: as a whole word in the same case, and no word of a longer name."""
    inside = {(span.path, place) for span in found for place in range(span.start, span.end)}
    return [
        Span(field.path, start, start + len(name), LABEL)
        for field in texts
        for start, name in identifiers(field.text)
        if name in names and (field.path, start) not in inside
    ]
