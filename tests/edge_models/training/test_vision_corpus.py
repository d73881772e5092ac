"""The pictures that encoders are compared on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from edge_models.engines.base import Unavailable
from edge_models.training.vision_corpus import drawn, of_folder
from edge_models.training.vision_labels import ALL, LABELS
from edge_models.vision.pixels import Limits, opened
from tests.fakes.siglip import picture, png


def test_they_are_always_the_same_and_all_unlike() -> None:
    """Byte for byte, with names of their own."""
    first, second = drawn(), drawn()
    assert first == second
    assert len({each.name for each in first}) == len({each.data for each in first}) == len(first) >= 30


def test_each_can_be_seen_and_the_turned_ones_are_turned() -> None:
    """Sizes from one pixel to megapixels, four formats or more; no picture of a turned one looks alike from two sides."""
    seen = {each.name: opened(each.data, Limits()) for each in drawn()}
    assert {each.form for each in seen.values()} >= {"png", "jpeg", "webp"}
    sizes = [each.image.size for each in seen.values()]
    assert min(map(min, sizes)) == 1
    assert max(map(max, sizes)) > 1000
    for number in range(2, 9):
        image = seen[f"EXIF orientation {number}"].image
        upright = image.width > image.height
        assert upright == (number < 5)
        values = np.asarray(image, np.int16)
        assert all(np.abs(values - values[rows, columns]).mean() > 2 for rows, columns in _TURNS)


_TURNS = ((slice(None, None, -1), slice(None)), (slice(None), slice(None, None, -1)))


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    """By name, what is no picture left out."""
    with pytest.raises(Unavailable, match="no pictures"):
        of_folder(tmp_path)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.PNG").write_bytes(png(picture(2)))
    (tmp_path / "one.png").write_bytes(png(picture(1)))
    (tmp_path / "notes.txt").write_text("no picture")
    assert [each.name for each in of_folder(tmp_path)] == ["b/two.PNG", "one.png"]


def test_labels_are_seven_of_three_kinds() -> None:
    """21, none twice."""
    assert [len(labels) for labels in LABELS.values()] == [7, 7, 7]
    assert Counter(ALL).most_common(1)[0][1] == 1
