"""What further answers to the same question say of one that was given.

Theory of operation. A few more answers of the same model are drawn and compared with the first by their form; answers in
prose have none, and are compared by how like they are (`prose.py`). That they
agree speaks for it, that there are many kinds speaks against it; how much, beside what the first one shows by itself, is
weighed by a regression on recordings (`certifying/agreement_fit.py`), and calibrated by family like a single answer.

Recordings have SAMPLES further answers to each question. Here they are drawn one by one, and no longer than they can decide:
`reach` says between which probabilities all of them can end, whatever those still to come will be. Whoever stops where both
ends lie on one side of a threshold decides as if all had been drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from daemon.confidence.calibration import Calibration
from daemon.confidence.families import Family
from daemon.confidence.features import Features
from daemon.confidence.prose import SAME

SAMPLES: Final = 3
"""Further answers at most."""
TEMPERATURE: Final = 0.7
"""At which they are drawn, here and in recordings."""
TOKENS: Final = 64
"""Of an answer short enough to be asked for again, and of each further one."""
COMPARED: Final[frozenset[Family]] = frozenset({"choice", "number", "yes_no", "short", "reading", "structured", "code"})
"""Families whose answers have a form to compare them by."""
LIKENED: Final[frozenset[Family]] = frozenset({"prose"})
"""Families whose answers have none, and are compared by how like they are."""


class Further(Struct, frozen=True):
    """samples: how many were drawn. agreeing: those of the first answer's form, or how like it they are in sum. kinds: how
    many different ones there are, the first's too.
    """

    samples: int = 0
    agreeing: float = 0
    kinds: int = 1


class Ends(Struct, frozen=True):
    """Where the probability ends, once all are drawn, at least and at most."""

    least: float
    most: float


class Agreed(Struct, frozen=True):
    """labels: of a family, which calibrated and tested it. error, brier: as in a FamilyProfile."""

    labels: int
    calibration: Calibration
    error: float
    brier: float


class Agreement(Struct, frozen=True):
    """Weights of a single answer's log-odds, of how many agree with it, and of how many kinds there are. families: what
    comes of it in each. by: who told how like answers are, and has to tell it where this counts; empty: their form does.
    """

    odds: float
    agreeing: float
    kinds: float
    families: dict[Family, Agreed]
    by: str = ""

    def weighed(self, odds: float, further: Further) -> float:
        """Log-odds of both together, before calibration. odds: the scorer's, of the single answer."""
        return self.odds * odds + self.agreeing * further.agreeing + self.kinds * further.kinds

    def reach(self, odds: float, family: Family, further: Further) -> Ends | None:
        """Between which probabilities it ends. None for a family that nothing is known of."""
        known = self.families.get(family)
        if known is None:
            return None
        left = SAMPLES - further.samples
        least = Further(SAMPLES, further.agreeing, further.kinds + left)  # all others: each of a kind of its own
        most = Further(SAMPLES, further.agreeing + left, further.kinds)
        stated = [known.calibration.probability(self.weighed(odds, each)) for each in (least, most)]
        return Ends(stated[0], stated[1])


def compared(form: str, others: Sequence[str]) -> Further:
    """Answers by their forms. form: the first one's, not empty."""
    return Further(len(others), sum(other == form for other in others), len({form, *others}))


class Kinds:
    """Answers in prose, sorted into kinds as they come: one that is like none of those before is of a kind of its own."""

    def __init__(self, first: str) -> None:
        self.each = [first]
        """One answer of each kind, the first one's first."""
        self.samples = 0
        self._alike = 0.0

    def take(self, text: str, likenesses: Sequence[float]) -> Further:
        """With one more answer. likenesses: of it to each of `each`, in [0, 1]."""
        self.samples += 1
        self._alike += likenesses[0]
        if max(likenesses) < SAME:
            self.each.append(text)
        return Further(self.samples, self._alike, len(self.each))


def is_comparable(seen: Features, family: Family) -> bool:
    """Whether an answer is whole, short, and of a kind that further ones can be held against."""
    return seen.ended is True and seen.tokens <= TOKENS and family in COMPARED | LIKENED
