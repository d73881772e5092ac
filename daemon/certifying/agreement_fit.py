"""Learning what further answers say: weights on one part of a recording, calibrations on another, errors on the third."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from daemon.certifying.recording import Row
from daemon.certifying.scorer_fit import one_way
from daemon.certifying.within import gain
from daemon.confidence.calibration import brier, calibrate, expected_error
from daemon.confidence.families import FAMILIES
from daemon.confidence.further import COMPARED, SAMPLES, Agreed, Agreement, Further, is_comparable
from daemon.confidence.scorer import Scorer
from edge_models.training.metrics import estimate

FEWEST: Final = 20
"""Labels of a family in a part, without which nothing is said of it."""
_HELD: Final = 3.0
"""The pull of each weight towards 0. They are on numbers of a few units; families' starts are pulled a tenth of it."""
WORTH_DRAWING: Final = 0.5
"""What all agreeing has to be above all disagreeing, in log-odds: with less, further answers decide next to nothing."""
_DIRECTIONS: Final = (1, 1, -1)
"""Of log-odds, agreeing answers and kinds."""


def fit_agreement(
    learn: Sequence[Row], between: Sequence[Row], held: Sequence[Row], scorer: Scorer, by: str = ""
) -> Agreement | None:
    """None where too few rows have SAMPLES further answers, or those say next to nothing.

    Only whole, short answers count, of which further ones are drawn when it matters. Families' starts are fitted beside the
    weights and left out: each family's calibration has its own. by: who told how like answers in prose are, which then are
    those that count, and have to add to what is told of rows that taught nothing; empty: those that have a form do.
    """
    learn, between, held = (counting(rows, by) for rows in (learn, between, held))
    if len(learn) < FEWEST:
        return None
    bare = fit_weights(learn, scorer, by)
    if (bare.agreeing - bare.kinds) * SAMPLES < WORTH_DRAWING or (by and not _tells([*between, *held], bare, scorer)):
        return None
    families = {}
    for family in FAMILIES:
        own, test = ([row for row in rows if row.family == family] for rows in (between, held))
        if len(own) >= FEWEST and len(test) >= FEWEST:
            families[family] = _agreed(own, test, bare, scorer)
    return replace(bare, families=families) if families else None


def fit_weights(learn: Sequence[Row], scorer: Scorer, by: str = "") -> Agreement:
    """The weights alone, whatever they are worth. learn: rows that count."""
    numbers = [(scorer.score(row.seen, row.family), *_further(row)) for row in learn]
    members = [[float(row.family == family) for family in FAMILIES] for row in learn]
    table = np.hstack([np.array(numbers), np.array(members), np.ones((len(learn), 1))])
    pull = np.concatenate([np.full(len(_DIRECTIONS), _HELD), np.full(len(FAMILIES), _HELD / 10), [1e-6]])
    weights = one_way(table, np.array([float(row.right) for row in learn]), pull, _DIRECTIONS).tolist()
    odds, agreeing, kinds = (round(weight, 6) for weight in weights[:3])
    return Agreement(odds, agreeing, kinds, {}, by)


def counting(rows: Sequence[Row], by: str = "") -> list[Row]:
    """Those that further answers would be drawn for. by: as above."""
    return [row for row in rows if row.samples == SAMPLES and _compares(row, by)]


def _compares(row: Row, by: str) -> bool:
    told = row.alike_by == by if by else bool(row.form) and row.family in COMPARED
    return told and is_comparable(row.features, row.family)


def _tells(rows: Sequence[Row], bare: Agreement, scorer: Scorer) -> bool:
    """Whether likeness surely tells more of these rows than the first answers alone: few rows can seem so by chance."""
    right = [float(row.right) for row in rows]
    sources = np.unique([row.source for row in rows], return_inverse=True)[1]
    alone = [scorer.score(row.seen, row.family) for row in rows]
    return len(set(right)) == 2 and estimate(gain, right, weighed(rows, bare, scorer), alone, sources).low > 0


def _further(row: Row) -> tuple[float, int]:
    """How many agree, and of how many kinds they are; by how like they are, where that was told."""
    return (row.alike, row.alike_kinds) if row.alike_by else (row.agreeing, row.kinds)


def weighed(rows: Sequence[Row], agreement: Agreement, scorer: Scorer) -> list[float]:
    """Log-odds of each row with its further answers, before calibration."""
    return [agreement.weighed(scorer.score(row.seen, row.family), Further(row.samples, *_further(row))) for row in rows]


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
