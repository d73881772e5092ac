"""The family `pii`: what has a pattern by rules, the user's own words, and persons, organisations and addresses by votes of
the token head.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from time import perf_counter
from typing import Final

from msgspec.structs import replace

from daemon.recipes.signals import Pii as PiiRule
from daemon.recipes.signals import Signals
from daemon.signals.as_read import InAnyWriting
from daemon.signals.base import UNSCANNED, Asked, Found, Kind, Lane, Observation, Span
from daemon.signals.mentions import mentions
from daemon.signals.notices import notices
from daemon.signals.opening import Unread
from daemon.signals.packed import Unpacked
from daemon.signals.parts import Parts
from daemon.signals.per_text import PerText
from daemon.signals.pii import Pii
from daemon.signals.public_names import (
    everybody_knows,
    is_form_only,
    is_made,
    looks_like_a_name,
    means_what_is_made,
)
from providers.texts import Field, seen_in

HEAD: Final = "pii"
_LABELS: Final = {"ADDRESS": "STREET_ADDRESS"}
"""The head's word to upstream's."""
_ORGANIZATION: Final = "ORGANIZATION"
_PERSON: Final = "PERSON"
_ADDRESS: Final = "ADDRESS"
THEIRS: Final = 0.9
"""Upstream's threshold, where neither rule nor module has one (v0.3)."""
_VOTED: Final = "messages["
"""Votes are asked for on what people and tools wrote, in pictures too; schemas and names of tools hold no prose."""


class PersonalData:
    """One observation for each type under the family's own name, with its places, if somebody guards them; and one for
    each rule and type that it doesn't allow, without places, since the same ones would count twice.
    """

    signal = "pii"
    kind = Kind.PRIVACY

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.pii
        self._guard = parts.guard
        self._heads = parts.heads if parts.votes else None
        self._all = PerText(InAnyWriting(Unpacked(Pii())))
        self._shelf = parts.dictionary
        self._words = self._shelf.rule
        self._own = PerText(InAnyWriting(self._words))
        self._scales = parts.scales
        self.lane: Lane = "models" if self._heads is not None and (self._guard or rules.pii) else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """What the rules see."""
        if not self._guard and not self._rules:
            return []
        found = [*self._all.look(asked), *self._in_dictionary(asked)]
        voted, failure = self._votes(asked, found)
        found = [*found, *voted]
        found += self._elsewhere(asked, found)
        named = [seen for rule in self._rules for seen in _allowed(rule, found, self._needed(rule))]
        return [*(found if self._guard else ()), *named, *failure]

    def _elsewhere(self, asked: Asked, found: list[Observation]) -> list[Observation]:
        """What was found, where it is written otherwise."""
        began = perf_counter()
        more = mentions(asked.fields, found)
        took_ms = (perf_counter() - began) * 1000
        return [self._observed(label, spans, took_ms) for label, spans in more.items()]

    def _observed(
        self, label: str, spans: list[Span], took_ms: float, score: float = 1.0, scanned: int = 0
    ) -> Observation:
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=self.signal,
            label=label,
            score=score,
            value=float(len(spans)),
            spans=tuple(spans),
            took_ms=took_ms,
            scanned=scanned,
        )

    def _in_dictionary(self, asked: Asked) -> list[Observation]:
        """What the user's own words are found in; what was found with other words isn't kept."""
        if self._words is not (words := self._shelf.rule):
            self._words, self._own = words, PerText(InAnyWriting(words))
        return self._own.look(asked)

    def _votes(self, asked: Asked, ruled: list[Observation]) -> tuple[list[Observation], list[Observation]]:
        """What the token head sees where no rule saw anything, and the failure if a text was not read whole.

        Without the head, or with one that nobody validated, there are no votes, as before there was one.
        """
        if self._heads is None:
            return [], []
        began = perf_counter()
        try:
            head = self._heads.head(HEAD)
        except Unread:
            return [], []
        if not head.validated:
            return [], []
        taken = {
            (span.path, place): span.label
            for seen in ruled
            for span in seen.spans
            for place in range(span.start, span.end)
        }
        spans: dict[str, list[Span]] = {}
        scores: dict[str, float] = {}
        scanned, whole = 0, True
        meant = cache(lambda word: any(means_what_is_made(field.text, word) for field in asked.fields))
        for field in asked.fields:
            if not _has_prose(field):
                continue
            reading = self._heads.in_english(field.text, asked.in_time)
            scanned += len(field.text)
            whole = whole and reading.whole
            free = notices(field.text.lower())
            for hit in _within_lines(field.text, reading.found.get(HEAD, ())):
                if hit.score < head.threshold or _touches(field, hit, taken) or _is_public(field, hit, meant):
                    continue
                if any(start <= hit.start < end for start, end in free):
                    continue
                label = _LABELS.get(hit.label, hit.label)
                spans.setdefault(label, []).append(Span(field.path, hit.start, hit.end, label, field.fixed))
                scores[label] = max(scores.get(label, 0.0), hit.score)
        took_ms = (perf_counter() - began) * 1000
        voted = [self._observed(label, places, took_ms, scores[label], scanned) for label, places in spans.items()]
        return voted, [] if whole else [self._unscanned()]

    def _needed(self, rule: PiiRule) -> float:
        """The share of votes that a rule asks for; what rules find is sure."""
        if not rule.threshold:
            return 0.0
        try:
            ours = self._heads.head(HEAD).threshold if self._heads else 1.0
        except Unread:
            ours = 1.0
        return min(rule.threshold, self._scales.bar(rule.threshold, THEIRS, ours))

    def _unscanned(self) -> Observation:
        return Observation(signal=self.signal, kind=self.kind, name=self.signal, error=UNSCANNED)


