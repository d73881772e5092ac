"""Projections: what is reckoned from signals before decisions look (`routing.projections`)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from daemon.recipes.values import Bounds, Name, Part, Positive

KB_METRIC: Literal["kb_metric"] = "kb_metric"
PROJECTION: Literal["projection"] = "projection"
SLOPE = 12.0
"""Where a mapping gives none: upstream's code default (facts of v0.3, projections)."""


class Partition(Part, frozen=True, kw_only=True):
    """Rules of one family, of which one at most may match. default: which one if none does. semantics None: exclusive."""

    name: Name
    members: Annotated[tuple[Name, ...], Meta(min_length=1)]
    default: Name
    semantics: Literal["exclusive", "softmax_exclusive"] | None = None
    temperature: Positive | None = None


class Input(Part, frozen=True, kw_only=True):
    """One addend of a score. type: a signal's, `kb_metric` with `kb` and `metric`, or `projection` for another score.

    binary: `match` or `miss`. confidence: the rule's score if it matched, else 0. raw: the number that it measured.
    """

    type: Name
    name: Name | None = None
    weight: float
    kb: Name | None = None
    metric: Name | None = None
    value_source: Literal["binary", "confidence", "raw", "score"] = "binary"
    match: float = 1.0
    miss: float = 0.0


class Score(Part, frozen=True, kw_only=True):
    """A weighted sum."""

    name: Name
    inputs: Annotated[tuple[Input, ...], Meta(min_length=1)]
    method: Literal["weighted_sum"] | None = None

    def needs(self, source_of: dict[str, str]) -> set[str]:
        """Names of the scores that it uses. source_of: from bands to the scores that they are of."""
        return {
            source_of.get(input.name, input.name) if input.value_source == "confidence" else input.name
            for input in self.inputs
            if input.type == PROJECTION and input.name
        }


class Output(Part, frozen=True, kw_only=True):
    """A band of a score, and the name that conditions ask for."""

    name: Name
    gt: float | None = None
    gte: float | None = None
    lt: float | None = None
    lte: float | None = None

    @property
    def bounds(self) -> Bounds:
        """The band without its name."""
        return Bounds(gt=self.gt, gte=self.gte, lt=self.lt, lte=self.lte)


class Calibration(Part, frozen=True, kw_only=True):
    """How sure a band is: a sigmoid of the distance to its nearest edge."""

    method: Literal["sigmoid_distance"] | None = None
    slope: Positive | None = None


class Mapping(Part, frozen=True, kw_only=True):
    """Bands over a score. threshold_bands, also if it isn't said: they don't overlap. multi_emit: they may."""

    name: Name
    source: Name
    outputs: Annotated[tuple[Output, ...], Meta(min_length=1)]
    method: Literal["threshold_bands", "multi_emit"] | None = None
    calibration: Calibration | None = None


class Projections(Part, frozen=True, kw_only=True):
    """All of a recipe's."""

    partitions: tuple[Partition, ...] = ()
    scores: tuple[Score, ...] = ()
    mappings: tuple[Mapping, ...] = ()

    def sources(self) -> dict[str, str]:
        """From bands to the scores that they are of."""
        return {output.name: mapping.source for mapping in self.mappings for output in mapping.outputs}

    def in_order(self) -> tuple[Score, ...]:
        """Scores after those that they use. Those that use each other in a circle are left out."""
        source_of = self.sources()
        waiting = {score.name: score for score in sorted(self.scores, key=lambda each: each.name)}
        done: list[Score] = []
        while ready := [score for score in waiting.values() if not score.needs(source_of) & waiting.keys()]:
            done += ready
            for score in ready:
                del waiting[score.name]
        return tuple(done)
