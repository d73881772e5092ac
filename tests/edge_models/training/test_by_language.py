"""Calibration and thresholds by language."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

from edge_models.heads.manifest import Calibration
from edge_models.heads.manifest import Head as HeadSpec
from edge_models.heads.reading import probabilities
from edge_models.training.by_language import (
    ALL,
    Heard,
    by_language,
    effective,
    same_bar,
    shrunk,
    shrunk_threshold,
    weights,
)
from edge_models.training.heads import Head
from edge_models.training.package import Held

RNG = np.random.default_rng(11)
HEAD = Head("injection", ("benign", "injection"), pool="max")
PLAIN = HeadSpec("injection", "sequence", HEAD.labels, pool="max", thresholds={"default": 0.5})
OWN, OTHERS = (3.0, 1.0), (1.0, 0.0)
"""Temperature and bias of the second label."""


def drawn(rows: int, truth: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits, labels that come true as softmax(logits / temperature + bias) says, and equal weights."""
    logits = RNG.normal(0, 3, (rows, 2))
    chance = 1 / (1 + np.exp(-((logits[:, 1] - logits[:, 0]) / truth[0] + truth[1])))
    return logits, np.eye(2)[(RNG.random(rows) < chance).astype(int)], np.full(rows, 1 / rows)


def off(scale: Calibration, truth: tuple[float, float]) -> float:
    """How far a calibration is from the one that the rows were drawn by, over the logits that there are."""
    difference = np.linspace(-8, 8, 81)
    stated = 1 / (1 + np.exp(-(difference / scale.temperature + scale.bias[1] - scale.bias[0])))
    came = 1 / (1 + np.exp(-(difference / truth[0] + truth[1])))
    return float(np.abs(stated - came).mean())


def test_many_rows_of_its_own_make_a_calibration_a_languages_own() -> None:
    """However different the others are."""
    scale = shrunk(drawn(5000, OWN), 5000, drawn(5000, OTHERS))
    assert off(scale, OWN) < 0.03 < 0.1 < off(scale, OTHERS)


def test_few_rows_leave_the_pooled_calibration() -> None:
    """Three rows can't move what a hundred say, and some are between."""
    others = drawn(5000, OTHERS)
    few, some = shrunk(drawn(3, OWN), 3, others), shrunk(drawn(100, OWN), 100, others)
    assert off(few, OTHERS) < 0.03
    assert off(few, OTHERS) < off(some, OTHERS)
    assert off(some, OWN) < off(few, OWN)


def test_a_threshold_goes_from_the_others_to_its_own() -> None:
    """None of its own: theirs. Thousands: the share holds among its own, where theirs would pass half."""
    others, own = RNG.random(4000) * 0.5, 0.25 + RNG.random(4000) * 0.5
    sources = [f"s{number % 4}" for number in range(4000)]

    none, between, many = (
        shrunk_threshold(0.05, (own[:rows], ["own"] * rows), (others, sources)) for rows in (0, 60, 4000)
    )
    assert (others >= none).mean() == pytest.approx(0.05, abs=0.002)
    assert (own >= many).mean() == pytest.approx(0.05, abs=0.005)
    assert (own >= none).mean() > 0.4
    assert none < between < many


def test_a_languages_own_sources_count_alike() -> None:
    """A thousand easy texts don't hide what happens to thirty hard ones."""
    easy, hard = RNG.random(1000) * 0.2, 0.5 + RNG.random(30) * 0.2
    own = np.concatenate([easy, hard]), ["easy"] * 1000 + ["hard"] * 30
    found = shrunk_threshold(0.01, own, (RNG.random(4000) * 0.1, ["other"] * 4000))
    assert (hard >= found).mean() < 0.1
    assert (hard >= shrunk_threshold(0.01, (own[0], ["own"] * 1030), (easy, ["other"] * 1000))).mean() > 0.2


def test_labels_weigh_as_in_the_mix_and_groups_as_one() -> None:
    """A language with many attacks is no language in which attacks are frequent."""
    targets = np.eye(2)[[0, 0, 1, 1, 1, 1]]
    groups = np.array(["a", "b", "c", "c", "c", "d"])
    found = weights(targets, groups, np.array(["de"] * 6), np.array([0.9, 0.1]))

    assert found.sum() == pytest.approx(1)
    assert found[targets[:, 1] == 1].sum() == pytest.approx(0.1)
    assert found[2] * 3 == pytest.approx(found[5])
    assert effective(found, groups) < 4
    assert effective(np.full(6, 1.0), np.array(list("aabbcc"))) == pytest.approx(3)


def heard(language: str, rows: int, attacks: int, shift: float, measured: bool) -> Heard:
    """Windows of a language, each a text and a group of its own."""
    labels = np.array([1] * attacks + [0] * (rows - attacks))
    logits = np.stack([np.zeros(rows), RNG.normal(0, 1, rows) + 4 * labels - 2 + shift], axis=1)
    number = 1000 * ("", "de", "fr", "nb").index(language) + 500 * measured
    held = Held(logits, np.eye(2)[labels], [f"lingua {language}"] * rows, np.arange(number, number + rows))
    names = np.array([f"{language} {measured} {n}" for n in range(rows)])
    return Heard(held, np.array([language] * rows), names, np.full(rows, measured))


def joined(*parts: Heard) -> Heard:
    return Heard(
        Held(
            np.concatenate([part.held.logits for part in parts]),
            np.concatenate([part.held.targets for part in parts]),
            [source for part in parts for source in part.held.sources],
            np.concatenate([part.held.texts for part in parts]),
        ),
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("languages", "groups", "measured")),
    )


