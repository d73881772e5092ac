"""Learning weights from recordings."""

from __future__ import annotations

import numpy as np
import pytest

from daemon.certifying.fit import fitted
from daemon.certifying.scorer_fit import fit_scorer
from daemon.confidence.calibration import sigmoid
from edge_models.training.metrics import auroc
from tests.fakes.recordings import drawn_rows


def test_what_tells_is_learned() -> None:
    """On new rows of the same truth the score orders answers about as well as the truth itself does."""
    scorer = fit_scorer(drawn_rows(800))
    fresh = drawn_rows(2000, seed=2)
    right = np.array([float(row.right) for row in fresh])

    learned = auroc(right, np.array([scorer.score(row.features, row.family) for row in fresh]))
    best = auroc(right, np.array([row.features.answer_mean for row in fresh]))

    assert best > 0.8
    assert learned > best - 0.02


def test_stated_on_average_is_true_on_average() -> None:
    """The rows that it learned from are right as often as it says, in each family."""
    rows = drawn_rows(400) + drawn_rows(400, seed=3, family="number", good=0.0)
    scorer = fit_scorer(rows)

    for family in ("short", "number"):
        own = [row for row in rows if row.family == family]
        stated = sum(sigmoid(scorer.score(row.features, row.family)) for row in own) / len(own)
        assert stated == pytest.approx(sum(row.right for row in own) / len(own), abs=0.02)


def test_what_says_nothing_gets_no_weight_to_speak_of() -> None:
    """Where labels have nothing to do with sureness, nine of ten answers are put near the average."""
    rows = drawn_rows(600, tells=0.0, good=0.0)
    scorer = fit_scorer(rows)

    stated = [sigmoid(scorer.score(row.features, row.family)) for row in drawn_rows(300, seed=4)]

    assert sum(abs(each - 0.5) < 0.15 for each in stated) / len(stated) > 0.9
    assert sum(stated) / len(stated) == pytest.approx(0.5, abs=0.08)


def test_features_that_nobody_tells_are_left_out() -> None:
    """Columns without spread carry no weight: this engine tells no margin."""
    names = {column.name for column in fit_scorer(drawn_rows(300)).columns}

    assert "answer_mean" in names
    assert "margin" not in names


def test_the_model_s_own_word_counts_where_it_tells() -> None:
    """A word that is right more often than not gets a weight of its sign, and the score is better for it."""
    told, fresh = drawn_rows(800, checks=1.0), drawn_rows(800, seed=8, checks=1.0)
    scorer = fit_scorer(told)
    right = np.array([float(row.right) for row in fresh])

    assert scorer.asks
    with_it = auroc(right, np.array([scorer.score(row.seen, row.family) for row in fresh]))
    assert with_it > auroc(right, np.array([scorer.score(row.features, row.family) for row in fresh])) + 0.02


@pytest.mark.parametrize("checks", [-1.0, 0.0, None])
def test_a_word_that_says_nothing_is_not_asked_for(checks: float | None) -> None:
    """One that speaks for wrong answers, for both alike, or was never given has no column."""
    assert not fit_scorer(drawn_rows(800, checks=checks)).asks


def test_weights_that_came_along_leave_out_what_was_not_recorded() -> None:
    """Labels of answers that were not asked about calibrate a score without the model's word."""
    scorer = fit_scorer(drawn_rows(800, checks=1.0))

    assert not fitted(drawn_rows(300), scorer=scorer).scorer.asks
    assert fitted(drawn_rows(300, checks=1.0), scorer=scorer).scorer.asks
