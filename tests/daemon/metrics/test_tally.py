"""The numbers of metrics."""

from __future__ import annotations

from daemon.metrics.base import Metric
from daemon.metrics.tally import Tally

HITS = Metric("hits_total", "counter", "Hits.", ("who", "how"))
TIMES = Metric("times_seconds", "histogram", "Times.", ("who",), (0.1, 1.0))
PLAIN = Metric("plain_total", "counter", "Plain.")


def test_a_bound_belongs_to_its_bucket() -> None:
    """Counts are cumulative, as `le` says; what is beyond all bounds is in the last one."""
    tally = Tally([TIMES])
    for value in (0.05, 0.1, 0.11, 1.0, 7.0):
        tally.observe(TIMES, value, "me")

    (reading,) = tally.readings()
    ((labels, counts, total),) = reading.bins
    assert (labels, counts) == (("me",), (2, 4, 5))
    assert abs(total - 8.26) < 1e-9


def test_one_without_labels_is_there_from_the_start() -> None:
    """So that a rate can be told from nothing; with labels there is no series before there is something."""
    assert [each.values for each in Tally([PLAIN, HITS]).readings()] == [(((), 0.0),), ()]


def test_series_are_bounded() -> None:
    """What would be one too many is `other`, and nothing is lost."""
    tally = Tally([HITS, TIMES], most=3)
    for number in range(100):
        tally.add(HITS, f"n{number}", "x", by=2)
        tally.observe(TIMES, 0.5, f"n{number}")

    hits, times = tally.readings()
    assert len(hits.values) == len(times.bins) == 4
    assert dict(hits.values)["other", "other"] == 97 * 2
    assert sum(value for _, value in hits.values) == 200
    assert times.bins[-1][0] == ("other",)
    assert times.bins[-1][1][-1] == 97


def test_a_reading_changes_no_more() -> None:
    """It is written in another thread."""
    tally = Tally([HITS, TIMES])
    tally.add(HITS, "a", "b")
    tally.observe(TIMES, 0.5, "a")
    before = tally.readings()
    copy = repr(before)
    tally.add(HITS, "a", "b")
    tally.observe(TIMES, 0.5, "a")

    assert repr(before) == copy
    assert tally.readings() != before
