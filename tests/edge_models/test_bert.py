"""BERT from safetensors, against the same arithmetic in numpy."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from edge_models import openvino_gate
from edge_models.bert import bert_model
from edge_models.engines.base import Unavailable

WIDTH, HEADS, INNER, WORDS, LABELS = 8, 2, 12, 20, 3
CONFIG = {
    "model_type": "bert",
    "vocab_size": WORDS,
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "num_hidden_layers": 1,
    "max_position_embeddings": 16,
    "layer_norm_eps": 1e-12,
}


def weights(prefix: str = "") -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    shapes = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (16, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    layer = "encoder.layer.0."
    for name, out, into in (
        (layer + "attention.self.query", WIDTH, WIDTH),
        (layer + "attention.self.key", WIDTH, WIDTH),
        (layer + "attention.self.value", WIDTH, WIDTH),
        (layer + "attention.output.dense", WIDTH, WIDTH),
        (layer + "intermediate.dense", INNER, WIDTH),
        (layer + "output.dense", WIDTH, INNER),
        ("pooler.dense", WIDTH, WIDTH),
    ):
        shapes |= {f"{name}.weight": (out, into), f"{name}.bias": (out,)}
    for name in ("embeddings.LayerNorm", layer + "attention.output.LayerNorm", layer + "output.LayerNorm"):
        shapes |= {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}
    made = {prefix + name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    made |= {"classifier.weight": rng.normal(size=(LABELS, WIDTH)).astype(np.float32)}
    return made | {"classifier.bias": rng.normal(size=LABELS).astype(np.float32)}


def written(folder: Path, tensors: dict[str, np.ndarray], **more: object) -> Path:
    header, data = {}, b""
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    (folder / "config.json").write_text(json.dumps(CONFIG | more))
    return folder


def expected(w: dict[str, np.ndarray], ids: np.ndarray) -> np.ndarray:
    """The last layer, (tokens, width), in plain numpy."""
    from math import erf

    def norm(name: str, x: np.ndarray) -> np.ndarray:
        spread = np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return (x - x.mean(-1, keepdims=True)) / spread * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(name: str, x: np.ndarray) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    e = "embeddings."
    words, places = w[e + "word_embeddings.weight"][ids], w[e + "position_embeddings.weight"][: len(ids)]
    x = norm(e + "LayerNorm", words + places + w[e + "token_type_embeddings.weight"][0])
    p = "encoder.layer.0."
    q, k, v = (
        linear(p + f"attention.self.{n}", x).reshape(-1, HEADS, WIDTH // HEADS) for n in ("query", "key", "value")
    )
    seen = np.empty_like(q)
    for head in range(HEADS):
        scores = q[:, head] @ k[:, head].T / np.sqrt(WIDTH // HEADS)
        chances = np.exp(scores - scores.max(-1, keepdims=True))
        seen[:, head] = chances / chances.sum(-1, keepdims=True) @ v[:, head]
    x = norm(p + "attention.output.LayerNorm", x + linear(p + "attention.output.dense", seen.reshape(-1, WIDTH)))
    inner = linear(p + "intermediate.dense", x)
    inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
    return norm(p + "output.LayerNorm", x + linear(p + "output.dense", inner))


def run(folder: Path, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    compiled = (
        openvino_gate.openvino().Core().compile_model(bert_model(folder), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    )
    feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return np.array(compiled(feeds)[0])


IDS = np.array([2, 5, 7, 3], np.int64)


@pytest.mark.parametrize(("prefix", "scale", "shift"), [("", "weight", "bias"), ("bert.", "gamma", "beta")])
def test_the_graph_is_bert(prefix: str, scale: str, shift: str, tmp_path: Path) -> None:
    """Token vectors equal numpy's, under new names and old ones, alone or padded in a batch."""
    names = {"LayerNorm.weight": f"LayerNorm.{scale}", "LayerNorm.bias": f"LayerNorm.{shift}"}
    tensors = {
        name.replace(norm, names[norm]) if (norm := name[name.find("LayerNorm") :]) in names else name: tensor
        for name, tensor in weights(prefix).items()
    }
    folder = written(tmp_path, tensors)
    batch = np.stack([np.pad(IDS, (0, 2)), np.array([2, 4, 4, 4, 4, 3])])
    mask = np.array([[1, 1, 1, 1, 0, 0], [1] * 6])

    found = run(folder, batch, mask)

    np.testing.assert_allclose(found[0, :4], expected(weights(), IDS), atol=1e-4)
    np.testing.assert_allclose(found[1], expected(weights(), batch[1]), atol=1e-4)


def test_the_heads(tmp_path: Path) -> None:
    """A token head is a matrix over each token, a sequence head one over the pooled first."""
    w, ids = weights("bert."), IDS[np.newaxis]
    hidden = expected(weights(), IDS)
    folder = written(tmp_path, w, architectures=["BertForTokenClassification"])
    tokens = hidden @ w["classifier.weight"].T + w["classifier.bias"]
    np.testing.assert_allclose(run(folder, ids, np.ones_like(ids))[0], tokens, atol=1e-4)

    folder = written(tmp_path, w, architectures=["BertForSequenceClassification"])
    pooled = np.tanh(hidden[0] @ w["bert.pooler.dense.weight"].T + w["bert.pooler.dense.bias"])
    whole = pooled @ w["classifier.weight"].T + w["classifier.bias"]
    np.testing.assert_allclose(run(folder, ids, np.ones_like(ids))[0], whole, atol=1e-4)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"model_type": "roberta"}, "export"),
        ({"hidden_act": "relu"}, "export"),
        ({"position_embedding_type": "relative_key"}, "export"),
        ({"num_attention_heads": 0}, "export"),
        ({"num_attention_heads": 3}, "belong together"),
        ({"vocab_size": 7}, "belong together"),
        ({"num_hidden_layers": 2}, "lacks tensors"),
    ],
)
def test_what_is_no_bert_is_refused(more: dict[str, object], why: str, tmp_path: Path) -> None:
    """Other architectures, and weights that don't fit their config.json, are told with a remedy."""
    with pytest.raises(Unavailable, match=why):
        bert_model(written(tmp_path, weights(), **more))
