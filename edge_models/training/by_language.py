"""Calibration and thresholds of a head by language: each language's own rows, and all others' as a prior.

A language has a few dozen rows of its own, too few to stand alone and too many to be ignored. So whatever is fitted for it
is fitted on its own rows and on those of all other languages together, which count as `PRIOR_ROWS` of them. Many rows of its
own make its numbers its own; without any they are the pooled ones. One rule serves both: for the calibration the rows weigh
in the cross-entropy, for a threshold in the share of harmless texts that reach it.

Rows that are alike (of one subject, of one attack) are a group, which counts as one. Within a language the labels are
weighed to the shares that they have in the English mix, so that no language's probabilities tell how its rows were made; by
how much that costs rows, Kish's effective number, a language's own weigh less.

Temperature and biases are fitted. Those of heads with many labels were decided by four folds of the rows that calibrate:
the Brier score of `domain` there is 0.328 with biases and 0.349 with the temperature alone, of `task_shape` 0.203 and 0.249.
(With four subjects a label, of which whole templates were filled, biases were worse than none.)

A head that no language has groups enough for keeps the mix's numbers everywhere. One that is `wary` has probabilities of the
language's own, and raises an alarm where it did before, or at less: a few dozen harmless texts by one author don't hold all
that others ask. (`persona` alarms at 16 of 80 attacks of ours that only measure, and would at 28; at 49 of 210 translated
security questions of others, and would at 85.)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from edge_models.heads.manifest import Calibration, Spoken
from edge_models.heads.manifest import Head as HeadSpec
from edge_models.heads.reading import crowded, probabilities
from edge_models.training.calibrate import fitted
from edge_models.training.heads import Head
from edge_models.training.metrics import Array, Estimate, calibration_error, grouped_estimate
from edge_models.training.package import SHARES, Held, Texts, whole_texts, with_default
from edge_models.training.thresholds import source_weights, weighted_threshold

PRIOR_ROWS: Final = 100.0
"""What all other languages' rows count for together. Chosen, and not tuned: about what most languages have of their own."""
FEWEST_OF_LABEL: Final = 6
"""Groups that a language needs of each label before it has a calibration of its own. Chosen, and not tuned."""
_FEWEST_MEASURED: Final = 2
"""And before its calibration is measured."""
ALL: Final = "all"
_ALIASES: Final = {"no": "nb"}
"""What the identifier of languages may call one: Norwegian as such is Bokmål nearly always."""
Flags = NDArray[np.bool_]
Scores = tuple[Array, Sequence[str]]
"""Of texts, and the source of each."""


class Heard(Struct, frozen=True):
    """What a head gave for windows of texts whose language is known.

    languages, groups: of each window. measured: which of them only measure.
    """

    held: Held
    languages: NDArray[np.str_]
    groups: NDArray[np.str_]
    measured: Flags

    def of(self, chosen: Flags) -> Heard:
        """Some of the windows."""
        held = Held(
            self.held.logits[chosen],
            self.held.targets[chosen],
            [source for source, here in zip(self.held.sources, chosen, strict=True) if here],
            self.held.texts[chosen],
        )
        return Heard(held, self.languages[chosen], self.groups[chosen], self.measured[chosen])


class Measured(Struct, frozen=True):
    """How far probabilities are off on rows that only measure, under three calibrations.

    before: of the English mix alone. pooled: of all other languages. after: as the artefact has it.
    """

    before: Estimate
    pooled: Estimate
    after: Estimate


class Alarms(Struct, frozen=True):
    """Harmless texts that only measure, and how many of them reach a threshold. before: that of the English mix."""

    texts: int
    before: int
    after: int
    loose: int
    """Over the threshold of the second share."""


class LanguageReport(Struct, frozen=True):
    """A head in one language, or in `ALL` that have a calibration of their own. rows, harmless: as `Spoken` has them."""

    head: str
    language: str
    rows: int
    harmless: int
    error: Measured | None
    brier: Measured | None
    alarms: Alarms | None


def by_language(head: Head, plain: HeadSpec, mix: Held, heard: Heard) -> tuple[HeadSpec, list[LanguageReport]]:
    """The head with its languages, and what that came to.

    plain: calibrated on `mix` alone, whose even windows did that. heard: rows in other languages; a head that no language
    has groups enough for stays as it is.
    """
    shares = mix.targets[::2].mean(axis=0)
    known, measured = heard.of(~heard.measured), heard.of(heard.measured)
    if not any(_complete(known, known.languages == language, FEWEST_OF_LABEL) for language in set(known.languages)):
        return plain, _reports(head, plain, plain, {}, measured, shares)
    english = mix.logits[::2], mix.targets[::2], np.full(len(mix.logits[::2]), 0.5 / len(mix.logits[::2]))
    pooled = _pooled(plain, english, known, shares)
    spec = _with_thresholds(head, plain, structs.replace(plain, calibration=pooled), mix, known)
    languages: dict[str, Spoken] = {}
    priors: dict[str, Calibration] = {}
    for language in sorted(set(known.languages)):
        own = known.languages == language
        scale, rows = None, 0
        if _complete(known, own, FEWEST_OF_LABEL):
            priors[language] = _pooled(plain, english, known.of(~own), shares)
            scale, rows = _own(plain, english, known, own, shares)
        thresholds, harmless = _thresholds(
            head, plain, structs.replace(spec, calibration=scale or spec.calibration), mix, known, own
        )
        languages[language] = Spoken(scale, rows, thresholds, harmless)
    for alias, language in _ALIASES.items():
        if language in languages:
            languages[alias] = languages[language]
    done = structs.replace(spec, languages={name: languages[name] for name in sorted(languages)})
    return done, _reports(head, plain, done, priors, measured, shares)


