"""Drawn pictures."""

import numpy as np
import pytest

from edge_models.training.pictures.looks import KINDS, all_drawn, drawn
from edge_models.training.pictures.pen import Pen
from edge_models.training.pictures.wear import photographed, turned


@pytest.mark.parametrize("kind", KINDS)
def test_every_look_can_be_drawn(kind: str) -> None:
    """Each gives an RGB picture with something on it, and its number decides which."""
    made = [drawn(kind, number, 3) for number in range(len(KINDS[kind].looks))]
    assert [each.look for each in made] == [look.__name__ for look in KINDS[kind].looks]
    assert all(each.image.mode == "RGB" and min(each.image.size) >= 8 for each in made)
    assert sum(np.asarray(each.image).std() > 1 for each in made) >= len(made) - 1


def test_a_number_gives_the_same_picture() -> None:
    """With the same seed; and another with another."""
    one, same, other = (np.asarray(drawn("receipt", 5, seed).image) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert one.shape != other.shape or not np.array_equal(one, other)


def test_each_kind_gets_its_number() -> None:
    """So many of each."""
    found = [each.kind for each in all_drawn(1, 1)]
    assert sorted(found) == sorted(KINDS)


def test_a_photographed_page_lies_on_something() -> None:
    """The corners of the photograph aren't the page."""
    pen = Pen("page")
    page, _ = pen.blank(300, 400, (255, 0, 255))
    seen = np.asarray(photographed(pen, page), np.float32)
    middle = seen[seen.shape[0] // 2, seen.shape[1] // 2]
    assert middle[0] > middle[1] + 50
    assert middle[2] > middle[1] + 50
    assert abs(float(seen[2, 2, 0] - middle[0])) + abs(float(seen[2, 2, 1] - middle[1])) > 20


def test_a_turned_picture_keeps_its_corners() -> None:
    """It grows instead."""
    image, _ = Pen("turn").blank(200, 100, (0, 0, 0))
    assert turned(image, 10).size > (200, 100)
