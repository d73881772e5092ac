"""The family `doubt`: what isn't plain words, and values that are spread over texts. It looks where a policy asks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from time import perf_counter
from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, Span
from daemon.signals.parts import Parts
from daemon.signals.per_text import PerText
from daemon.signals.plain_words import PlainWords
from daemon.signals.shipped import shipped_words

SPREAD: Final = "SPREAD_VALUE"
_CHAIN: Final = re.compile(r"\d(?:[\W_]{0,6}\d){5,}|(?<![^\W_])[^\W_](?:[\W_]{1,6}[^\W_](?![^\W_])){2,}")
"""Six digits, or three single letters or digits, with no word between them."""


class Doubts:
    """One observation for each class of doubt, with its places. Without a rule of its own in recipes."""

    signal = "doubt"
    kind = Kind.PRIVACY

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._on = self.signal in parts.reduce
        self._shelf = parts.dictionary
        self._words = self._shelf.rule
        self._all = PerText(PlainWords(shipped_words, self._words.words))
        self.lane: Lane = "models" if self._on else "rules"  # the vocabularies take a moment to read

    def look(self, asked: Asked) -> list[Observation]:
        """What is in doubt."""
        if not self._on:
            return []
        if self._words is not (words := self._shelf.rule):
            self._words, self._all = words, PerText(PlainWords(shipped_words, words.words))
        return [*self._all.look(asked), *self._spread(asked)]

    def _spread(self, asked: Asked) -> Iterator[Observation]:
        began = perf_counter()
        spans = tuple(_chains(asked))
        if spans:
            yield Observation(
                signal=self.signal,
                kind=self.kind,
                name=self.signal,
                label=SPREAD,
                value=float(len(spans)),
                spans=spans,
                took_ms=(perf_counter() - began) * 1000,
                scanned=sum(len(field.text) for field in asked.fields),
            )


def _chains(asked: Asked) -> Iterator[Span]:
    """Digits and single letters that go on from one text to the next, as places in each of these texts."""
    begins: list[int] = []
    at = 0
    for field in asked.fields:
        begins.append(at)
        at += len(field.text) + 1
    whole = "\n".join(field.text for field in asked.fields)
    pieces = []
    number = 0
    for hit in _CHAIN.finditer(whole):
        while number + 1 < len(begins) and begins[number + 1] <= hit.start():
            number += 1
        each = number
        while each < len(begins) and begins[each] < hit.end():
            field = asked.fields[each]
            start, end = max(hit.start() - begins[each], 0), min(hit.end() - begins[each], len(field.text))
            if start < end:
                pieces.append(Span(field.path, start, end, SPREAD, field.fixed))
            each += 1
    for _, same in groupby(pieces, key=lambda span: (span.path, span.start)):
        yield next(same)
