"""Numbers about a head."""

import json

import numpy as np

from edge_models.training.pictures.gathered import LABELS
from edge_models.training.pictures.making import PROVENANCE, REPORT, graph_of
from edge_models.training.pictures.measuring import Share, details, line, mean_f1, measured, numbers
from edge_models.vision.kinds import folder


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
    assert found.mean_f1 is not None
    assert found.mean_f1.interval[0] <= found.mean_f1.value <= found.mean_f1.interval[1]
    assert numbers(found) == {"pictures": 40, "right": 0.95, "macro_f1": found.mean_f1.value}
    assert "| receipt | 0.900" in details(found)
    assert line(found).startswith("| set | 40 |")


def test_few_pictures_are_not_in_the_mean() -> None:
    """A kind that is asked for and found nowhere counts as nought; one that nobody asked for isn't there."""
    truth, guess = np.array([1, 1, 2]), np.array([1, 1, 1])
    assert mean_f1(truth, guess, [2]) == 0.0
    assert mean_f1(truth, guess, [1]) == 0.8


def test_of_one_kind_the_share_told_right_is_told() -> None:
    """A mean F1 of one kind, or of none with enough pictures, would be a number without a meaning."""
    truth = np.array([LABELS.index("receipt")] * 30 + [LABELS.index("chart")] * 10)
    logits = np.zeros((40, len(LABELS)))
    logits[:, LABELS.index("receipt")] = 9
    for part in (slice(30), slice(40), slice(30, 40)):
        found = measured("set", logits[part], truth[part], 1.0, 0.2)
        assert found.mean_f1 is None
        assert numbers(found) == {"pictures": found.accuracy.count, "right": found.accuracy.value}
        assert line(found).startswith(f"| set | {found.accuracy.count} | – | {found.accuracy.value:.3f} [")


def test_what_is_shipped_tells_its_numbers_twice_alike() -> None:
    """Each row of the report stands in the provenance, and no other; a mean F1 in both or in neither."""
    provenance = json.loads((folder() / PROVENANCE).read_bytes())
    report = (folder() / REPORT).read_text(encoding="utf-8")
    table = report[report.index("| on | n |") :].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    assert [row[0] for row in rows] == list(provenance["metrics"])
    for name, count, mean, right, *_ in rows:
        told = provenance["metrics"][name]
        assert (str(told["pictures"]), f"{told['right']:.3f}") == (count, right.split()[0])
        assert ("macro_f1" in told) is (mean != "–")
        assert mean == "–" or mean.split()[0] == f"{told['macro_f1']:.3f}"


def test_a_head_of_another_graphs_features_is_told() -> None:
    """Where features were kept from a graph that isn't the shipped one, provenance and report say so."""
    provenance = json.loads((folder() / PROVENANCE).read_bytes())
    report = (folder() / REPORT).read_text(encoding="utf-8")
    elsewhere = provenance["features_by"] != graph_of(folder())
    assert ("note" in provenance) is elsewhere
    assert ("earlier graph" in report) is elsewhere
