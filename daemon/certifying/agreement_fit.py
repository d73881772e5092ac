"""Learning what further answers say: weights on one part of a recording, calibrations on another, errors on the third."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from daemon.certifying.recording import Row
from daemon.certifying.scorer_fit import one_way
from daemon.confidence.calibration import brier, calibrate, expected_error
from daemon.confidence.families import FAMILIES
from daemon.confidence.further import SAMPLES, Agreed, Agreement, Further, is_comparable
from daemon.confidence.scorer import Scorer

FEWEST: Final = 20
"""Labels of a family in a part, without which nothing is said of it."""
_HELD: Final = 3.0
"""The pull of each weight towards 0. They are on numbers of a few units; families' starts are pulled a tenth of it."""
WORTH_DRAWING: Final = 0.5
"""What all agreeing has to be above all disagreeing, in log-odds: with less, further answers decide next to nothing."""
_DIRECTIONS: Final = (1, 1, -1)
"""Of log-odds, agreeing answers and kinds."""


def fit_agreement(
    learn: Sequence[Row], between: Sequence[Row], held: Sequence[Row], scorer: Scorer
) -> Agreement | None:
    """None where too few rows have SAMPLES further answers, or those say next to nothing.

    Only whole, short answers count, of which further ones are drawn when it matters. Families' starts are fitted beside the
    weights and left out: each family's calibration has its own.
    """
    learn, between, held = ([row for row in rows if _counts(row)] for rows in (learn, between, held))
    if len(learn) < FEWEST:
        return None
    numbers = [(scorer.score(row.seen, row.family), row.agreeing, row.kinds) for row in learn]
    members = [[float(row.family == family) for family in FAMILIES] for row in learn]
    table = np.hstack([np.array(numbers), np.array(members), np.ones((len(learn), 1))])
    pull = np.concatenate([np.full(len(_DIRECTIONS), _HELD), np.full(len(FAMILIES), _HELD / 10), [1e-6]])
    weights = one_way(table, np.array([float(row.right) for row in learn]), pull, _DIRECTIONS).tolist()
    odds, agreeing, kinds = (round(weight, 6) for weight in weights[:3])
    if (agreeing - kinds) * SAMPLES < WORTH_DRAWING:
        return None
    bare = Agreement(odds, agreeing, kinds, {})
    families = {}
    for family in FAMILIES:
        own, test = ([row for row in rows if row.family == family] for rows in (between, held))
        if len(own) >= FEWEST and len(test) >= FEWEST:
            families[family] = _agreed(own, test, bare, scorer)
    return Agreement(odds, agreeing, kinds, families) if families else None


def _counts(row: Row) -> bool:
    return row.samples == SAMPLES and bool(row.form) and is_comparable(row.features, row.family)


def weighed(rows: Sequence[Row], agreement: Agreement, scorer: Scorer) -> list[float]:
    """Log-odds of each row with its further answers, before calibration."""
    return [
        agreement.weighed(scorer.score(row.seen, row.family), Further(row.samples, row.agreeing, row.kinds))
        for row in rows
    ]


def _agreed(own: list[Row], test: list[Row], agreement: Agreement, scorer: Scorer) -> Agreed:
    calibration = calibrate(weighed(own, agreement, scorer), [row.right for row in own])
    stated = [calibration.probability(odds) for odds in weighed(test, agreement, scorer)]
    right = [row.right for row in test]
    return Agreed(
        labels=len(own) + len(test),
        calibration=calibration,
        error=round(expected_error(stated, right), 4),
        brier=round(brier(stated, right), 4),
    )