def spread() -> tuple[HeadSpec, dict[str, object]]:
    mix = heard("", 600, 150, 0.0, measured=False).held
    rows = [
        *(heard("de", 300, 100, 3.0, measured) for measured in (False, True)),
        *(heard("fr", 300, 100, 0.0, measured) for measured in (False, True)),
        *(heard("nb", 60, 0, 5.0, measured) for measured in (False, True)),
    ]
    done, reports = by_language(HEAD, PLAIN, mix, joined(*rows))
    return done, {report.language: report for report in reports}


def test_each_language_gets_what_its_rows_allow() -> None:
    """A calibration where there are attacks and harmless texts, thresholds where there are harmless ones; else the head's."""
    done, _ = spread()

    assert [done.calibrated_by(language) for language in ("de", "fr", "nb", "xx", None)] == [
        "language", "language", "pooled", "pooled", "pooled",
    ]  # fmt: skip
    assert done.languages["de"].rows == 300
    assert done.languages["nb"].harmless == 60
    assert done.languages["no"] == done.languages["nb"]
    assert done.spoken("nb").calibration == done.calibration
    assert done.spoken("nb").threshold > done.threshold
    assert done.spoken("xx") == done


def test_rows_that_only_measure_say_what_it_came_to() -> None:
    """A shifted language's probabilities are less off, and its false alarms fewer, than under the mix's numbers."""
    _, reports = spread()
    german, all_of_them = reports["de"], reports[ALL]

    assert german.error.after.value < 0.7 * german.error.before.value
    assert german.brier.after.value < german.brier.before.value
    assert german.error.after.texts == 300
    assert all_of_them.error.after.texts == 600
    assert german.alarms.texts == 200
    assert german.alarms.after < german.alarms.before
    assert reports["nb"].error is None


def test_a_head_with_few_attacks_in_every_language_stays() -> None:
    """Not even pooled numbers are made of them; what the mix's come to there is told."""
    mix = heard("", 600, 150, 0.0, measured=False).held
    rows = [heard(code, 60, 5, 3.0, measured) for code in ("de", "fr") for measured in (False, True)]
    plain = structs.replace(PLAIN, thresholds={"fpr_0.01": 0.9, "fpr_0.05": 0.7, "default": 0.9})
    spec, reports = by_language(HEAD, plain, mix, joined(*rows))

    assert spec == plain
    assert [(each.language, each.rows) for each in reports] == [("de", 0), ("fr", 0), (ALL, 0)]
    assert all(each.error.before == each.error.pooled == each.error.after for each in reports)
    assert reports[0].alarms.before == reports[0].alarms.after > 0


def test_a_wary_head_raises_no_alarm_where_the_mix_raises_none() -> None:
    """However sure the language's own texts make it: its probabilities are those of any other head, its default threshold isn't."""
    strict = structs.replace(PLAIN, calibration=Calibration(1.0, (0.78, -0.78)))
    mix = heard("", 600, 150, 0.0, measured=False).held
    rows = joined(*(heard(code, 300, 100, 0.0, measured) for code in ("de", "fr") for measured in (False, True)))
    bold, _ = by_language(HEAD, strict, mix, rows)
    wary, _ = by_language(structs.replace(HEAD, wary=True), strict, mix, rows)
    margins = np.stack([np.zeros(161), np.linspace(-8, 8, 161)], axis=1).astype(np.float32)

    def alarms(spec: HeadSpec) -> np.ndarray:
        return probabilities(spec, margins)[:, 1] >= spec.threshold

    for language in ("de", "xx"):
        assert alarms(bold.spoken(language)).sum() > alarms(strict).sum() + 5
        assert (alarms(wary.spoken(language)) == alarms(strict)).all()
        assert wary.spoken(language).calibration == bold.spoken(language).calibration
    assert same_bar(strict, strict.calibration) == pytest.approx(strict.threshold)


def test_a_label_that_a_language_hears_too_often_is_given_less() -> None:
    """Of a head with three labels as well: each language has a bias for each, and rows that only measure are told better."""
    labels = ("health", "math", "other")

    def rows(code: str, lean: float) -> Heard:
        truth = np.arange(240) % 3
        logits = RNG.normal(0, 1, (240, 3)) + 3 * np.eye(3)[truth] + lean * np.eye(3)[0]
        held = Held(logits, np.eye(3)[truth], [f"ours {code}"] * 240, np.arange(240))
        names = np.array([f"{code} {n}" for n in range(240)])
        return Heard(held, np.array([code] * 240), names, np.arange(240) % 2 == 1)

    mix = rows("", 0.0).held
    plain = HeadSpec("domain", "sequence", labels, thresholds={"default": 0.5})
    done, reports = by_language(Head("domain", labels), plain, mix, joined(rows("de", 4.0), rows("fr", 0.0)))
    german = next(report for report in reports if report.language == "de")

    assert done.languages["de"].calibration.bias[0] < done.languages["fr"].calibration.bias[0] - 0.5
    assert german.brier.after.value < 0.8 * german.brier.before.value


def test_a_head_without_attacks_in_other_languages_stays() -> None:
    """There is nothing to pool."""
    mix = heard("", 60, 20, 0.0, measured=False).held
    assert by_language(HEAD, PLAIN, mix, heard("de", 40, 0, 0.0, measured=False)) == (PLAIN, [])
