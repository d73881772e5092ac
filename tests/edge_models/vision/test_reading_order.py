"""Lines in the order in which they are read."""

from __future__ import annotations

import numpy as np
import pytest

from edge_models.vision.reader import Words
from edge_models.vision.reading_order import in_order


def words(text: str, x: float, y: float, width: float = 100, angle: float = 0.0) -> Words:
    box = np.array([[x, y], [x + width, y], [x + width, y + 20], [x, y + 20]], np.float32)
    turn = np.radians(angle)
    back = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]], np.float32)
    return Words(text, box @ back, 0.9)


PAGE = [("c", 0, 80), ("a", 0, 0), ("value", 130, 1), ("far", 500, 2), ("b", 10, 40)]


@pytest.mark.parametrize("angle", [0, 5, -5, 12, 90, 180])
def test_order(angle: float) -> None:
    """Rows from the top, a label with its value beside it, columns apart; also in a picture that is held askew."""
    text, lines = in_order([words(name, x, y, angle=angle) for name, x, y in PAGE])
    assert text == "a value\nfar\nb\nc"
    assert [text[line.start : line.end] for line in lines] == ["a", "value", "far", "b", "c"]


def test_beginning_elsewhere() -> None:
    """Places count from where the text begins in a longer one."""
    text, lines = in_order([words("one", 0, 0), words("two", 0, 50)], page=3, start=10)
    assert text == "one\ntwo"
    assert [(line.start, line.end, line.page) for line in lines] == [(10, 13, 3), (14, 17, 3)]


def test_nothing() -> None:
    """No lines are no text."""
    assert in_order([]) == ("", ())
