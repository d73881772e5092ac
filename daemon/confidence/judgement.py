"""How sure a draft is, how sure it has to be, and what both numbers are worth.

- `certified`: a calibrated probability, held against the threshold that a bound was proved for on this very setup.
- `calibrated`: a calibrated probability without such a bound: too few labels, too many wrong ones, or a promise that broke.
- `uncertified`: this model file, engine or number of threads was never measured on this kind of question. If nothing else is
  asked for, only what is well beyond doubt passes, until `nearloop calibrate` has measured it.
- `upstream`: a recipe's threshold, held against the score that it was chosen for.

A draft that failed may have further answers drawn (`further.py`). Nothing was promised of those: what passes with them is
`calibrated`, and has to reach what the draft had to by itself at least.

A promise is one for whole answers. A beginning that has to be judged, because the client reads along, is held against what
is needed where nothing is promised.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from daemon.confidence.calibration import Platt, log_odds
from daemon.confidence.families import Family
from daemon.confidence.features import Features
from daemon.confidence.further import SAMPLES, Further, is_comparable
from daemon.confidence.guarantee import Certificate
from daemon.confidence.profile import Profile
from daemon.confidence.upstream import upstream_score

Standing = Literal["certified", "calibrated", "uncertified", "upstream"]
BY_CALIBRATION: Final = "calibrated"
"""The threshold of a candidate for which nobody named a number."""
Threshold = float | Literal["calibrated"]
CAUTIOUS: Final = 0.8
"""What a draft needs where nothing is promised of it and nobody named a number."""


class Sought(Struct, frozen=True):
    """What is judged, and by what. method, weights: of the recipe that names one; empty: Nearloop's own. drafts: how many
    are judged at most, one behind the other, and share the certainty of a promise.
    """

    family: Family = "prose"
    method: str = ""
    weights: tuple[float, float] = (0.5, 0.5)
    drafts: int = 1


class Known(Struct, frozen=True):
    """What is known of who drafted. exact: whether the profile is of this very setup, threads included.

    refined: by family, what outcomes here have made of the calibrated log-odds. broken: families whose promise did not hold.
    before: how drafts were judged that were not kept: what they left are harder questions, and a promise is one for those.
    likens: who tells here how like answers in prose are; empty: nobody.
    """

    profile: Profile | None = None
    exact: bool = False
    refined: Mapping[Family, Platt] = {}
    broken: frozenset[Family] = frozenset()
    before: tuple[Judgement | None, ...] = ()
    likens: str = ""

    @property
    def asks(self) -> bool:
        """Whether the model's word on its own answer counts."""
        return self.profile is not None and self.profile.scorer.asks

    def as_refined(self, stated: float, family: Family) -> float:
        """A calibrated probability as outcomes here have it."""
        here = self.refined.get(family)
        return here.probability(log_odds(stated)) if here else stated


class Judgement(Struct, frozen=True):
    """score: in [0, 1]; required: what it is held against. odds: calibrated log-odds before local outcomes refined them.

    None also where further answers were not all drawn: then score is the least that it can be. setup: whose they are, as
    outcomes name it; empty where none is known. liftable: whether further answers count for drafts like it, so that those
    which are left to others are not what the draft alone would leave. undecided: whether they can still let this one pass.
    seen: None where the model was asked and nothing of the draft was measured. barred: whether it may not pass, however sure
    it is.
    """

    score: float
    required: float
    standing: Standing
    family: Family
    seen: Features | None
    odds: float | None = None
    setup: str = ""
    liftable: bool = False
    undecided: bool = False
    barred: bool = False

    @property
    def passed(self) -> bool:
        """Whether it is sure enough."""
        return self.score >= self.required and not self.barred


def plain_score(seen: Features) -> float:
    """The geometric mean of the typical answer token's probability and of the weak spots'.

    It orders answers; it is no probability of being right.
    """
    return plain_mean(seen.answer_mean, seen.answer_q10)


def plain_mean(mean: float, weak: float) -> float:
    """The geometric mean of two probabilities. Both: their natural logs."""
    return math.exp((mean + weak) / 2)


