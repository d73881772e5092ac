"""Places for small print."""

from __future__ import annotations

from daemon.replaying.labels import Labels


def test_beside_its_point() -> None:
    """To the right of it, where nothing is in the way; to the left, where the field ends."""
    left, base = Labels(0, 500, 300).place(100, 100, "a model")

    assert (100 < left < 120, abs(base - 100) < 8) == (True, True)
    assert Labels(0, 500, 300).place(480, 100, "a model")[0] < 480


def test_out_of_the_way() -> None:
    """Names of neighbours don't lie on each other, nor on a mark or a line that can be avoided."""
    labels = Labels(0, 500, 300)
    labels.line([(0, 100), (500, 100)])
    first, second = (labels.place(100, y, "a model with a long name") for y in (100, 112))
    labels.mark(320, 200)

    assert abs(first[1] - 100) > 8
    assert abs(first[1] - second[1]) >= 15 or abs(first[0] - second[0]) >= 150
    assert labels.place(300, 200, "x" * 20)[0] < 300
