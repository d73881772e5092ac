"""Pictures as features, kept between runs."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge_models.training.pictures.gathered import Found
from edge_models.training.pictures.samples import Seer
from edge_models.vision.encoder import PictureEncoder
from edge_models.vision.kinds import folder

FOUND = Found(Image.new("RGB", (40, 30), (9, 8, 7)), "photo", "somebody", "a")


@pytest.fixture(scope="module")
def encoder() -> PictureEncoder:
    return PictureEncoder(folder())


def test_what_is_kept_is_not_made_again(encoder: PictureEncoder, tmp_path: Path) -> None:
    """By the same graph, even of another seer."""

    def nobody() -> Iterator[Found]:
        raise AssertionError("made again")

    first = Seer(encoder, {"graph.xml": "a", "graph.bin": "b"}, tmp_path).kept("some", lambda: [FOUND])
    second = Seer(encoder, {"graph.xml": "a", "graph.bin": "b"}, tmp_path).kept("some", nobody)
    assert np.array_equal(first.inputs, second.inputs)
    assert second.sources.tolist() == ["somebody"]


def test_features_of_another_graph_are_made_again(encoder: PictureEncoder, tmp_path: Path) -> None:
    """Else a head would learn from features that no picture gets any more."""
    Seer(encoder, {"graph.xml": "a", "graph.bin": "b"}, tmp_path).kept("some", lambda: [FOUND])
    other = FOUND._replace(kind="chart", source="other")
    again = Seer(encoder, {"graph.xml": "a", "graph.bin": "c"}, tmp_path).kept("some", lambda: [other])
    assert again.sources.tolist() == ["other"]


def test_files_of_before_are_made_again(encoder: PictureEncoder, tmp_path: Path) -> None:
    """They don't say by which graph they are."""
    np.savez(tmp_path / "some.npz", inputs=np.zeros((1, 2)), kinds=np.zeros(1), sources=np.array(["before"]))
    again = Seer(encoder, {"graph.xml": "a"}, tmp_path).kept("some", lambda: [FOUND])
    assert again.sources.tolist() == ["somebody"]
