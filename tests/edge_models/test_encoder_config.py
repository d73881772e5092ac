"""What an encoder's directory says of itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge_models.encoder_config import MOST_WINDOW_TOKENS, read_config, read_pooling
from edge_models.engines.base import Unavailable
from tests.fakes.minilm import minilm


def config(folder: Path, **fields: object) -> Path:
    (folder / "config.json").write_text(json.dumps(fields))
    return folder


def modules(folder: Path, pooling: dict[str, bool], *types: str) -> Path:
    names = ["Transformer", "Pooling", *types]
    listed = [{"type": f"sentence_transformers.models.{name}", "path": f"{n}_{name}"} for n, name in enumerate(names)]
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return folder


def test_minilm() -> None:
    """The real files: 512 tokens, averaged."""
    assert read_config(minilm()).window_tokens == 512
    assert read_config(minilm()).vocab_size == 30522
    assert read_pooling(minilm()) == "mean"


def test_the_window(tmp_path: Path) -> None:
    """RoBERTa's first two positions are never used, a huge window is bounded, and none is an error."""
    assert read_config(config(tmp_path, model_type="roberta", max_position_embeddings=514)).window_tokens == 512
    assert read_config(config(tmp_path, max_position_embeddings=10**9)).window_tokens == MOST_WINDOW_TOKENS
    with pytest.raises(Unavailable, match="window"):
        assert read_config(config(tmp_path)).window_tokens


def test_labels(tmp_path: Path) -> None:
    """Labels are ordered by their numbers; a gap is an error."""
    assert read_config(config(tmp_path, id2label={"1": "b", "0": "a"})).labels == ("a", "b")
    for wrong in ({"1": "b"}, {}, {"x": "a"}):
        with pytest.raises(Unavailable, match="labels"):
            assert read_config(config(tmp_path, id2label=wrong)).labels


def test_pooling(tmp_path: Path) -> None:
    """CLS is read, the mean is what is taken where nothing is said, and another way is refused."""
    assert read_pooling(tmp_path) == "mean"
    (tmp_path / "a").mkdir()
    assert read_pooling(modules(tmp_path / "a", {"pooling_mode_cls_token": True}, "Normalize")) == "cls"
    (tmp_path / "b").mkdir()
    with pytest.raises(Unavailable, match="pooled"):
        read_pooling(modules(tmp_path / "b", {"pooling_mode_max_tokens": True}))


def test_a_layer_after_the_pooling_is_refused(tmp_path: Path) -> None:
    """A model whose vectors go through one more matrix is not run without it."""
    with pytest.raises(Unavailable, match="layers after"):
        read_pooling(modules(tmp_path, {"pooling_mode_mean_tokens": True}, "Dense"))
