"""How hard a request is.

By a rule's examples, as upstream has it: the margin is the likeness to hard ones less that to easy ones; over the threshold
it is hard, under its negative easy, else medium. A rule whose ends have no examples is answered by the trained head, whose
margin is P(hard) - P(easy).

Words in pictures are read as the question's own; beyond that, a margin is moved towards hard by how much there is to see
(`to_see`). A request without pictures has the margin of its words.

A rule with `image_candidates` at both ends has a second margin, of a picture's likeness to them in the space of the user's
vision-text model (`[signals] pictures`): of several pictures the one that is clearest counts, and as upstream has it the
larger of both margins decides. Without that model the words decide alone; where there are none, the rule says so.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Complexity, Signals
from daemon.signals.base import Asked, Held, Kind, Lane, Observation, unreadable
from daemon.signals.opening import NO_MODEL, Unread
from daemon.signals.parts import Parts
from daemon.signals.picture_likeness import last_pictures, scored
from daemon.signals.to_see import harder, to_see
from daemon.signals.vectors import UPSTREAMS
from providers.contract import Image

HEAD: Final = "complexity"


class Complexities:
    """The signal: `RULE:easy`, `RULE:medium` or `RULE:hard`. Its value is the margin, its score the margin's size."""

    signal = "complexity"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.complexity
        self._parts = parts
        self.lane: Lane = "models" if rules.complexity else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule that has something to look at."""
        if not self._rules:
            return []
        images = last_pictures(asked) if any(map(_by_pictures, self._rules)) else []
        wordy = bool(asked.words.strip())
        return [
            self._look(rule, asked, images if _by_pictures(rule) else [])
            for rule in self._rules
            if wordy or (images and _by_pictures(rule))
        ]

    def _look(self, rule: Complexity, asked: Asked, images: list[Image]) -> Observation:
        began = perf_counter()
        margin, held, of_picture = 0.0, None, None
        try:
            if asked.words.strip():
                margin, held = self._margin(rule, asked)
                margin = harder(margin, to_see(asked))
            if images:
                of_picture = self._margin_of(rule, images, needed=not asked.words.strip())
        except Unread as why:
            return unreadable(self, rule.name, why.code)
        if of_picture is not None and abs(of_picture) > abs(margin):
            margin, held = of_picture, None
        level = "hard" if margin > rule.threshold else "easy" if margin < -rule.threshold else "medium"
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            label=level,
            score=min(1.0, abs(margin)),
            value=margin,
            took_ms=(perf_counter() - began) * 1000,
            scanned=len(asked.words),
            validated=_by_examples(rule)
            or (held is None and margin == of_picture)
            or self._parts.heads.validated(HEAD),
            held=held,
        )

    def _margin_of(self, rule: Complexity, images: list[Image], needed: bool) -> float | None:
        """The clearest of some pictures. None: none could be looked at. needed: there is nothing else. Raises Unread."""
        model, margins, why = self._parts.pictures, [], Unread(NO_MODEL)
        for image in images if model is not None else ():
            assert model is not None
            try:
                hard, easy = (scored(model, image, end.image_candidates, UPSTREAMS) for end in (rule.hard, rule.easy))
            except Unread as unseen:
                why = unseen
                continue
            margins.append(hard - easy)
        if not margins and needed:
            raise why
        return max(margins, key=abs, default=None)

    def _margin(self, rule: Complexity, asked: Asked) -> tuple[float, Held | None]:
        if _by_examples(rule):
            scales = self._parts.scales
            hard, easy = (scales.scored(asked.words, end.candidates) for end in (rule.hard, rule.easy))
            mapped = hard.edge is not None
            return hard.score - easy.score, Held(hard.likeness - easy.likeness, rule.threshold) if mapped else None
        chances = self._parts.heads.whole(HEAD, asked.words, asked.in_time)
        return chances.get("hard", 0.0) - chances.get("easy", 0.0), None


def _by_pictures(rule: Complexity) -> bool:
    return bool(rule.hard.image_candidates and rule.easy.image_candidates)


def _by_examples(rule: Complexity) -> bool:
    return bool(rule.hard.candidates and rule.easy.candidates)
