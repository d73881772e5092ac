"""A tiny artefact of signal heads, whose answers can be told by hand, and MiniLM as the encoder for vectors.

Each word of the vocabulary has its logits; a sequence head gives their mean over the mask, a token head the word's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.fakes.encoders import tiny_tokenizer
from tests.fakes.minilm import minilm_onnx

WORDS: Final = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    *(
        "alice",
        "smith",
        "Acme",
        "prove",
        "theorem",
        "cell",
        "ignore",
        "instructions",
        "bomb",
        "who",
        "poem",
        "hello",
        ".",
    ),
)
DOMAINS: Final = (
    *("biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history", "law"),
    *("math", "other", "philosophy", "physics", "psychology"),
)
HEADS: Final[dict[str, tuple[tuple[str, ...], dict[str, str]]]] = {
    "domain": (DOMAINS, {"theorem": "math", "cell": "biology"}),
    "complexity": (("easy", "hard"), {"prove": "hard", "theorem": "hard", "hello": "easy"}),
    "injection": (("benign", "injection"), {"ignore": "injection", "instructions": "injection", "hello": "benign"}),
    "persona": (("benign", "persona"), dict.fromkeys(("hello", "ignore", "instructions", "bomb"), "benign")),
    "harm": (("benign", "harm"), {"bomb": "harm", "hello": "benign"}),
    "fact_check": (
        ("no_fact_check_needed", "needs_fact_check"),
        {"who": "needs_fact_check", "poem": "no_fact_check_needed"},
    ),
    "safety": (("violence", "weapons"), {"bomb": "weapons"}),
    "task_shape": (("chat", "math", "writing"), {"theorem": "math", "poem": "writing", "hello": "chat"}),
}
"""Name to (labels, which word is a strong vote for which label)."""
BIO: Final = ("O", "B-PERSON", "I-PERSON", "B-ORGANIZATION", "I-ORGANIZATION")
TAGS: Final = {"alice": "B-PERSON", "smith": "I-PERSON", "Acme": "B-ORGANIZATION"}


def _table(labels: tuple[str, ...], votes: Mapping[str, str], strength: float, rest: str | None = None) -> np.ndarray:
    table = np.zeros((len(WORDS), len(labels)), np.float32)
    for id, word in enumerate(WORDS):
        if (label := votes.get(word, rest)) is not None:
            table[id, labels.index(label)] = strength
    return table


def tiny_heads(folder: Path, *, leave_out: tuple[str, ...] = (), validated: bool = True, **manifest: Any) -> Path:
    """Write openvino-readable ONNX, tokenizer.json and signals.json. leave_out: heads."""
    folder.mkdir(parents=True, exist_ok=True)
    tiny_tokenizer(folder / "tokenizer.json", WORDS)
    nodes, kept, outputs, heads = [], [], [], []
    kept += [
        numpy_helper.from_array(np.array([2], np.int64), "last"),
        numpy_helper.from_array(np.array([1], np.int64), "tokens"),
    ]
    nodes += [
        helper.make_node("Cast", ["attention_mask"], ["float_mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["float_mask", "last"], ["wide_mask"]),
        helper.make_node("ReduceSum", ["wide_mask", "tokens"], ["count"], keepdims=0),
    ]
    for name, (labels, votes) in HEADS.items():
        if name in leave_out:
            continue
        kept.append(numpy_helper.from_array(_table(labels, votes, 40.0), f"table.{name}"))
        nodes += [
            helper.make_node("Gather", [f"table.{name}", "input_ids"], [f"rows.{name}"]),
            helper.make_node("Mul", [f"rows.{name}", "wide_mask"], [f"kept.{name}"]),
            helper.make_node("ReduceSum", [f"kept.{name}", "tokens"], [f"sum.{name}"], keepdims=0),
            helper.make_node("Div", [f"sum.{name}", "count"], [f"head.{name}"]),
        ]
        outputs.append(helper.make_tensor_value_info(f"head.{name}", TensorProto.FLOAT, ["batch", len(labels)]))
        several = name == "safety"
        pool = "max" if name in ("injection", "persona", "harm", "safety") else "mean"
        calibration = {"temperature": 1.0, "bias": [-5.0] * len(labels)} if several else {"temperature": 2.0}
        heads.append(_head(name, "sequence", labels, pool, validated, calibration, multi_label=several))
    if "pii" not in leave_out:
        kept.append(numpy_helper.from_array(_table(BIO, TAGS, 8.0, "O"), "table.pii"))
        nodes.append(helper.make_node("Gather", ["table.pii", "input_ids"], ["tokens.pii"]))
        outputs.append(helper.make_tensor_value_info("tokens.pii", TensorProto.FLOAT, ["batch", "tokens", len(BIO)]))
        heads.append(_head("pii", "token", BIO, "max", validated, {}))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    graph = helper.make_graph(nodes, "signals", inputs, outputs, kept)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))
    files = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
    }
    whole = {
        "version": 1,
        "base": {"name": "tiny", "sha256": "0" * 64},
        "window": {"tokens": 10, "stride": 6},
        "heads": heads,
        "files": files,
    }
    (folder / "signals.json").write_text(json.dumps(whole | manifest))
    return folder


def _head(
    name: str, task: str, labels: tuple[str, ...], pool: str, validated: bool, calibration: dict[str, Any], **more: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "task": task,
        "labels": labels,
        "pool": pool,
        "calibration": calibration,
        "thresholds": {"default": 0.6, "fpr_0.01": 0.9},
        "validated": validated,
        **more,
    }


def minilm_vectors(folder: Path) -> Path:
    """MiniLM int8 as `assets/models/embedder` has it."""
    minilm_onnx(folder)
    names = ("model.onnx", "tokenizer.json", "config.json")
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / "provenance.json").write_text(json.dumps({"files": files}))
    return folder
