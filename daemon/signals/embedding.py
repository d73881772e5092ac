"""Likeness of what the user said last, or of the pictures with it, to a rule's examples.

A score at or over a rule's threshold is a match. Where no rule gets that far, the best of them matches softly from
`Scales.softly` on, as upstream has it; but of several hard matches upstream tells one (`top_k` 1), which hides the
others from conditions that ask for them: here all of them are told.

Of pictures (`query_modality: image`) the likest counts, where upstream looks at the first alone. A picture's likeness is a
cosine in the space of the user's own vision-text model (`[signals] pictures`), and a threshold is one of that space: nothing
is mapped, and nothing matches softly. Without that model, or where no picture could be looked at, such a rule says so.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

from msgspec.structs import replace

from daemon.recipes.signals import Embedding, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, unreadable
from daemon.signals.opening import NO_MODEL, Unread
from daemon.signals.parts import Parts
from daemon.signals.picture_likeness import best, last_pictures
from daemon.signals.vectors import UPSTREAMS, Scoring
from providers.contract import Image

_ALL: Final = 1_000_000
_MEAN: Final = Scoring(weight=0.0, top=_ALL)
"""The mean over all representatives (`aggregation_method: mean`); upstream's `max` and `any` change nothing."""


class Likeness:
    """The signal. Its value is the likeness, matched or not."""

    signal = "embedding"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.embeddings
        self._scales = parts.scales
        self._pictures = parts.pictures
        self.lane: Lane = "models" if rules.embeddings else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule about words, if there are any, and about pictures likewise."""
        of_words = [rule for rule in self._rules if rule.query_modality != "image"] if asked.words.strip() else []
        of_pictures = [rule for rule in self._rules if rule.query_modality == "image"]
        images = last_pictures(asked) if of_pictures else []
        seen = [self._look(rule, asked) for rule in of_words]
        if seen:
            self._match_softly(seen, of_words, asked)
        return seen + [self._look_at(rule, images) for rule in of_pictures if images]

    def _match_softly(self, seen: list[Observation], rules: list[Embedding], asked: Asked) -> None:
        if not any(each.matched and each.error is None for each in seen):
            place = max(range(len(seen)), key=lambda place: seen[place].value or 0.0)
            if seen[place].error is None and self._is_soft(rules[place], seen[place].value or 0.0, asked, len(rules)):
                seen[place] = replace(seen[place], matched=True)

    def _is_soft(self, rule: Embedding, score: float, asked: Asked, rules: int) -> bool:
        softly = self._scales.softly(asked.words, rule.candidates, _scoring(rule), rules)
        return softly is not None and score >= softly

    def _look(self, rule: Embedding, asked: Asked) -> Observation:
        if rule.query_modality == "audio":
            return unreadable(self, rule.name, "NotText")
        began = perf_counter()
        scored = self._scales.scored(asked.words, rule.candidates, _scoring(rule))
        score = scored.score
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            score=min(1.0, max(0.0, score)),
            value=score,
            matched=score >= rule.threshold,
            took_ms=(perf_counter() - began) * 1000,
            scanned=len(asked.words),
            held=scored.held(rule.threshold),
        )

    def _look_at(self, rule: Embedding, images: list[Image]) -> Observation:
        began = perf_counter()
        try:
            if self._pictures is None:
                raise Unread(NO_MODEL)
            score, unseen = best(self._pictures, images, rule.candidates, _scoring(rule))
            if unseen is not None and score < rule.threshold:
                raise unseen  # the rule hangs on a picture that nobody could look at
        except Unread as why:
            return unreadable(self, rule.name, why.code)
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            score=min(1.0, max(0.0, score)),
            value=score,
            matched=score >= rule.threshold,
            took_ms=(perf_counter() - began) * 1000,
        )


def _scoring(rule: Embedding) -> Scoring:
    return _MEAN if rule.aggregation_method == "mean" else UPSTREAMS
