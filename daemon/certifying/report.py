"""What a recording says of sureness: how well it tells right from wrong, whether what is stated comes true, and whether a
promised bound holds. Every number has its baselines beside it, and an interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from daemon.certifying.agreement_fit import FEWEST
from daemon.certifying.fit import CALIBRATE, LEARN, PROMISE, cascade, part_of, scores
from daemon.certifying.recording import Row
from daemon.certifying.scorer_fit import fit_scorer
from daemon.certifying.within import Array, gain, within
from daemon.confidence.calibration import brier, calibrate, expected_error, sigmoid
from daemon.confidence.features import Features
from daemon.confidence.guarantee import DELTA, certify
from daemon.confidence.judgement import plain_score
from edge_models.training.metrics import Estimate, auroc, estimate

BASELINES: Final[dict[str, Callable[[Features], float]]] = {
    "length alone": lambda seen: -float(seen.tokens),
    "mean log-probability": lambda seen: seen.mean,
    "mean of answer tokens": lambda seen: seen.answer_mean,
    "plain score": plain_score,
}
RISKS: Final = (0.05, 0.10, 0.20, 0.40, 0.60, 0.80)
"""The last ones promise nothing worth having; they put the bound to the test where a weak model keeps no stricter one."""
RESAMPLES: Final = 1000
ALL: Final = "all"


class Parted(Struct, frozen=True):
    """Rows with what a scorer and calibration, which never saw them, state of each. probability: None where nothing is."""

    row: Row
    score: float
    probability: float | None


class Told(Struct, frozen=True):
    """How well right and wrong answers of a family are told apart. gain: over the mean log-probability, same rows."""

    family: str
    rows: int
    right: int
    learned: Estimate | None
    baselines: dict[str, Estimate | None]
    gain: Estimate | None
    error: float | None
    brier: float | None
    brier_plain: float | None
    """Of Platt's sigmoid on the mean log-probability alone."""


class Kept(Struct, frozen=True):
    """A promise, put to the test. certified: share of the calibrations that promised anything. violations: share of all in
    which the true risk, over all rows of the pool, was above the promised one. share: of answers kept, where promised.
    """

    family: str
    risk: float
    certified: float
    violations: float
    share: float


class Across(Struct, frozen=True):
    """A promise made on some authors' questions and kept on another's, or not. kept, wrong: on the other's."""

    family: str
    author: str
    risk: float
    promised: bool
    kept: int
    wrong: int
    rows: int

    @property
    def violated(self) -> bool:
        """Whether more of them were wrong than promised."""
        return self.kept > 0 and self.wrong / self.kept > self.risk


def parted(rows: Sequence[Row]) -> list[Parted]:
    """Each row of the third part, stated of by the other two: same authors, other questions."""
    learn, between, test = ([row for row in rows if part_of(row.id) == part] for part in (LEARN, CALIBRATE, PROMISE))
    return stated(learn, between, test)


def across_authors(rows: Sequence[Row]) -> list[Parted]:
    """Each row stated of by all other authors' rows: what is stated of questions of a kind that was never seen."""
    found = []
    for author in sorted({row.author for row in rows}):
        others = [row for row in rows if row.author != author]
        learn = [row for row in others if part_of(row.id) == LEARN]
        between = [row for row in others if part_of(row.id) != LEARN]
        found += stated(learn, between, [row for row in rows if row.author == author])
    return found


def set_apart(rows: Sequence[Row], test: Sequence[Row]) -> list[Parted]:
    """Rows of a set apart, stated of by all of a recording."""
    learn = [row for row in rows if part_of(row.id) == LEARN]
    return stated(learn, [row for row in rows if part_of(row.id) != LEARN], list(test))


def stated(learn: list[Row], between: list[Row], test: list[Row]) -> list[Parted]:
    """The rows of `test`, scored by what was learned of `learn`, calibrated on `between`. Empty if too few teach."""
    if len(learn) < FEWEST or not test:
        return []
    scorer = fit_scorer(learn)
    calibrations = {}
    for family in {row.family for row in test}:
        own = [row for row in between if row.family == family]
        if len(own) >= FEWEST:
            calibrations[family] = calibrate(scores(own, scorer), [row.right for row in own])
    return [
        Parted(row, score, calibrations[row.family].probability(score) if row.family in calibrations else None)
        for row, score in zip(test, scores(test, scorer), strict=True)
    ]


