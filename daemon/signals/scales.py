"""Likeness on the scale that a recipe's thresholds were chosen on.

Theory of operation. A cosine means nothing by itself. Of texts that have nothing in common the shipped encoder's are
about 0.1; of encoders trained on the data that upstream's was (bge-m3's), users report 0.3 to 0.45. So a threshold of
0.75 is a door on one scale and a wall on the other. Not enough of upstream's encoder is published to match the scales
point by point, but two points of both are known. Equal texts are 1.0 everywhere. And likeness begins somewhere: upstream
says where on its scale (`min_score_threshold`, 0.5 unless a recipe says otherwise); on ours it is measured for each set
of examples, as the score that one in twenty requests of no kind in particular reaches (`background`). The straight line
through these two points is the map. Each set has its own, as in the verification of speakers (Z-norm): examples in
general words are near everything, those of a narrow subject near nothing, and only mapped scores of several rules can be
compared. What the map makes of strangers checks it: their 0.1 becomes 0.4, where such encoders have them.

Scores are mapped and thresholds left alone, so that sums, margins and bands of a recipe get numbers of the kind that they
were made for, too. `Scored` keeps what was measured.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

from daemon.recipes.embedder import Embedder
from daemon.signals.background import unlike
from daemon.signals.base import Held
from daemon.signals.vectors import UPSTREAMS, Scoring, Vectors

RARE: Final = 0.05
"""The share of general requests that reach the edge. Some of them do belong to the rule; so it is not less."""
_HIGHEST: Final = 0.95
"""An edge beyond it says that the encoder can't tell such texts apart; the line stays finite."""


_Key: TypeAlias = tuple[tuple[str, ...], Scoring, tuple[str, ...]]
"""Examples, how they are asked, and the requests beside them."""


class Scored(Struct, frozen=True):
    """score: on the recipe's scale. likeness: as measured. edge: where likeness begins on our scale; None: both are one."""

    score: float
    likeness: float
    edge: float | None = None
    related: float = 0.0

    def held(self, threshold: float | None) -> Held | None:
        """How it stands to a threshold of the recipe, for those who want to know why; None if nothing was mapped."""
        if self.edge is None:
            return None
        here = None if threshold is None else 1 - (1 - threshold) * (1 - self.edge) / (1 - self.related)
        return Held(self.likeness, threshold, here)


class Scales:
    """embedder: the one that thresholds are for; None: ours."""

    def __init__(self, vectors: Vectors, embedder: Embedder | None = None) -> None:
        self._vectors = vectors
        self._related = None if embedder is None or embedder.ours else embedder.related
        self._soft = _SOFT_HERE if embedder is None else embedder.related if embedder.soft else None
        self._grounds: dict[_Key, list[float]] = {}

    def scored(self, text: str, examples: tuple[str, ...], scoring: Scoring = UPSTREAMS) -> Scored:
        """How like examples a text is. Raises Unread."""
        likeness = self._vectors.bank(examples, scoring).score(self._vectors.of(text)).score
        if self._related is None:
            return Scored(likeness, likeness)
        return self._mapped(likeness, edge(self._ground(text, examples, scoring)))

    def softly(self, text: str, examples: tuple[str, ...], scoring: Scoring, rules: int) -> float | None:
        """The score from which on the best of several rules matches though it misses its threshold; None: it never does.

        The best of many gets over 0.5 by chance far more often than one does: so each of them has its part alone of the
        share of general requests that may. Where our own scale is used, it is 0.5. Raises Unread.
        """
        if self._related is None or self._soft is None:
            return self._soft
        ground = self._ground(text, examples, scoring)
        return max(self._soft, self._mapped(edge(ground, RARE / rules), edge(ground)).score)

    def _ground(self, text: str, examples: tuple[str, ...], scoring: Scoring) -> list[float]:
        """What general requests score with these examples, in order."""
        key = (examples, scoring, unlike(text))
        if key not in self._grounds:
            bank = self._vectors.bank(examples, scoring)
            self._grounds[key] = sorted(bank.score(each).score for each in self._vectors.ground(key[2]))
        return self._grounds[key]

    def alike(self, text: str, other: str) -> Scored:
        """How like each other two texts are. Raises Unread."""
        if text.strip() == other.strip():
            return Scored(1.0, 1.0)
        likeness = self._vectors.likeness(text, other)
        if self._related is None:
            return Scored(likeness, likeness)
        requests = unlike(text)
        key: _Key = ((), UPSTREAMS, requests)
        if key not in self._grounds:
            self._grounds[key] = sorted(self._vectors.pairs(requests))
        return self._mapped(likeness, edge(self._grounds[key]))

    def bar(self, threshold: float, theirs: float, ours: float) -> float:
        """A recipe's threshold of a classifier's score, for ours. theirs, ours: where either says yes if nobody says more.

        What is as strict there as the default is as strict as our default here; 0 and 1 are the same, and between them it
        goes straight.
        """
        if self._related is None:
            return threshold
        if threshold <= theirs:
            return threshold * ours / theirs
        return 1 - (1 - threshold) * (1 - ours) / (1 - theirs)

    def _mapped(self, likeness: float, at: float) -> Scored:
        assert self._related is not None
        score = 1 - (1 - likeness) * (1 - self._related) / (1 - at)
        return Scored(max(-1.0, score), likeness, at, self._related)


_SOFT_HERE: Final = 0.5
"""On our own scale, for recipes that are written for it."""


def edge(ordered: list[float], share: float = RARE) -> float:
    """The score that the rare ones of general requests reach. ordered: what they score, the lowest first."""
    return min(_HIGHEST, ordered[min(len(ordered) - 1, int(len(ordered) * (1 - share)))])
