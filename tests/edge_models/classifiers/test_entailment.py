"""Heads over two texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.entailment import columns, is_entailment
from edge_models.classifiers.opening import open_encoder
from edge_models.engines.base import Unavailable
from tests.fakes.encoders import config, numbered, tiny_classifier, tiny_entailer


@pytest.mark.parametrize(
    ("labels", "places"),
    [
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), [2, 1, 0]),
        (("entailment", "neutral", "contradiction"), [0, 1, 2]),
        (("contradicts", "entails", "neutral"), [1, 2, 0]),
    ],
)
def test_labels_are_known_by_their_names(labels: tuple[str, ...], places: list[int]) -> None:
    """In any order."""
    assert columns(labels) == places


@pytest.mark.parametrize(
    "labels",
    [("entailment", "not_entailment"), ("LABEL_0", "LABEL_1", "LABEL_2"), ("entailment", "entailed", "neutral")],
)
def test_other_labels_are_refused(labels: tuple[str, ...]) -> None:
    """A number says nothing about which is which."""
    with pytest.raises(Unavailable, match="id2label"):
        columns(labels)


def test_a_directory_says_what_it_is(tmp_path: Path) -> None:
    """By its labels."""
    assert is_entailment(tiny_entailer(tmp_path / "pairs"))
    assert not is_entailment(tiny_classifier(tmp_path / "single"))
    assert not is_entailment(tmp_path / "nothing")


def test_a_tokenizer_that_knows_no_pairs_is_refused(tmp_path: Path) -> None:
    """Two texts that run into each other would be read as one."""
    folder = tiny_entailer(tmp_path)
    plain = json.loads((folder / "tokenizer.json").read_text())
    plain["post_processor"]["pair"] = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    (folder / "tokenizer.json").write_text(json.dumps(plain))

    with pytest.raises(Unavailable, match="two texts are parted"):
        open_encoder(EncoderRef(str(folder), "entailment", "onnx"))


def test_another_head_is_refused(tmp_path: Path) -> None:
    """By its labels, or by what it gives."""
    with pytest.raises(Unavailable, match="id2label"):
        open_encoder(EncoderRef(str(tiny_classifier(tmp_path / "a")), "entailment", "onnx"))
    folder = tiny_classifier(tmp_path / "b")
    (folder / "config.json").write_bytes(config(id2label=numbered(("entailment", "neutral", "contradiction"))))
    with pytest.raises(Unavailable, match="3 labels"):
        open_encoder(EncoderRef(str(folder), "entailment", "onnx"))
