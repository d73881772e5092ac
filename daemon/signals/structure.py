"""The form of what the user said last: counts and densities of patterns, words and sequences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

from daemon.recipes.signals import Feature, Signals, Source, Structure
from daemon.recipes.values import Bounds
from daemon.signals.base import Asked, Kind, Lane, Observation, unreadable
from daemon.signals.parts import Parts

_CJK: Final = (
    (0x2E80, 0x2FFF),  # radicals
    (0x3040, 0x30FF),  # Kana
    (0x31F0, 0x31FF),  # Kana
    (0x3400, 0x9FFF),  # Han
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0x20000, 0x323AF),  # Han
)
_STEEPNESS: Final = 4.0
"""Of upstream's confidence: a sigmoid of the distance to the first bound of the predicate, 0.5 at least."""


def is_cjk(character: str) -> bool:
    """Whether it is a unit of its own."""
    code = ord(character)
    return code >= 0x2E80 and any(low <= code <= high for low, high in _CJK)


def units(text: str) -> int:
    """How much a text says, in units of any script: a run of letters and digits is one, and so is each CJK character."""
    count, inside = 0, False
    for character in text:
        if is_cjk(character):
            count, inside = count + 1, False
        elif character.isalnum():
            count, inside = count + (not inside), True
        else:
            inside = False
    return count


class StructureRules:
    """The signal. Its value is the feature's number, whether the rule matched or not."""

    signal = "structure"
    kind = Kind.ROUTE
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = tuple((rule, _measure(rule.feature)) for rule in rules.structure)

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule."""
        if not asked.words.strip():
            return []
        return [self._look(rule, measure, asked) for rule, measure in self._rules]

    def _look(self, rule: Structure, measure: Callable[[str], float], asked: Asked) -> Observation:
        began = perf_counter()
        try:
            value = measure(asked.words)
        except TimeoutError:
            return unreadable(self, rule.name, "TimeoutError")
        matched = value > 0 if rule.predicate is None else rule.predicate.hold(value)
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            score=_confidence(value, rule.predicate) if matched else 0.0,
            value=value,
            matched=matched,
            took_ms=(perf_counter() - began) * 1000,
            scanned=len(asked.words),
        )


def _confidence(value: float, predicate: Bounds | None) -> float:
    if predicate is None or not predicate.edges:
        return 1.0
    return 1 / (1 + math.exp(-_STEEPNESS * min(abs(value - predicate.edges[0]), 100.0)))


def _measure(feature: Feature) -> Callable[[str], float]:
    count = _count(feature.source)
    match feature.type:
        case "exists" | "sequence":
            return lambda text: float(count(text) > 0)
        case "density":
            return lambda text: count(text) / (units(text) or 1)
        case "count":
            return lambda text: float(count(text))


def _count(source: Source) -> Callable[[str], int]:
    match source.type:
        case "text_bytes":
            return lambda text: len(text.encode("utf-8", "surrogatepass"))
        case "regex":
            return _pattern_count(source.pattern or "", source.case_sensitive)
        case "keyword_set":
            return _word_count(source)
        case "sequence":
            return lambda text: int(any(_in_order(text, sequence, source) for sequence in source.sequences if sequence))


def _pattern_count(pattern: str, case_sensitive: bool) -> Callable[[str], int]:
    from daemon.signals.keywords.patterns import PATTERN_S, compiled  # 60 ms that recipes without patterns don't need

    ready = compiled(pattern, case_sensitive)
    return lambda text: sum(1 for _ in ready.finditer(text, timeout=PATTERN_S))


def _word_count(source: Source) -> Callable[[str], int]:
    words = [word if source.case_sensitive else word.lower() for word in source.keywords if word.strip()]

    def count(text: str) -> int:
        text = text if source.case_sensitive else text.lower()
        return sum(sum(1 for _ in _places(text, word)) for word in words)

    return count


def _places(text: str, word: str) -> Iterator[int]:
    """Where a word stands by itself; CJK words have no borders."""
    free = any(map(is_cjk, word))
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if free or (not (text[at - 1 : at].isalnum() if at else False) and not text[end : end + 1].isalnum()):
            yield at
        at = text.find(word, end)


def _in_order(text: str, sequence: tuple[str, ...], source: Source) -> bool:
    at = 0
    text = text if source.case_sensitive else text.lower()
    for marker in sequence:
        word = marker if source.case_sensitive else marker.lower()
        at = text.find(word, at)
        if at < 0:
            return False
        at += len(word)
    return True
