"""What a reader is told of an export."""

from __future__ import annotations

import pytest

from edge_models.training.parity import Parity
from edge_models.training.report import Report, Side, table


def _report(value: float) -> Report:
    found = Parity("mean cosine", value, 36, {"least cosine": 0.9})
    return Report("feature-extraction", "int8", "float", found, 0.99, Side(90_900_000, 12.34), Side(23_000_000, 3.0))


def test_the_table() -> None:
    """A reader finds sizes, times, the measure, its floor and the verdict."""
    said = table(_report(0.9994))
    assert [line.split() for line in said.splitlines()][1:4] == [
        ["size", "90.9", "MB", "23.0", "MB", "(25%)"],
        ["one", "text,", "median", "12.3", "ms", "3.0", "ms"],
        ["mean", "cosine", "0.9994", "(at", "least", "0.99:", "passed)"],
    ]
    assert "refused" in table(_report(0.5))


@pytest.mark.parametrize(("value", "passed"), [(0.99, True), (0.9899, False), (float("nan"), False)])
def test_the_verdict(value: float, passed: bool) -> None:
    """The floor itself passes; under it, and what is no number, doesn't."""
    assert _report(value).passed is passed
    assert "0.99 or more" in _report(value).reason
