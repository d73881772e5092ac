"""Tiny encoders for tests, whose answers can be told by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS: Final = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "alice",
    "met",
    "bob",
    "smith",
    "in",
    "york",
    "new",
    "##s",
    ".",
    "bad",
)
PER: Final = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


def tiny_tokenizer(path: Path, words: tuple[str, ...] = WORDS) -> None:
    """A WordPiece tokenizer that pads to 16 and cuts at 16, as a shipped one may."""
    tokenizer = Tokenizer(models.WordPiece({word: id for id, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.enable_padding(length=16)
    tokenizer.enable_truncation(max_length=16)
    tokenizer.save(str(path))


def config(**more: Any) -> bytes:
    """A config.json for the tiny encoders."""
    plain = {"model_type": "bert", "max_position_embeddings": 16, "vocab_size": len(WORDS)}
    return json.dumps(plain | more).encode()


def numbered(labels: tuple[str, ...]) -> dict[str, str]:
    return {str(number): label for number, label in enumerate(labels)}


def lookup_graph(path: Path, table: np.ndarray, *, per_token: bool, output: str = "logits") -> None:
    """An ONNX graph whose logits are rows of `table` (vocabulary, labels), by token or averaged over the mask."""
    ids, mask, out = "input_ids", "attention_mask", output
    nodes = [helper.make_node("Gather", ["table", ids], [out if per_token else "rows"])]
    kept = [numpy_helper.from_array(table.astype(np.float32), "table")]
    if not per_token:
        kept.append(numpy_helper.from_array(np.array([2], np.int64), "last"))
        kept.append(numpy_helper.from_array(np.array([1], np.int64), "tokens"))
        nodes += [
            helper.make_node("Cast", [mask], ["float_mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["float_mask", "last"], ["wide_mask"]),
            helper.make_node("Mul", ["rows", "wide_mask"], ["kept"]),
            helper.make_node("ReduceSum", ["kept", "tokens"], ["sum"], keepdims=0),
            helper.make_node("ReduceSum", ["wide_mask", "tokens"], ["count"], keepdims=0),
            helper.make_node("Div", ["sum", "count"], [out]),
        ]
    shape: list[str | int] = ["batch", "tokens"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in (ids, mask)]
    columns = table.shape[1]
    result = helper.make_tensor_value_info(
        out, TensorProto.FLOAT, [*shape, columns] if per_token else ["batch", columns]
    )
    graph = helper.make_graph(nodes, "tiny", inputs, [result], kept)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def tiny_tagger(folder: Path) -> Path:
    """A token head that knows who is who: alice and bob begin persons, smith goes on, new york is a place."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.full((len(WORDS), len(PER)), -4.0)
    says = {"alice": 1, "bob": 1, "smith": 2, "new": 3, "york": 4, "##s": 2}
    for id, word in enumerate(WORDS):
        table[id, says.get(word, 0)] = 4.0
    lookup_graph(folder / "model.onnx", table, per_token=True)
    tiny_tokenizer(folder / "tokenizer.json")
    (folder / "config.json").write_bytes(config(id2label=numbered(PER)))
    return folder


def tiny_classifier(folder: Path, *, independent: bool = False) -> Path:
    """A sequence head: `bad` makes a text bad, everything else is a vote for good."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.zeros((len(WORDS), 2))
    table[4:] = (2.0, -2.0)
    table[WORDS.index("bad")] = (-40.0, 40.0)
    lookup_graph(folder / "model.onnx", table, per_token=False)
    tiny_tokenizer(folder / "tokenizer.json")
    kind = {"problem_type": "multi_label_classification"} if independent else {}
    (folder / "config.json").write_bytes(config(id2label=numbered(("good", "bad")), **kind))
    return folder


def tiny_entailer(folder: Path, labels: tuple[str, ...] = ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")) -> Path:
    """A head over two texts: `bad` in the premise contradicts, `bob` in the hypothesis is entailed, all else is neutral."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"premise": np.zeros((len(WORDS), 3)), "hypothesis": np.zeros((len(WORDS), 3))}
    for table in tables.values():
        table[WORDS.index("[CLS]"), 2] = 100
    tables["premise"][WORDS.index("bad"), 0] = 400
    tables["hypothesis"][WORDS.index("bob"), 1] = 200
    kept = [numpy_helper.from_array(table.astype(np.float32), name) for name, table in tables.items()]
    kept += [
        numpy_helper.from_array(np.array([2], np.int64), "last"),
        numpy_helper.from_array(np.array([1], np.int64), "tokens"),
        numpy_helper.from_array(np.array(1, np.float32), "one"),
    ]
    nodes = []
    for name, source in (("mask", "attention_mask"), ("type", "token_type_ids")):
        nodes += [
            helper.make_node("Cast", [source], [f"float_{name}"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", [f"float_{name}", "last"], [f"wide_{name}"]),
        ]
    nodes += [
        helper.make_node("Sub", ["one", "wide_type"], ["is_premise"]),
        helper.make_node("Gather", ["premise", "input_ids"], ["of_premise"]),
        helper.make_node("Gather", ["hypothesis", "input_ids"], ["of_hypothesis"]),
        helper.make_node("Mul", ["of_premise", "is_premise"], ["from_premise"]),
        helper.make_node("Mul", ["of_hypothesis", "wide_type"], ["from_hypothesis"]),
        helper.make_node("Add", ["from_premise", "from_hypothesis"], ["rows"]),
        helper.make_node("Mul", ["rows", "wide_mask"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "tokens"], ["sum"], keepdims=0),
        helper.make_node("ReduceSum", ["wide_mask", "tokens"], ["count"], keepdims=0),
        helper.make_node("Div", ["sum", "count"], ["logits"]),
    ]
    shape = ["batch", "tokens"]
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in names]
    result = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])
    graph = helper.make_graph(nodes, "tiny", inputs, [result], kept)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))
    tiny_tokenizer(folder / "tokenizer.json")
    (folder / "config.json").write_bytes(config(id2label=numbered(labels)))
    return folder
