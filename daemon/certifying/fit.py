"""From a recording to a profile: one part of the labels learns, one calibrates, one promises, and none does two of these."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from daemon.certifying.agreement_fit import FEWEST, fit_agreement
from daemon.certifying.recording import Row
from daemon.certifying.scorer_fit import fit_scorer
from daemon.confidence.calibration import brier, calibrate, expected_error
from daemon.confidence.families import FAMILIES
from daemon.confidence.guarantee import DELTA, RISK, Certificate, certify
from daemon.confidence.judgement import CAUTIOUS
from daemon.confidence.profile import FORMAT, Behind, FamilyProfile, Origin, Profile, Rise
from daemon.confidence.recovery import CHECKPOINTS
from daemon.confidence.scorer import Scorer
from daemon.errors import BadRequest

LEARN, CALIBRATE, PROMISE = 0, 1, 2
_SHARES: Final = (0.40, 0.70)
"""Where the parts end: 40 % learn the weights, 30 % calibrate, 30 % promise."""
LATE: Final = 0.01
"""Of all answers, at most this share may rise further than what is told of beginnings, at all checkpoints together."""


def part_of(id: str) -> int:
    """Which part a question is in. By its id alone, so that a question is never in two."""
    place = int.from_bytes(hashlib.sha256(f"part {id}".encode()).digest()[:4], "big") / 2**32
    return sum(place >= end for end in _SHARES)


def fitted(
    rows: Sequence[Row], origin: Origin = "here", scorer: Scorer | None = None, risk: float = RISK, delta: float = DELTA
) -> Profile:
    """All that a recording of one setup tells. scorer: one that is known already, so that all labels calibrate and promise.

    Answers in prose whose further ones were compared teach what these are worth, and nothing else: by their labels, which
    are weak, nothing is calibrated or promised of an answer alone.
    Raises BadRequest for a recording of several setups, or of too few questions.
    """
    if len({row.setup for row in rows}) != 1:
        raise BadRequest("a profile needs a recording of one model on one engine with one number of threads", "files")
    parts, prose = _parted(row for row in rows if not row.alike_by), _parted(row for row in rows if row.alike_by)
    if scorer is None:
        if len(parts[LEARN]) < FEWEST:
            raise BadRequest(f"a profile needs {FEWEST} questions at least to learn from: record more", "files")
        scorer = fit_scorer(parts[LEARN])
        agreement = fit_agreement(parts[LEARN], parts[CALIBRATE], parts[PROMISE], scorer)
    else:
        if all(row.self_check is None for row in rows):
            scorer = scorer.unasked()
        agreement = fit_agreement(parts[LEARN], parts[CALIBRATE], parts[PROMISE], scorer)
        parts[CALIBRATE] += parts[LEARN]
    told = dict.fromkeys(row.alike_by for row in reversed(rows) if row.alike_by)  # who tells now is last in a recording
    likened = (fit_agreement(prose[LEARN], prose[CALIBRATE], prose[PROMISE], scorer, by) for by in told)
    families = {}
    for family in FAMILIES:
        learnt, held = ([row for row in parts[part] if row.family == family] for part in (CALIBRATE, PROMISE))
        if len(learnt) >= FEWEST and len(held) >= FEWEST:
            families[family] = _family(learnt, held, scorer, risk, delta)
    first = rows[0]
    return Profile(
        format=FORMAT,
        model=first.model,
        setup=first.setup,
        origin=origin,
        sources=tuple(sorted({row.source for row in rows})),
        scorer=scorer,
        families=families,
        rises=tuple(rises([*parts[LEARN], *parts[CALIBRATE]], scorer)),
        agreement=agreement,
        likened=next(filter(None, likened), None),
    )


def _parted(rows: Iterable[Row]) -> dict[int, list[Row]]:
    parts: dict[int, list[Row]] = {LEARN: [], CALIBRATE: [], PROMISE: []}
    for row in rows:
        parts[part_of(row.id)].append(row)
    return parts


def _family(learnt: list[Row], held: list[Row], scorer: Scorer, risk: float, delta: float) -> FamilyProfile:
    calibration = calibrate(scores(learnt, scorer), [row.right for row in learnt])
    stated = [calibration.probability(score) for score in scores(held, scorer)]
    right = [row.right for row in held]
    certificate, shared = (certify(stated, right, risk, delta / drafts) for drafts in (1, 2))
    labels = len(learnt) + len(held)
    share = sum(row.right for row in (*learnt, *held)) / labels
    return FamilyProfile(
        labels=labels,
        right=round(share, 4),
        calibration=calibration,
        error=round(expected_error(stated, right), 4),
        brier=round(brier(stated, right), 4),
        certificate=certificate,
        shared=shared,
    )


def behind(first: Profile, asked: Sequence[Row], profile: Profile, rows: Sequence[Row]) -> Behind:
    """What a profile's setup can promise of the questions that another one was not sure of, with half of the certainty.

    asked: the first one's recording, rows: this one's. Only questions count that neither profile was made of.
    """
    required, certificates = {}, {}
    left = {row.id: row for row in asked if part_of(row.id) == PROMISE}
    for family in profile.families.keys() & first.families.keys():
        shared = first.families[family].shared
        if shared is None:
            continue
        required[family] = CAUTIOUS if shared.threshold is None else shared.threshold
        seen = []
        for row in rows:
            draft = left.get(row.id)
            if row.family != family or draft is None:
                continue
            kept = first.probability(draft.seen, family)
            if kept is not None and kept < required[family]:
                seen.append(row)
        stated = [profile.probability(row.seen, family) or 0.0 for row in seen]
        certificates[family] = certify(stated, [row.right for row in seen], shared.risk, shared.delta)
    return Behind(required, certificates)


def rises(rows: Sequence[Row], scorer: Scorer, late: float = LATE) -> Iterator[Rise]:
    """How far scores rise behind each beginning; for those that too few answers have, nothing.

    The rise is the value that with n answers stands at place ceil((n + 1) * (1 - late / checkpoints)) in their order, so
    that the next answer like them goes beyond it no more often, however rises are distributed (split conformal
    prediction).
    """
    share = 1 - late / len(CHECKPOINTS)
    for place, tokens in enumerate(CHECKPOINTS):
        risen = sorted(
            scorer.score(row.seen, row.family) - scorer.score(row.beginnings[place], row.family)
            for row in rows
            if len(row.beginnings) > place
        )
        at = math.ceil((len(risen) + 1) * share)
        if at <= len(risen):
            yield Rise(tokens, round(risen[at - 1], 4))


def scores(rows: Sequence[Row], scorer: Scorer) -> list[float]:
    """Each row's score, before calibration."""
    return [scorer.score(row.seen, row.family) for row in rows]


def cascade(
    tiers: Sequence[tuple[Sequence[float], Sequence[bool]]], risk: float = RISK, delta: float = DELTA
) -> tuple[Certificate, ...]:
    """A certificate for each tier, on the residual that it really sees: what those before it did not keep.

    tiers: for each, in order, the probabilities of its answers to the same questions and whether they are right. The
    certainty is shared evenly, so that with 1 - delta all of them hold, and so does the whole cascade.
    """
    left = list(range(len(tiers[0][0])))
    found = []
    for probabilities, right in tiers:
        certificate = certify(
            [probabilities[place] for place in left], [right[place] for place in left], risk, delta / len(tiers)
        )
        found.append(certificate)
        if certificate.threshold is not None:
            left = [place for place in left if probabilities[place] < certificate.threshold]
    return tuple(found)