def _complete(heard: Heard, chosen: Flags, fewest: int) -> bool:
    """Whether there are groups enough of each label."""
    groups, labels = heard.groups[chosen], heard.held.targets[chosen].argmax(axis=1)
    return all(len(set(groups[labels == label])) >= fewest for label in range(heard.held.targets.shape[1]))


def weights(targets: Array, groups: NDArray[np.str_], cells: NDArray[np.str_], shares: Array) -> Array:
    """Of rows, of sum 1: groups count as one each, languages (`cells`) alike, labels as `shares` has them."""
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    found = 1.0 / counts[inverse]
    labels = targets.argmax(axis=1)
    for label, share in enumerate(shares):
        here = labels == label
        for cell in set(cells[here]):
            found[here & (cells == cell)] /= found[here & (cells == cell)].sum()
        if here.any():
            found[here] *= share / found[here].sum()
    total: Array = found / found.sum()
    return total


def effective(weight: Array, groups: NDArray[np.str_]) -> float:
    """How many rows of equal weight know as much (Kish, "Survey Sampling", 1965): groups count as one."""
    _, inverse = np.unique(groups, return_inverse=True)
    sums = np.bincount(inverse, weight)
    return float(sums.sum() ** 2 / (sums**2).sum())


def shrunk(
    own: tuple[Array, Array, Array],
    rows: float,
    others: tuple[Array, Array, Array],
) -> Calibration:
    """The calibration of `rows` rows of one's own and `PRIOR_ROWS` of others. Each: logits, targets, weights of sum 1."""
    return fitted(
        np.concatenate([own[0], others[0]]),
        np.concatenate([own[1], others[1]]),
        np.concatenate([own[2] * rows, others[2] * PRIOR_ROWS]),
    )


def shrunk_threshold(share: float, own: Scores, others: Scores) -> float:
    """The lowest threshold that at most `share` of one's own harmless scores and of `PRIOR_ROWS` others reach together.

    On either side each source counts alike; one's own count for as many as know as much (Kish).
    """
    mine, theirs = source_weights(own[1]), source_weights(others[1])
    rows = 1 / float((mine**2).sum()) if len(mine) else 0.0
    weight = np.concatenate([mine * rows, theirs * PRIOR_ROWS])
    return weighted_threshold(share, np.concatenate([own[0], others[0]]), weight / weight.sum())


def _weighted(heard: Heard, shares: Array) -> tuple[Array, Array, Array]:
    held = heard.held
    return held.logits, held.targets, weights(held.targets, heard.groups, heard.languages, shares)


def _joined(english: tuple[Array, Array, Array], others: Heard, shares: Array) -> tuple[Array, Array, Array]:
    """English and all other languages, half and half."""
    if not len(others.languages):
        return english
    logits, targets, weight = _weighted(others, shares)
    return (
        np.concatenate([english[0], logits]),
        np.concatenate([english[1], targets]),
        np.concatenate([english[2], weight / 2]),
    )


def _pooled(plain: HeadSpec, english: tuple[Array, Array, Array], others: Heard, shares: Array) -> Calibration:
    scale = fitted(*_joined(english, others, shares))
    return structs.replace(scale, crowd=plain.calibration.crowd)


def _own(
    plain: HeadSpec, english: tuple[Array, Array, Array], known: Heard, own: Flags, shares: Array
) -> tuple[Calibration, int]:
    """The language's calibration, and how many groups stand behind it."""
    mine = known.of(own)
    logits, targets, weight = _weighted(mine, shares)
    others = _joined(english, known.of(~own), shares)
    others = (others[0], others[1], others[2] / others[2].sum())
    scale = shrunk((logits, targets, weight), effective(weight, mine.groups), others)
    return structs.replace(scale, crowd=plain.calibration.crowd), len(set(mine.groups))


def _chances(spec: HeadSpec, held: Held) -> Array:
    return probabilities(spec, held.logits.astype(np.float32)).astype(np.float64)


def _harmless(head: Head, spec: HeadSpec, held: Held) -> Scores:
    """The scores of texts in which nothing is bad, and their sources."""
    texts: Texts = whole_texts(head, held, _chances(spec, held)[:, 1])
    chance = crowded(texts.chance, texts.windows, spec.calibration.crowd)
    good = texts.bad == 0
    return chance[good], [source for source, is_good in zip(texts.sources, good, strict=True) if is_good]


