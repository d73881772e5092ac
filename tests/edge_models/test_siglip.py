"""SigLIP from safetensors, against the same arithmetic in numpy."""

from __future__ import annotations

import json
from math import erf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable
from edge_models.siglip import in_int8, read_siglip_config, siglip_towers
from tests.fakes.siglip import HEADS, PATCH, SIDE, TOKENS, VISION, WIDTH, Tensors, tensors, tiny_siglip, write_tensors

RNG = np.random.default_rng(5)
PIXELS = RNG.uniform(-1, 1, (3, SIDE, SIDE)).astype(np.float32)
IDS = np.array([3, 4, 5, 6, 1, 0, 0, 0, 0, 0, 0, 0], np.int64)
assert len(IDS) == TOKENS


class Numpy:
    """The published forward pass, written down once more: (tokens, width) all through."""

    def __init__(self, weights: Tensors, act: str = "gelu_pytorch_tanh") -> None:
        self.w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
        self.act = act

    def norm(self, name: str, x: Any) -> Any:
        spread = np.sqrt(x.var(-1, keepdims=True) + 1e-6)
        return (x - x.mean(-1, keepdims=True)) / spread * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    def linear(self, name: str, x: Any) -> Any:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def gelu(self, x: Any) -> Any:
        if self.act == "gelu":
            return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))
        return x * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    def mlp(self, name: str, x: Any) -> Any:
        return self.linear(f"{name}.fc2", self.gelu(self.linear(f"{name}.fc1", x)))

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        q, k, v = (each.reshape(-1, HEADS, WIDTH // HEADS) for each in (q, k, v))
        seen = np.empty_like(q)
        for head in range(HEADS):
            scores = np.exp(q[:, head] @ k[:, head].T / np.sqrt(WIDTH // HEADS))
            seen[:, head] = scores / scores.sum(-1, keepdims=True) @ v[:, head]
        return seen.reshape(-1, WIDTH)

    def layers(self, tower: str, x: Any) -> Any:
        for number in range(2):
            p = f"{tower}.encoder.layers.{number}"
            n = self.norm(f"{p}.layer_norm1", x)
            seen = self.attention(*(self.linear(f"{p}.self_attn.{part}_proj", n) for part in "qkv"))
            x = x + self.linear(f"{p}.self_attn.out_proj", seen)
            x = x + self.mlp(f"{p}.mlp", self.norm(f"{p}.layer_norm2", x))
        return x

    def image(self, pixels: Any) -> Any:
        v, grid = "vision_model.", SIDE // PATCH
        kernel = self.w[v + "embeddings.patch_embedding.weight"].reshape(WIDTH, -1)
        patches = np.stack(
            [
                pixels[:, r * PATCH : (r + 1) * PATCH, c * PATCH : (c + 1) * PATCH].ravel()
                for r in range(grid)
                for c in range(grid)
            ]
        )
        x = patches @ kernel.T + self.w[v + "embeddings.patch_embedding.bias"]
        x = self.layers("vision_model", x + self.w[v + "embeddings.position_embedding.weight"])
        x = self.norm(v + "post_layernorm", x)
        packed, shift = (self.w[f"{v}head.attention.in_proj_{part}"] for part in ("weight", "bias"))
        probe = self.w[v + "head.probe"][0]
        q, k, u = (
            asked @ packed[n * WIDTH : (n + 1) * WIDTH].T + shift[n * WIDTH : (n + 1) * WIDTH]
            for n, asked in enumerate((probe, x, x))
        )
        seen = self.linear(v + "head.attention.out_proj", self.attention(q, k, u))
        seen = seen + self.mlp(v + "head.mlp", self.norm(v + "head.layernorm", seen))
        return seen[0] / np.linalg.norm(seen[0])

    def text(self, ids: Any) -> Any:
        t = "text_model."
        x = self.w[t + "embeddings.token_embedding.weight"][ids] + self.w[t + "embeddings.position_embedding.weight"]
        x = self.norm(t + "final_layer_norm", self.layers("text_model", x))
        vector = self.linear(t + "head", x[-1])
        return vector / np.linalg.norm(vector)


def run(model: Any, values: Any) -> Any:
    compiled = openvino_gate.core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return np.array(compiled({compiled.inputs[0].get_any_name(): values[np.newaxis]})[0])[0]


@pytest.mark.parametrize(("weights", "cosine"), [("float", 1 - 1e-6), ("half", 1 - 1e-5), ("int8", 0.9985)])
def test_the_graphs_are_siglip(weights: Any, cosine: float, tmp_path: Path) -> None:
    """Both towers give numpy's vectors: exactly with floats, nearly with halves, and almost with int8."""
    towers = siglip_towers(tiny_siglip(tmp_path), weights)

    image, text = run(towers.image, PIXELS), run(towers.text, IDS)

    theirs = Numpy(tensors())
    assert image @ theirs.image(PIXELS) > cosine
    assert text @ theirs.text(IDS) > cosine
    assert np.linalg.norm(image) == pytest.approx(1, abs=1e-5)
    if weights == "float":
        np.testing.assert_allclose(image, theirs.image(PIXELS), atol=1e-4)
        np.testing.assert_allclose(text, theirs.text(IDS), atol=1e-4)
    assert towers.scale == pytest.approx(90, rel=1e-5)
    assert towers.bias == -12.5


def test_the_activation_is_the_configurations(tmp_path: Path) -> None:
    """The exact GELU where config.json says so, which differs from the tanh form."""
    folder = tiny_siglip(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["vision_config"]["hidden_act"] = "gelu"
    (folder / "config.json").write_text(json.dumps(config))

    found = run(siglip_towers(folder, "float").image, PIXELS)

    exact, rounded = (Numpy(tensors(), act).image(PIXELS) for act in ("gelu", "gelu_pytorch_tanh"))
    assert np.abs(found - exact).max() < np.abs(found - rounded).max() / 5


@pytest.mark.parametrize("kind", ["vision_model.head.probe", "vision_model.head.attention.in_proj_weight"])
def test_without_its_head_it_is_refused(kind: str, tmp_path: Path) -> None:
    """A checkpoint that lacks any part of the head over the patches isn't opened, whatever else could stand in for it."""
    weights = tensors()
    del weights[kind]
    with pytest.raises(Unavailable, match="head"):
        siglip_towers(tiny_siglip(tmp_path, weights))


def test_a_configuration_without_a_head_is_refused(tmp_path: Path) -> None:
    """So is one that says that it has none."""
    folder = tiny_siglip(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["vision_config"]["vision_use_head"] = False
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(Unavailable, match="head"):
        read_siglip_config(folder)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"model_type": "siglip2"}, "fixed resolution"),
        ({"model_type": "clip"}, "fixed resolution"),
        ({"vision_config": VISION | {"hidden_act": "quick_gelu"}}, "activation"),
        ({"vision_config": VISION | {"num_attention_heads": 5}}, "damaged"),
        ({"vision_config": VISION | {"num_attention_heads": 0}}, "damaged"),
        ({"vision_config": VISION | {"patch_size": 0}}, "damaged"),
        ({"vision_config": VISION | {"image_size": 10**9}}, "damaged"),
        ({"vision_config": 7}, "damaged"),
    ],
)
def test_other_configurations_are_refused(change: dict[str, Any], why: str, tmp_path: Path) -> None:
    """Models of other kinds, and numbers that can't be, are an Unavailable that names a remedy."""
    folder = tiny_siglip(tmp_path)
    config = json.loads((folder / "config.json").read_text()) | change
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(Unavailable, match=why):
        read_siglip_config(folder)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    """Weights that config.json doesn't describe are not put together with it."""
    weights = tensors()
    weights["vision_model.head.probe"] = np.zeros((1, 1, WIDTH + 1), np.float32)
    with pytest.raises(Unavailable, match="belong together"):
        siglip_towers(tiny_siglip(tmp_path, weights))


def test_halves_are_read(tmp_path: Path) -> None:
    """A checkpoint in float16, with a scalar logit scale, is read like one in float32."""
    weights = {name: tensor.astype(np.float16) for name, tensor in tensors().items()}
    weights["logit_scale"] = weights["logit_scale"].reshape(())
    folder = tiny_siglip(tmp_path)
    write_tensors(folder / "model.safetensors", weights)
    towers = siglip_towers(folder)
    assert run(towers.image, PIXELS) @ Numpy(tensors()).image(PIXELS) > 1 - 1e-4
    assert towers.scale == pytest.approx(90, rel=1e-2)


def test_int8_rows_have_their_own_scale() -> None:
    """Each row keeps its largest number; a row of zeros stays one."""
    matrix = np.array([[1.0, -2.0, 0.5], [0, 0, 0], [100, 50, -25]], np.float32)
    small, scale = in_int8(matrix)
    np.testing.assert_allclose(small * scale, matrix, atol=0.4)
    assert small.dtype == np.int8
    assert (small[1] == 0).all()
