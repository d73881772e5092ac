"""What is known of one setup: its scorer, and for each family a calibration and what can be promised."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from daemon.confidence.calibration import Calibration
from daemon.confidence.families import Family
from daemon.confidence.features import Features
from daemon.confidence.further import Agreement, Ends, Further
from daemon.confidence.guarantee import Certificate
from daemon.confidence.scorer import COLUMNS, Scorer
from daemon.confidence.setup import Setup

FORMAT: Final = 1
"""Raise it when features or scores change their meaning; profiles of another format are left aside."""

Origin = Literal["shipped", "here"]


class FamilyProfile(Struct, frozen=True):
    """labels: that it was calibrated and certified with; right: the share of right answers among them.

    error: the expected calibration error, brier: the mean squared error, both on labels that no part of it was fitted on.
    shared: the certificate that holds where another draft is judged behind this one, with half of the certainty.
    """

    labels: int
    right: float
    calibration: Calibration
    error: float
    brier: float
    certificate: Certificate
    shared: Certificate | None = None


class Rise(Struct, frozen=True):
    """How far a score has risen behind the first so many tokens of an answer: no further than `most`, but for very few."""

    tokens: int
    most: float


class Behind(Struct, frozen=True):
    """What can be promised of answers to the questions that another model's draft was not sure of, by family.

    required: what that draft was held to; of any other residual nothing is promised.
    """

    required: dict[Family, float]
    certificates: dict[Family, Certificate]


class Profile(Struct, frozen=True):
    """origin: whether it came with Nearloop or was measured here. sources: of the questions. rises: from short beginnings
    to long ones; without any, nothing is known of beginnings. behind: by the key of the setup that is asked first.
    agreement: what further answers say by their form, likened: what those in prose do; None: that isn't known.
    """

    format: int
    model: str
    setup: Setup
    origin: Origin
    sources: tuple[str, ...]
    scorer: Scorer
    families: dict[Family, FamilyProfile]
    rises: tuple[Rise, ...] = ()
    behind: dict[str, Behind] = {}
    agreement: Agreement | None = None
    likened: Agreement | None = None

    def lifts(self, family: Family, likens: str) -> Agreement | None:
        """What further answers of a family say; None: that isn't known. likens: who tells here how like answers in prose
        are.
        """
        for known in (self.agreement, self.likened):
            if known is not None and family in known.families and known.by in ("", likens):
                return known
        return None

    def probability(self, seen: Features, family: Family) -> float | None:
        """That the answer is right. None for a family that nothing is known of."""
        known = self.families.get(family)
        return None if known is None else known.calibration.probability(self.scorer.score(seen, family))

    def reach(self, seen: Features, family: Family, further: Further, likens: str = "") -> Ends | None:
        """Where that ends with further answers. None where they would say nothing."""
        lifts = self.lifts(family, likens)
        return lifts.reach(self.scorer.score(seen, family), family, further) if lifts else None

    def best_probability(self, beginning: Features, family: Family, likens: str = "") -> float | None:
        """The same at best, once an answer that begins so is over and further ones agree with it. None: that isn't known."""
        known = self.families.get(family)
        reached = [rise for rise in self.rises if rise.tokens <= beginning.tokens]
        lifts = self.lifts(family, likens)
        if not (known or lifts) or not reached:
            return None
        score = self.scorer.score(beginning, family) + reached[-1].most
        lifted = lifts.reach(score, family, Further()) if lifts else None
        return max(known.calibration.probability(score) if known else 0.0, lifted.most if lifted else 0.0)


_decode: Final = msgspec.json.Decoder(Profile).decode


def read_profile(file: Path) -> Profile | None:
    """None where there is none, or one of another format or with features that this version doesn't know.

    Raises OSError if it is there and can't be read.
    """
    try:
        profile = _decode(file.read_bytes())
    except (FileNotFoundError, msgspec.DecodeError, RecursionError):
        return None
    known = all(column.name in COLUMNS for column in profile.scorer.columns)
    return profile if profile.format == FORMAT and known else None


def write_profile(profile: Profile, file: Path) -> None:
    """Whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_bytes(msgspec.json.format(msgspec.json.encode(profile), indent=1))
    part.replace(file)
