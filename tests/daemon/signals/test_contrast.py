"""Kinds by examples."""

from __future__ import annotations

import pytest

from daemon.signals.contrast import contrast, shares
from tests.fakes.signal_parts import with_models


def test_shares_add_up() -> None:
    """A lead grows with the sharpness."""
    found = shares({"a": 0.6, "b": 0.5})

    assert sum(found.values()) == pytest.approx(1)
    assert found["a"] / found["b"] == pytest.approx(3.32, abs=0.01)


def test_the_nearest_kind_has_the_largest_share() -> None:
    """By the shipped encoder's vectors."""
    kinds = {"weather": ("will it rain",), "code": ("write a function", "fix a bug")}
    found = contrast(with_models().vectors, "implement a sorting function", kinds)

    assert found["code"] > 0.7
