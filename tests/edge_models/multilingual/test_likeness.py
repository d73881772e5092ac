"""Likenesses on the English encoder's scale."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_models.engines.base import Unavailable
from edge_models.multilingual.likeness import FILE, Scale, read_scale

SCALE = Scale(((0.0, -0.1), (0.2, 0.1), (0.4, 0.3), (0.8, 1.0)))


@pytest.mark.parametrize(
    ("likeness", "english"), [(0.0, -0.1), (0.1, 0.0), (0.2, 0.1), (0.6, 0.65), (0.8, 1.0), (0.9, 1.0), (-0.1, -0.2)]
)
def test_points_are_joined(likeness: float, english: float) -> None:
    """And beyond the ends it goes on, up to 1."""
    assert SCALE.english(likeness) == pytest.approx(english)


def test_it_never_falls() -> None:
    """What is nearer stays nearer."""
    found = [SCALE.english(place / 100) for place in range(-100, 101)]
    assert found == sorted(found)
    assert -1 <= found[0] <= found[-1] <= 1


@pytest.mark.parametrize("data", [b"", b"{}", b'{"points": [[0, 0]]}'])
def test_a_damaged_file_is_refused(tmp_path: Path, data: bytes) -> None:
    """With a remedy."""
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(Unavailable, match="install"):
        read_scale(tmp_path)
