"""Numbers of tokens, and bounds."""

from __future__ import annotations

import pytest

from daemon.recipes.values import Bounds, tokens


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("0", 0),
        (7999, 7999),
        ("1K", 1000),
        ("32k", 32_000),
        ("1.5K", 1500),
        ("1M", 1_000_000),
        (" 8K ", 8000),
        ("", None),
        ("K", None),
        ("-1", None),
        (-1, None),
        ("1G", None),
        ("1e3", None),
        ("9999999999999999M", None),
    ],
)
def test_tokens(written: str | int, count: int | None) -> None:
    """K is a thousand and M a million, as in upstream's configurations."""
    assert tokens(written) == count


def test_bounds() -> None:
    """All that are given must hold."""
    band = Bounds(gte=0.2, lt=0.5)

    assert [band.hold(value) for value in (0.1, 0.2, 0.4, 0.5)] == [False, True, True, False]
    assert Bounds(gt=0.2, lte=0.5).hold(0.2) is False
    assert band.edges == (0.2, 0.5)
