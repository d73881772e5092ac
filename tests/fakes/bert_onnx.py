"""MiniLM as a float ONNX graph, written with the `onnx` package: the other side of a comparison with our own builder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from edge_models.safetensors_file import read_tensors


class _Graph:
    """Nodes and constants in the making; `op` names its result itself."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.kept: list[onnx.TensorProto] = []

    def constant(self, value: np.ndarray) -> str:
        name = f"c{len(self.kept)}"
        self.kept.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind: str, *inputs: str, **more: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **more))
        return name


def write_bert(directory: Path, target: Path) -> None:
    """Of an HF BERT directory: input_ids, attention_mask, token_type_ids -> last_hidden_state."""
    config = json.loads((directory / "config.json").read_bytes())
    weights = read_tensors(directory / "model.safetensors")
    heads, width = config["num_attention_heads"], config["hidden_size"]
    g = _Graph()

    def whole(*numbers: int) -> str:
        return g.constant(np.array(numbers, np.int64))

    def linear(name: str, value: str) -> str:
        product = g.op("MatMul", value, g.constant(weights[f"{name}.weight"].T))
        return g.op("Add", product, g.constant(weights[f"{name}.bias"]))

    def norm(name: str, value: str) -> str:
        scale, shift = (g.constant(weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return g.op("LayerNormalization", value, scale, shift, epsilon=config["layer_norm_eps"])

    def split(name: str, value: str) -> str:
        parts = g.op("Reshape", linear(name, value), whole(0, 0, heads, width // heads))
        return g.op("Transpose", parts, perm=[0, 2, 1, 3])

    words = g.op("Gather", g.constant(weights["embeddings.word_embeddings.weight"]), "input_ids")
    kinds = g.op("Gather", g.constant(weights["embeddings.token_type_embeddings.weight"]), "token_type_ids")
    length = g.op("Shape", "input_ids", start=1, end=2)
    positions = g.op("Slice", g.constant(weights["embeddings.position_embeddings.weight"]), whole(0), length, whole(0))
    hidden = norm("embeddings.LayerNorm", g.op("Add", g.op("Add", words, kinds), positions))
    dropped = g.op("Sub", g.constant(np.float32(1)), g.op("Cast", "attention_mask", to=TensorProto.FLOAT))
    bias = g.op("Mul", g.op("Unsqueeze", dropped, whole(1, 2)), g.constant(np.float32(-1e9)))
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        query, key, value = (split(f"{name}.attention.self.{part}", hidden) for part in ("query", "key", "value"))
        scores = g.op("MatMul", query, g.op("Transpose", key, perm=[0, 1, 3, 2]))
        scaled = g.op("Div", scores, g.constant(np.float32(np.sqrt(width // heads))))
        seen = g.op("MatMul", g.op("Softmax", g.op("Add", scaled, bias), axis=-1), value)
        joined = g.op("Reshape", g.op("Transpose", seen, perm=[0, 2, 1, 3]), whole(0, 0, width))
        attended = g.op("Add", hidden, linear(f"{name}.attention.output.dense", joined))
        hidden = norm(f"{name}.attention.output.LayerNorm", attended)
        inner = linear(f"{name}.intermediate.dense", hidden)
        root = g.op("Erf", g.op("Div", inner, g.constant(np.float32(np.sqrt(2)))))
        gelu = g.op(
            "Mul", g.op("Mul", inner, g.op("Add", root, g.constant(np.float32(1)))), g.constant(np.float32(0.5))
        )
        hidden = norm(f"{name}.output.LayerNorm", g.op("Add", hidden, linear(f"{name}.output.dense", gelu)))
    g.nodes.append(helper.make_node("Identity", [hidden], ["last_hidden_state"]))
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", width])
    graph = helper.make_graph(g.nodes, "bert", inputs, [output], g.kept)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(target))
