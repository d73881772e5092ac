"""Numbers about a head."""

import numpy as np

from edge_models.training.pictures.gathered import LABELS
from edge_models.training.pictures.measuring import Share, details, line, mean_f1, measured


def test_an_interval_is_wilsons() -> None:
    """40 of 40 prove some 91 %; 5 of 10 hardly anything; of nothing nothing is known."""
    low, high = Share(40, 40).interval
    assert 0.91 < low < 0.92
    assert high == 1.0
    assert Share(0, 0).interval == (0.0, 1.0)
    low, high = Share(5, 10).interval
    assert abs(low - 0.2366) < 0.001
    assert abs(high - 0.7634) < 0.001


def test_kinds_alarms_and_misses_are_counted() -> None:
    """Twenty receipts, two of them taken for identity documents, which is also feared of a third."""
    truth = np.array([LABELS.index("receipt")] * 20 + [0] * 20)
    logits = np.zeros((40, len(LABELS)))
    logits[np.arange(40), truth] = 9
    logits[:2] = 0
    logits[:2, 0] = 9
    logits[2, 0] = 8
    found = measured("set", logits, truth, 1.0, 0.2)
    by_kind = {each.kind: each for each in found.kinds}
    assert (by_kind["receipt"].recall.hits, by_kind["receipt"].precision.count) == (18, 18)
    assert (by_kind["identity_document"].precision.hits, by_kind["identity_document"].precision.count) == (20, 22)
    assert (found.alarms.hits, found.alarms.count) == (3, 20)
    assert (found.found.hits, found.found.count) == (20, 20)
    assert found.interval[0] <= found.macro_f1 <= found.interval[1]
    assert "| receipt | 0.900" in details(found)
    assert line(found).startswith("| set | 40 |")


def test_few_pictures_are_not_in_the_mean() -> None:
    """A kind that is asked for and found nowhere counts as nought; one that nobody asked for isn't there."""
    truth, guess = np.array([1, 1, 2]), np.array([1, 1, 1])
    assert mean_f1(truth, guess, [2]) == 0.0
    assert mean_f1(truth, guess, [1]) == 0.8
