"""Points that no mixture of others is as good as."""

from __future__ import annotations

from daemon.replaying.corners import corners, thinned


def test_corners() -> None:
    """Dearer ones that are no better fall out, and those below the line between two others."""
    points = [(1.0, 0.5), (1.0, 0.4), (2.0, 0.55), (3.0, 0.8), (4.0, 0.8), (0.5, 0.1), (2.0, 0.65)]

    assert corners(points) == [5, 0, 3]


def test_thinned() -> None:
    """The ends stay."""
    assert thinned(range(3), most=4) == [0, 1, 2]
    assert thinned(range(100), most=4) == [0, 33, 66, 99]