def _has_prose(field: Field) -> bool:
    said = field.path.startswith(_VOTED) and (not field.fixed or seen_in(field.path) is not None)
    return said and sum(map(str.isalpha, field.text[:200])) >= 3


def _is_public(field: Field, hit: Found, meant: Callable[[str], bool]) -> bool:
    """Whether it is nobody's own: what everybody knows, words that nothing makes a name of, a product."""
    name = field.text[hit.start : hit.end]
    if sum(map(str.isalpha, name)) < 2 and name.isascii():
        return True
    if hit.label in (_PERSON, _ORGANIZATION) and is_made(name, meant):
        return True
    if hit.label == _ORGANIZATION:
        return everybody_knows(name) or is_form_only(name) or not looks_like_a_name(name)
    return hit.label == _ADDRESS and not _may_be_an_address(name)


_POSTCODE: Final = re.compile(r"\d{4,6}|[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2}|[A-Z]\d[A-Z]\d[A-Z]\d")
"""What is one word of an address with digits: of Britain and Canada, or digits alone."""


_STREET: Final = re.compile(
    r"\b(?:st(?:reet)?|ave(?:nue)?|r(?:oa)?d|lane|ln|dr(?:ive)?|court|square|place|way|rue|calle|via|rua|plaza|platz|flat|apt|"
    r"suite|floor|boulevard|blvd|close|crescent|terrace|row|hill|park)\b|stra?sse|str\.|weg\b"
)


def _may_be_an_address(name: str) -> bool:
    """One word only as a postcode, which identifiers and digests aren't; in small letters only with a word for a street."""
    if " " not in name and "," not in name and name.isascii():
        return _POSTCODE.fullmatch(name) is not None
    return not name.isascii() or not name.islower() or _STREET.search(name) is not None


def _within_lines(text: str, found: Iterable[Found]) -> Iterator[Found]:
    """Finds cut at line feeds: what is masked over one would make one line of two."""
    for hit in found:
        at = hit.start
        for line in text[hit.start : hit.end].split("\n"):
            if line.strip():
                yield replace(hit, start=at, end=at + len(line))
            at += len(line) + 1


def _touches(field: Field, hit: Found, taken: Mapping[tuple[str, int], str]) -> bool:
    """Whether a rule saw something else there. Of the same class the head may see more, and then what both saw is masked."""
    label = _LABELS.get(hit.label, hit.label)
    return any(taken.get((field.path, place), label) != label for place in range(hit.start, hit.end))


def _allowed(rule: PiiRule, found: list[Observation], needed: float) -> list[Observation]:
    return [
        replace(seen, name=rule.name, spans=())
        for seen in found
        if seen.label not in rule.pii_types_allowed and seen.score >= needed
    ]