def judge(
    seen: Features, sought: Sought, threshold: Threshold, known: Known, further: Further | None = None
) -> Judgement:
    """Hold a draft against what it needs. threshold: the user's or a recipe's number, or BY_CALIBRATION.

    further: what was drawn beside it; None: nothing yet.
    """
    wanted = None if threshold == BY_CALIBRATION else float(threshold)
    if sought.method and wanted is not None:
        # a score that the engine can't tell is a draft that nobody can vouch for
        score = upstream_score(seen, sought.method, sought.weights)
        return Judgement(score or 0.0, wanted, "upstream", sought.family, seen)
    stated = known.profile.probability(seen, sought.family) if known.profile else None
    liftable = known.profile is not None and known.profile.lifts(sought.family, known.likens) is not None
    if known.profile is None or stated is None:
        required = CAUTIOUS if wanted is None else wanted
        plain = Judgement(plain_score(seen), required, "uncertified", sought.family, seen, liftable=liftable)
        return _beside(plain, seen, wanted, known, further) if liftable else plain
    odds = log_odds(stated)
    score = known.as_refined(stated, sought.family)
    certificate = _certificate(known, sought) if seen.ended is not None else None
    promised = certificate.threshold if certificate else None
    standing: Standing = "certified" if promised is not None else "calibrated" if known.exact else "uncertified"
    if promised is not None and wanted is None:
        score = min(score, stated)  # outcomes here may tighten a promise, and loosen none
    required = wanted if wanted is not None else promised if promised is not None else CAUTIOUS
    alone = Judgement(score, required, standing, sought.family, seen, odds, known.profile.setup.key, liftable)
    return _beside(alone, seen, wanted, known, further)


def judge_calls(seen: Features, sought: Sought, threshold: Threshold, doubt: float, barred: bool) -> Judgement:
    """Hold a draft that calls tools against what it needs. seen: of the tokens that decide what is called.

    Nothing was ever promised of calls, so they are judged as what was never measured. doubt: what part of the doubt that any
    other draft may have, it may have; a user's threshold of 0 leaves everything to the draft.
    """
    wanted = CAUTIOUS if threshold == BY_CALIBRATION else float(threshold)
    required = _with_doubt(wanted, doubt)
    if sought.method and threshold != BY_CALIBRATION:
        score = upstream_score(seen, sought.method, sought.weights) or 0.0
        return Judgement(score, required, "upstream", sought.family, seen, barred=barred)
    return Judgement(plain_score(seen), required, "uncertified", sought.family, seen, barred=barred)


def for_calls(judgement: Judgement, doubt: float, barred: bool) -> Judgement:
    """What was said of a draft, where that calls tools: only a part of the doubt may be left. doubt, barred: as above."""
    return replace(judgement, required=_with_doubt(judgement.required, doubt), barred=barred)


def _with_doubt(wanted: float, doubt: float) -> float:
    return 1 - (1 - wanted) * doubt if wanted > 0 else 0.0


def _certificate(known: Known, sought: Sought) -> Certificate | None:
    """The one that holds for what this draft really sees; None if none does."""
    if known.profile is None or not known.exact or sought.family in known.broken:
        return None
    family = known.profile.families[sought.family]
    if not known.before:
        return family.certificate if sought.drafts == 1 else family.shared
    first = known.before[0]
    if len(known.before) > 1 or first is None or first.standing not in ("certified", "calibrated") or first.liftable:
        return None
    behind = known.profile.behind.get(first.setup)
    if behind is None or behind.required.get(sought.family) != first.required:
        return None
    return behind.certificates.get(sought.family)


def verified(score: float, sought: Sought, threshold: Threshold, seen: Features | None) -> Judgement:
    """Hold what was said of a draft, by a recipe's method that asks for it, against what it needs."""
    required = CAUTIOUS if threshold == BY_CALIBRATION else float(threshold)
    return Judgement(score, required, "upstream", sought.family, seen)


def _beside(alone: Judgement, seen: Features, wanted: float | None, known: Known, further: Further | None) -> Judgement:
    """With what was drawn so far, at its worst; without that, whether it is worth to draw."""
    assert known.profile is not None
    family = alone.family
    if (alone.passed and further is None) or not is_comparable(seen, family):
        return alone
    ends = known.profile.reach(seen, family, further or Further(), known.likens)
    if ends is None:
        return alone
    required = wanted if wanted is not None else max(alone.required, CAUTIOUS)
    least, most = known.as_refined(ends.least, family), known.as_refined(ends.most, family)
    if further is None:
        return replace(alone, undecided=required <= most)
    return replace(
        alone,
        score=least,
        required=required,
        standing="calibrated" if known.exact else "uncertified",
        odds=log_odds(ends.least) if further.samples == SAMPLES else None,
        setup=known.profile.setup.key,
        undecided=least < required <= most,
    )
