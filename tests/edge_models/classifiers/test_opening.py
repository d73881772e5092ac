"""Opening a directory: what belongs together, and what is missing from it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from edge_models.classifiers.base import EncoderRef, Task
from edge_models.classifiers.opening import open_encoder
from edge_models.engines.base import Broken, Unavailable
from tests.fakes.encoders import (
    PER,
    WORDS,
    config,
    lookup_graph,
    numbered,
    tiny_classifier,
    tiny_tagger,
    tiny_tokenizer,
)


def refused(folder: Path, task: Task = "token-classification") -> str:
    with pytest.raises(Unavailable) as raised:
        open_encoder(EncoderRef(str(folder), task, "onnx"))
    return str(raised.value)


def test_labels_have_to_fit_the_graph(tmp_path: Path) -> None:
    """A head with other columns than its config.json has labels is refused."""
    folder = tiny_tagger(tmp_path)
    (folder / "config.json").write_bytes(config(id2label=numbered(PER[:3])))
    assert "3 labels" in refused(folder)
    (folder / "config.json").write_bytes(config(id2label={"0": "O", "7": "B-PER"}))
    assert "id2label" in refused(folder)


def test_a_head_of_another_task_is_refused(tmp_path: Path) -> None:
    """A token head can't classify texts, nor the other way round."""
    assert "labels" in refused(tiny_tagger(tmp_path / "a"), "text-classification")
    assert "labels" in refused(tiny_classifier(tmp_path / "b"), "token-classification")


def test_a_vocabulary_that_does_not_belong_is_refused(tmp_path: Path) -> None:
    """A tokenizer with more tokens than the model has would read past its table."""
    folder = tiny_tagger(tmp_path)
    tiny_tokenizer(folder / "tokenizer.json", (*WORDS, "extra"))
    assert "15 tokens and the model 14" in refused(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    """What is not there is said by its name."""
    folder = tiny_tagger(tmp_path)
    (folder / name).unlink()
    assert name in refused(folder)


def test_a_graph_that_is_no_encoder_is_refused(tmp_path: Path) -> None:
    """Inputs that no encoder of text has are named."""
    folder = tiny_tagger(tmp_path)
    data = (folder / "model.onnx").read_bytes().replace(b"attention_mask", b"attention_hask")
    (folder / "model.onnx").write_bytes(data)
    assert "attention_hask" in refused(folder)


def test_what_is_no_number_is_no_answer(tmp_path: Path) -> None:
    """A graph that gives NaN is refused when it is opened, and broken when it does so later."""
    folder = tiny_tagger(tmp_path)
    table = np.zeros((len(WORDS), len(PER)))
    table[WORDS.index("bad")] = np.nan
    lookup_graph(folder / "model.onnx", table, per_token=True)
    head = open_encoder(EncoderRef(str(folder), "token-classification", "onnx"))
    with pytest.raises(Broken, match="no numbers"):
        head.spans(("bad",))  # type: ignore[union-attr]
    table[:] = np.nan
    lookup_graph(folder / "model.onnx", table, per_token=True)
    assert "plain sentence" in refused(folder)


def test_errors_hold_no_words_of_the_text(tmp_path: Path) -> None:
    """What fails on a text doesn't quote it."""
    folder = tiny_tagger(tmp_path)
    table = np.full((len(WORDS), len(PER)), np.nan)
    table[:4] = 0
    lookup_graph(folder / "model.onnx", table, per_token=True)
    head = open_encoder(EncoderRef(str(folder), "token-classification", "onnx"))
    with pytest.raises(Broken) as raised:
        head.spans(("alice met bob",))  # type: ignore[union-attr]
    assert "alice" not in str(raised.value)


def test_json_of_a_config_is_bounded(tmp_path: Path) -> None:
    """A config.json that is huge, deep or none costs an Unavailable."""
    folder = tiny_tagger(tmp_path)
    for data in (b" " * 5_000_000, b"[" * 100_000, b"\xff", json.dumps({"max_position_embeddings": -1}).encode()):
        (folder / "config.json").write_bytes(data)
        assert "config.json" in refused(folder)
