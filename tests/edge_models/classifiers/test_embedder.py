"""Embeddings of MiniLM: two runtimes and two builds agree, and planted faults don't pass for agreement."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer as Library

from edge_models import tokenizer as tokenizer_module
from edge_models.classifiers import embedder as embedder_module
from edge_models.classifiers.base import EncoderRef, Placement
from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.opening import open_encoder
from edge_models.pooling import Floats, mean_pool
from edge_models.training.parity import FLOORS, embeddings
from tests.fakes.bert_onnx import write_bert
from tests.fakes.minilm import SENTENCES, minilm, minilm_onnx

ENOUGH = 0.999


def opened(folder: Path, runtime: str) -> TextEmbedder:
    encoder = open_encoder(EncoderRef(str(folder), "feature-extraction", runtime))
    assert isinstance(encoder, TextEmbedder)
    return encoder


@pytest.fixture(scope="module")
def onnx_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MiniLM as a float ONNX graph."""
    folder = tmp_path_factory.mktemp("onnx")
    write_bert(minilm(), folder / "model.onnx")
    for name in ("tokenizer.json", "config.json"):
        shutil.copyfile(minilm() / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def original(onnx_folder: Path) -> Floats:
    """What ONNX Runtime makes of the float graph."""
    return opened(onnx_folder, "onnx").embed(SENTENCES)


def test_openvino_agrees_with_onnx_runtime(original: Floats) -> None:
    """Our graph from safetensors in OpenVINO, and an ONNX graph in ONNX Runtime, give one vector for one sentence."""
    found = embeddings(original, opened(minilm(), "openvino").embed(SENTENCES))

    assert found.more["least cosine"] >= ENOUGH
    assert found.more["same nearest neighbour"] == 1


def test_int8_agrees_with_float(original: Floats, tmp_path: Path) -> None:
    """The int8 graph that others made of MiniLM is the same model."""
    found = embeddings(original, opened(minilm_onnx(tmp_path), "onnx").embed(SENTENCES))

    assert found.value >= ENOUGH
    assert found.more["least cosine"] >= 0.998


def _no_mask(hidden: Floats, mask: np.ndarray) -> Floats:
    return mean_pool(hidden, np.ones_like(mask))


def _wrong_pooling(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')


def _padded_without_mask(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Pad to 128 as MiniLM's file says, and let nobody know."""
    plain = tokenizer_module._window

    def padded(encoding: object, before: int, after: int) -> tokenizer_module.Window:
        window = plain(encoding, before, after)
        wide = np.pad(window.ids, (0, 128 - len(window.ids)))
        return tokenizer_module.Window(wide, np.zeros_like(wide), window.offsets, window.words, window.own)

    monkeypatch.setattr(tokenizer_module, "_window", padded)


def _mask_forgotten_in_pooling(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Pad under the graph's mask, as for one length, and forget it when pooling."""
    monkeypatch.setitem(embedder_module.POOLINGS, "mean", _no_mask)


def _cut_vocabulary(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The last 20,000 words are gone; what was one token is several, or unknown."""
    data = json.loads((folder / "tokenizer.json").read_text())
    data["model"]["vocab"] = {word: id for word, id in data["model"]["vocab"].items() if id < 10_000}
    Library.from_str(json.dumps(data)).save(str(folder / "tokenizer.json"))


@pytest.mark.parametrize(
    ("fault", "static_tokens"),
    [
        (_wrong_pooling, None),
        (_padded_without_mask, None),
        (_mask_forgotten_in_pooling, 128),
        (_cut_vocabulary, None),
    ],
)
def test_a_planted_fault_is_caught(
    fault: Callable[[pytest.MonkeyPatch, Path], None],
    static_tokens: int | None,
    original: Floats,
    onnx_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of the faults that such a chain is known for falls under the floor that exports are held to."""
    folder = tmp_path / "m"
    shutil.copytree(onnx_folder, folder)
    fault(monkeypatch, folder)
    ref = EncoderRef(str(folder), "feature-extraction", "onnx")
    if static_tokens:
        ref = EncoderRef(str(folder), "feature-extraction", "onnx", Placement(static_tokens=static_tokens))
    faulty = open_encoder(ref)
    assert isinstance(faulty, TextEmbedder)

    found = embeddings(original, faulty.embed(SENTENCES))

    assert found.value < FLOORS["feature-extraction"], found


def test_a_long_text_is_read_whole(original: Floats) -> None:
    """What stands at the end of a text of many windows moves its vector; a text without words has one too."""
    embedder = opened(minilm(), "openvino")
    filler = "The committee approved the minutes of the last meeting. " * 60
    end = "My cat sat on the warm windowsill. " * 60
    ends = embedder.embed((filler, filler + end, end, ""))

    assert ends[1] @ ends[2] > ends[0] @ ends[2] + 0.2
    np.testing.assert_allclose(np.linalg.norm(ends, axis=1), 1, atol=1e-5)
