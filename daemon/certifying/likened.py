"""How well it tells right prose from wrong that further answers are like the first one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from daemon.certifying.agreement_fit import FEWEST, counting, fit_weights, weighed
from daemon.certifying.fit import LEARN, part_of, scores
from daemon.certifying.recording import Row
from daemon.certifying.scorer_fit import fit_scorer
from daemon.certifying.within import gain, within
from edge_models.training.metrics import Estimate, estimate

_OURS: Final = "nearloop"
"""The author of questions of our own."""


class Likened(Struct, frozen=True):
    """Weights from some authors' questions, tried on others'. by: who told how like answers are. score: AUROC of the first
    answer's learned score; alike: of how like the further ones are it; both: of both; gain: over the score. Right and wrong
    answers are compared within a source only: between two, one would compare how hard sets are.
    """

    by: str
    learnt: str
    tested: str
    rows: int
    right: int
    score: Estimate
    alike: Estimate
    both: Estimate
    gain: Estimate


def likened(rows: Sequence[Row], prose: Sequence[Row]) -> Iterator[Likened]:
    """Our own questions by all others', and the other way round; nothing where there are too few, or none right or wrong.

    rows: whose score it is. prose: rows that know how like their further answers are.
    """
    learn = [row for row in rows if part_of(row.id) == LEARN]
    if len(learn) < FEWEST:
        return
    scorer = fit_scorer(learn)
    for by in sorted({row.alike_by for row in prose}):
        known = counting(prose, by)
        ours, theirs = ([row for row in known if (row.author == _OURS) == own] for own in (True, False))
        for learnt, tested, fit, test in (("others", "our own", theirs, ours), ("our own", "others", ours, theirs)):
            right = [float(row.right) for row in test]
            if min(len(fit), len(test)) < FEWEST or len(set(right)) < 2:
                continue
            score, both = scores(test, scorer), weighed(test, fit_weights(fit, scorer, by), scorer)
            sources = np.unique([row.source for row in test], return_inverse=True)[1]
            yield Likened(
                by=by,
                learnt=learnt,
                tested=tested,
                rows=len(test),
                right=int(sum(right)),
                score=estimate(within, right, score, sources),
                alike=estimate(within, right, [row.alike for row in test], sources),
                both=estimate(within, right, both, sources),
                gain=estimate(gain, right, both, score, sources),
            )