def told(parts: Sequence[Parted], between: Sequence[Row], apart: bool = False) -> Iterator[Told]:
    """By family, and over all. between: rows that a sigmoid on the mean log-probability is fitted on, for comparison.

    apart: whether each author's rows were stated of by other rows. Then right and wrong ones are compared within an author
    only: between two, one would compare the shares of right answers that two sets of others led to expect.
    """
    families = defaultdict(list)
    for part in parts:
        families[part.row.family].append(part)
    for family, own in (*sorted(families.items()), (ALL, list(parts))):
        if len(own) >= FEWEST:
            yield _told(family, own, [row for row in between if family in (ALL, row.family)], apart)


def _told(family: str, parts: list[Parted], between: list[Row], apart: bool) -> Told:
    authors = [part.row.author if apart else "" for part in parts]
    _, groups = np.unique(authors, return_inverse=True)
    right = np.array([float(part.row.right) for part in parts])
    learned = np.array([part.score for part in parts])
    base = {name: np.array([make(part.row.features) for part in parts]) for name, make in BASELINES.items()}
    mean = base["mean log-probability"]
    known = [part for part in parts if part.probability is not None]
    known = known if len(known) >= FEWEST else []
    stated = [part.probability or 0.0 for part in known]
    truth = [part.row.right for part in known]
    plain = calibrate([row.features.mean for row in between], [row.right for row in between]) if between else None
    enough = bool(right.any() and not right.all())
    return Told(
        family=family,
        rows=len(parts),
        right=int(right.sum()),
        learned=estimate(within, right, learned, groups) if enough else None,
        baselines={name: estimate(within, right, values, groups) if enough else None for name, values in base.items()},
        gain=estimate(gain, right, learned, mean, groups) if enough else None,
        error=expected_error(stated, truth) if known else None,
        brier=brier(stated, truth) if known else None,
        brier_plain=brier([plain.probability(p.row.features.mean) for p in known], truth) if plain and known else None,
    )


def kept(parts: Sequence[Parted], delta: float = DELTA, resamples: int = RESAMPLES, seed: int = 7) -> Iterator[Kept]:
    """Put promises to the test: calibrations drawn from the rows with replacement, their true risk over all rows."""
    chance = np.random.default_rng(seed)
    families = defaultdict(list)
    for part in parts:
        if part.probability is not None:
            families[part.row.family].append((part.probability, part.row.right))
    for family, own in sorted(families.items()):
        if len(own) < FEWEST * 3:
            continue
        stated, right = np.array([p for p, _ in own]), np.array([r for _, r in own])
        for risk in RISKS:
            certified = violations = 0
            share = 0.0
            for _ in range(resamples):
                rows = chance.integers(0, len(own), len(own))
                threshold = certify(stated[rows].tolist(), right[rows].tolist(), risk, delta).threshold
                if threshold is None:
                    continue
                staying = stated >= threshold
                certified += 1
                violations += bool((~right[staying]).mean() > risk) if staying.any() else 0
                share += float(staying.mean())
            yield Kept(family, risk, certified / resamples, violations / resamples, share / max(certified, 1))


class Cascaded(Struct, frozen=True):
    """Promises of two tiers in turn, put to the test. broken: shares of the calibrations in which the first tier, the second
    one on what it really saw, and both together were wrong more often than promised. pooled: the same for the second tier if
    it is certified on all questions instead. certified: by tier.
    """

    risk: float
    rows: int
    certified: tuple[float, float]
    broken: tuple[float, float, float]
    pooled: float


def cascaded(
    first: Sequence[Parted],
    second: Sequence[Parted],
    risks: Sequence[float] = RISKS,
    delta: float = DELTA,
    resamples: int = RESAMPLES,
    seed: int = 7,
) -> Iterator[Cascaded]:
    """Two setups' answers to the same questions, one after the other. Only questions that both answered count."""
    later = {part.row.id: part for part in second if part.probability is not None}
    pairs = [(part, later[part.row.id]) for part in first if part.probability is not None and part.row.id in later]
    if len(pairs) < FEWEST * 3:
        return
    stated = [np.array([pair[tier].probability for pair in pairs], np.float64) for tier in (0, 1)]
    right = [np.array([pair[tier].row.right for pair in pairs]) for tier in (0, 1)]
    chance = np.random.default_rng(seed)
    for risk in risks:
        counts = np.zeros(6)
        for _ in range(resamples):
            rows = chance.integers(0, len(pairs), len(pairs))
            drawn = [(stated[tier][rows].tolist(), right[tier][rows].tolist()) for tier in (0, 1)]
            one, two = (certificate.threshold for certificate in cascade(drawn, risk, delta))
            alone = certify(*drawn[1], risk, delta / 2).threshold
            stays = stated[0] >= (one if one is not None else 2.0)
            saw, saw_alone = (
                ~stays & (stated[1] >= (threshold if threshold is not None else 2.0)) for threshold in (two, alone)
            )
            wrong = int((~right[0][stays]).sum() + (~right[1][saw]).sum())
            total = int(stays.sum() + saw.sum())
            counts += (
                one is not None,
                two is not None,
                above(right[0][stays], risk),
                above(right[1][saw], risk),
                total > 0 and wrong / total > risk,
                above(right[1][saw_alone], risk),
            )
        shares = (counts / resamples).tolist()
        yield Cascaded(risk, len(pairs), (shares[0], shares[1]), (shares[2], shares[3], shares[4]), shares[5])


