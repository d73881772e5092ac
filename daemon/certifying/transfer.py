"""What a profile is worth for another setup's answers to the same questions: another file, another engine.

A profile holds for the setup that it was recorded on. This is the test of that rule: scores, calibration and promises of
one setup are held against another one's answers, beside what its own profile makes of them. Neither profile was made of the
questions it is tested on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from daemon.certifying.agreement_fit import FEWEST
from daemon.certifying.fit import CALIBRATE, LEARN, PROMISE, part_of
from daemon.certifying.recording import Row
from daemon.certifying.report import ALL, RESAMPLES, RISKS, Parted, above, parted, stated
from daemon.confidence.calibration import brier, expected_error
from daemon.confidence.guarantee import DELTA, certify
from edge_models.training.metrics import Estimate, auroc, estimate

Array = NDArray[np.float64]


class Paired(Struct, frozen=True):
    """One question of both recordings. first: the first setup's answer, by its own profile. carried: the other one's answer,
    by the first one's profile. own: the same answer, by its own.
    """

    first: Parted
    carried: Parted
    own: Parted


class Alike(Struct, frozen=True):
    """How near two setups are. asked: questions that both answered; formed: those where both answers have a form; same: of
    these, where it is the same; only_first, only_other: questions that one alone has right.
    """

    asked: int
    formed: int
    same: int
    right: tuple[int, int]
    only_first: int
    only_other: int


class Carried(Struct, frozen=True):
    """The other setup's answers of a family. own, carried: AUROC by its own profile and by the first one's; lost: the
    difference, on the same answers. errors, briers: expected calibration error and Brier score, in the same order; None
    where nothing is calibrated.
    """

    family: str
    rows: int
    right: int
    own: Estimate | None
    carried: Estimate | None
    lost: Estimate | None
    errors: tuple[float, float] | None
    briers: tuple[float, float] | None


class Moved(Struct, frozen=True):
    """The first setup's promise, believed of the other one. promised: share of its calibrations that promised anything.
    broken: shares of all of them in which more was wrong than promised, on the first one's answers and on the other one's.
    kept: the share of the other one's answers that stayed, where anything was promised.
    """

    family: str
    risk: float
    promised: float
    broken: tuple[float, float]
    kept: float


def alike(first: Sequence[Row], other: Sequence[Row]) -> Alike:
    """Two recordings, by the questions that stand in both."""
    there = {row.id: row for row in other}
    pairs = [(row, there[row.id]) for row in first if row.id in there]
    formed = [(one, two) for one, two in pairs if one.form and two.form]
    return Alike(
        asked=len(pairs),
        formed=len(formed),
        same=sum(one.form == two.form for one, two in formed),
        right=(sum(one.right for one, _ in pairs), sum(two.right for _, two in pairs)),
        only_first=sum(one.right and not two.right for one, two in pairs),
        only_other=sum(two.right and not one.right for one, two in pairs),
    )


def paired(first: Sequence[Row], other: Sequence[Row]) -> list[Paired]:
    """The third part of the questions that both answered."""
    learn, between = ([row for row in first if part_of(row.id) == part] for part in (LEARN, CALIBRATE))
    carried = stated(learn, between, [row for row in other if part_of(row.id) == PROMISE])
    here, own = ({part.row.id: part for part in parted(rows)} for rows in (first, other))
    return [
        Paired(here[part.row.id], part, own[part.row.id])
        for part in carried
        if part.row.id in here and part.row.id in own
    ]


def carried(pairs: Sequence[Paired]) -> Iterator[Carried]:
    """By family, and over all."""
    families = defaultdict(list)
    for pair in pairs:
        families[pair.own.row.family].append(pair)
    for family, own in (*sorted(families.items()), (ALL, list(pairs))):
        if len(own) >= FEWEST:
            yield _carried(family, own)


def _carried(family: str, pairs: list[Paired]) -> Carried:
    right = np.array([float(pair.own.row.right) for pair in pairs])
    own, moved = (np.array(scores) for scores in zip(*((p.own.score, p.carried.score) for p in pairs), strict=True))
    enough = bool(right.any() and not right.all())
    known = [
        (pair.own.probability, pair.carried.probability, pair.own.row.right)
        for pair in pairs
        if pair.own.probability is not None and pair.carried.probability is not None
    ]
    errors = briers = None
    if len(known) >= FEWEST:
        by_own, by_first, truth = zip(*known, strict=True)
        errors = (expected_error(by_own, truth), expected_error(by_first, truth))
        briers = (brier(by_own, truth), brier(by_first, truth))
    return Carried(
        family=family,
        rows=len(pairs),
        right=int(right.sum()),
        own=estimate(auroc, right, own) if enough else None,
        carried=estimate(auroc, right, moved) if enough else None,
        lost=estimate(_lost, right, own, moved) if enough else None,
        errors=errors,
        briers=briers,
    )


def _lost(right: Array, own: Array, moved: Array) -> float:
    return auroc(right, own) - auroc(right, moved)


def moved(
    pairs: Sequence[Paired],
    risks: Sequence[float] = RISKS,
    delta: float = DELTA,
    resamples: int = RESAMPLES,
    seed: int = 7,
) -> Iterator[Moved]:
    """Calibrations drawn from the first setup's answers with replacement; their true risk over all of each setup's."""
    chance = np.random.default_rng(seed)
    families = defaultdict(list)
    for pair in pairs:
        if pair.first.probability is not None and pair.carried.probability is not None:
            families[pair.first.row.family].append((pair.first, pair.carried))
    for family, own in sorted(families.items()):
        if len(own) < FEWEST * 3:
            continue
        first, there = (np.array([parts[place].probability for parts in own], np.float64) for place in (0, 1))
        right, right_there = (np.array([parts[place].row.right for parts in own]) for place in (0, 1))
        for risk in risks:
            counts = np.zeros(4)
            for _ in range(resamples):
                rows = chance.integers(0, len(own), len(own))
                threshold = certify(first[rows].tolist(), right[rows].tolist(), risk, delta).threshold
                if threshold is None:
                    continue
                stays, stays_there = first >= threshold, there >= threshold
                counts += (
                    1,
                    above(right[stays], risk),
                    above(right_there[stays_there], risk),
                    float(stays_there.mean()),
                )
            promised, broken, broken_there, kept = counts.tolist()
            shares = broken / resamples, broken_there / resamples
            yield Moved(family, risk, promised / resamples, shares, kept / max(promised, 1))