def _with_thresholds(head: Head, plain: HeadSpec, spec: HeadSpec, mix: Held, known: Heard) -> HeadSpec:
    """With those of all languages and the mix together, each source counting alike."""
    if len(head.labels) != 2:
        return spec
    mixed, mixed_sources = _harmless(head, spec, mix)
    scores, sources = _harmless(head, spec, known.held)
    both, names = np.concatenate([mixed, scores]), [*mixed_sources, *sources]
    found = {share: weighted_threshold(share, both, source_weights(names)) for share in SHARES}
    return structs.replace(spec, thresholds=_named(head, plain, spec.calibration, found))


def _thresholds(
    head: Head, plain: HeadSpec, spec: HeadSpec, mix: Held, known: Heard, own: Flags
) -> tuple[dict[str, float], int]:
    """A language's, and how many texts of its own stand behind them; the head's where there is none."""
    if len(head.labels) != 2:
        return {}, 0
    mine = _harmless(head, spec, known.of(own).held)
    mixed, mixed_sources = _harmless(head, spec, mix)
    others, sources = _harmless(head, spec, known.of(~own).held)
    # the mix has a few sentences of each language
    foreign = [source not in set(mine[1]) for source in mixed_sources]
    prior = np.concatenate([mixed[foreign], others]), [*compress(mixed_sources, foreign), *sources]
    found = {share: shrunk_threshold(share, mine, prior) for share in SHARES}
    return _named(head, plain, spec.calibration, found), len(mine[0])


def _named(head: Head, plain: HeadSpec, scale: Calibration, found: dict[float, float]) -> dict[str, float]:
    thresholds = with_default(head, found)
    if head.wary:
        thresholds["default"] = max(thresholds["default"], same_bar(plain, scale))
    return {name: round(threshold, 6) for name, threshold in thresholds.items()}


def same_bar(plain: HeadSpec, scale: Calibration) -> float:
    """The probability under `scale` of a window that reaches the threshold of `plain` just so. Both of two labels."""
    odds = np.log(plain.threshold / (1 - plain.threshold))
    margin = plain.calibration.temperature * (odds - _lean(plain.calibration))
    return float(1 / (1 + np.exp(-(margin / scale.temperature + _lean(scale)))))


def _lean(scale: Calibration) -> float:
    return scale.bias[1] - scale.bias[0] if scale.bias else 0.0


def _reports(
    head: Head, plain: HeadSpec, done: HeadSpec, priors: dict[str, Calibration], measured: Heard, shares: Array
) -> list[LanguageReport]:
    found: list[LanguageReport] = []
    three = np.zeros((3, *measured.held.targets.shape))
    for language in sorted(set(measured.languages)):
        here = measured.languages == language
        part = measured.of(here)
        spec = done.spoken(language)
        for place, each in enumerate((plain.calibration, priors.get(language, done.calibration), spec.calibration)):
            three[place, here] = _chances(structs.replace(plain, calibration=each), part.held)
        own = done.languages.get(language, Spoken())
        told = _complete(part, np.ones(len(part.languages), bool), _FEWEST_MEASURED)
        error, brier = _errors(three[:, here], part, shares) if told else (None, None)
        alarms = _alarms(head, plain, spec, part) if len(head.labels) == 2 else None
        found.append(LanguageReport(head.name, language, own.rows, own.harmless, error, brier, alarms))
    both = np.isin(measured.languages, [each.language for each in found if each.error])
    if both.any():
        error, brier = _errors(three[:, both], measured.of(both), shares)
        rows = sum(each.rows for each in found if each.error)
        found.append(LanguageReport(head.name, ALL, rows, 0, error, brier, None))
    return found


def _errors(three: Array, part: Heard, shares: Array) -> tuple[Measured, Measured]:
    """Calibration error and Brier score under three calibrations. three: (3, rows, labels), probabilities."""
    targets = part.held.targets
    weight = weights(targets, part.groups, part.languages, shares)
    groups = [f"{language} {group}" for language, group in zip(part.languages, part.groups, strict=True)]
    errors, briers = [], []
    for chances in three:
        if targets.shape[1] == 2:
            stated, came, lost = chances[:, 1], targets[:, 1], (chances[:, 1] - targets[:, 1]) ** 2
        else:
            stated = chances.max(axis=1)
            came = (chances.argmax(axis=1) == targets.argmax(axis=1)).astype(np.float64)
            lost = ((chances - targets) ** 2).sum(axis=1)
        errors.append(grouped_estimate(calibration_error, groups, came, stated, weight))
        briers.append(grouped_estimate(_mean, groups, lost, weight))
    return Measured(*errors), Measured(*briers)


def _mean(values: Array, weight: Array) -> float:
    return float((values * weight).sum() / weight.sum())


def _alarms(head: Head, plain: HeadSpec, spec: HeadSpec, part: Heard) -> Alarms:
    before, _ = _harmless(head, plain, part.held)
    after, _ = _harmless(head, spec, part.held)
    loose = spec.thresholds[f"fpr_{SHARES[1]:g}"]
    return Alarms(
        len(after),
        int((before >= plain.threshold).sum()),
        int((after >= spec.threshold).sum()),
        int((after >= loose).sum()),
    )