def above(right: NDArray[np.bool_], risk: float) -> bool:
    """Whether more of the answers that stayed are wrong than promised; of none, no."""
    return bool(right.size) and float((~right).mean()) > risk


def promised_across(rows: Sequence[Row], risk: float, delta: float = DELTA) -> Iterator[Across]:
    """Calibrated and certified on all authors but one, put to the test on that one."""
    for author in sorted({row.author for row in rows}):
        others = [row for row in rows if row.author != author]
        own = [row for row in rows if row.author == author]
        made = parted(others)
        test = set_apart(others, own)
        for family in sorted({row.family for row in own}):
            held = [part for part in made if part.row.family == family and part.probability is not None]
            there = [part for part in test if part.row.family == family and part.probability is not None]
            if len(held) < FEWEST or len(there) < FEWEST:
                continue
            certificate = certify([p.probability or 0 for p in held], [p.row.right for p in held], risk, delta)
            threshold = certificate.threshold
            stay = [part for part in there if threshold is not None and (part.probability or 0) >= threshold]
            wrong = sum(not part.row.right for part in stay)
            yield Across(family, author, risk, threshold is not None, len(stay), wrong, len(there))


def with_samples(parts: Sequence[Parted]) -> Iterator[tuple[str, Estimate, Estimate]]:
    """By family and over all, for rows with further answers: AUROC of their agreement alone, and of both together.

    Both together is the learned score plus what agreement adds to its log-odds, fitted on the other half of the rows.
    """
    own = [part for part in parts if part.row.samples]
    halves = [[part for part in own if (int(part.row.digest, 16) + half) % 2] for half in (0, 1)]
    if min(map(len, halves)) < FEWEST * 2:
        return
    joined: list[tuple[Parted, float]] = []
    for fit, test in (halves, halves[::-1]):
        weights = _two(_pairs(fit), np.array([float(part.row.right) for part in fit]))
        joined += zip(test, (_pairs(test) @ weights).tolist(), strict=True)
    for family in (*sorted({part.row.family for part in own}), ALL):
        rows = [(part, score) for part, score in joined if family in (ALL, part.row.family)]
        right = np.array([float(part.row.right) for part, _ in rows])
        if len(rows) < FEWEST or not right.any() or right.all():
            continue
        agreement = np.array([part.row.agreeing - 0.1 * part.row.kinds for part, _ in rows])
        yield family, estimate(auroc, right, agreement), estimate(auroc, right, np.array([score for _, score in rows]))


def _pairs(parts: Sequence[Parted]) -> Array:
    return np.array([(1.0, part.score, float(part.row.agreeing), float(part.row.kinds)) for part in parts])


def _two(table: Array, right: Array) -> Array:
    """A small logistic regression by Newton's method, pulled a little towards 0."""
    weights = np.zeros(table.shape[1])
    for _ in range(40):
        stated = np.array([sigmoid(float(odds)) for odds in table @ weights])
        slope = table.T @ (stated - right) + 0.5 * weights
        curve = (table * (stated * (1 - stated))[:, None]).T @ table + 0.5 * np.eye(table.shape[1])
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def self_checked(parts: Sequence[Parted]) -> Estimate | None:
    """AUROC of what the model said when it was asked whether it was right; None if it never was."""
    own = [(part.row.right, part.row.self_check) for part in parts if part.row.self_check is not None]
    if len(own) < FEWEST or len({right for right, _ in own}) < 2:
        return None
    return estimate(auroc, [float(right) for right, _ in own], [check or 0.0 for _, check in own])
