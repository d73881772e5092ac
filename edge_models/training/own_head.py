"""A head of one's own: `nearloop train head` fits a line of numbers over the shipped encoder's vectors.

It needs nothing that the daemon doesn't have. The result has the form of the shipped heads: one graph, the encoder's with
the head behind it, a tokenizer, and signals.json; it is fitted on the vectors of the very int8 graph that will run.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from edge_models import openvino_gate
from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.opening import open_encoder
from edge_models.encoder_config import read_config
from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import FILE, VERSION, Base, Manifest, Window
from edge_models.heads.manifest import Head as HeadSpec
from edge_models.training.calibrate import fitted
from edge_models.training.examples import FEWEST, Example, divided
from edge_models.training.linear import Linear, best_strength, fit_linear
from edge_models.training.metrics import Array, Estimate, accuracy, calibration_error, estimate
from edge_models.training.shipped import shipped

GRAPH: Final = "openvino_model.xml"
REPORT: Final = "report.json"
_SLICE: Final = 64
"""Texts between two words about progress."""


class OwnReport(Struct, frozen=True):
    """How good the head is on texts that it was not fitted on.

    always: what naming the commonest label alone would reach. strength: of the pull to zero, chosen by cross-validation.
    """

    name: str
    labels: tuple[str, ...]
    fitted_on: int
    accuracy: Estimate
    always: float
    calibration_error: float
    strength: float
    counts: dict[str, int]


def shipped_encoder() -> Path:
    """The encoder that Nearloop ships. Raises Unavailable."""
    place = shipped("embedder")
    if place is None:
        raise Unavailable("the shipped encoder is not part of this installation: name one with --encoder")
    return place


def make(
    name: str,
    examples: Sequence[Example],
    encoder: Path,
    target: Path,
    seed: int,
    progress: Callable[[float, str], None],
) -> OwnReport:
    """Write the head into `target`. Raises Unavailable if there are too few texts, or the directory is there."""
    if target.exists():
        raise Unavailable(f"{target} is there already: name another directory, or remove it")
    labels = tuple(sorted({example.label for example in examples}))
    few = [label for label, count in Counter(example.label for example in examples).items() if count < FEWEST]
    if len(labels) < 2 or few:
        raise Unavailable(
            f"a head needs two labels or more, and {FEWEST} texts of each"
            + (f": {len(few)} of the {len(labels)} labels have fewer" if few else "")
        )
    parts = divided(examples, seed)
    opened = open_encoder(EncoderRef(str(encoder), "feature-extraction"))
    assert isinstance(opened, TextEmbedder)
    total = sum(map(len, parts))
    vectors: list[Array] = []
    done = 0
    for part in parts:
        rows = []
        for start in range(0, len(part), _SLICE):
            progress(0.8 * done / total, "reading the texts")
            rows.append(opened.embed(tuple(example.text for example in part[start : start + _SLICE])))
            done += len(rows[-1])
        vectors.append(np.concatenate(rows).astype(np.float64))
    opened.close()
    truth = [np.array([labels.index(example.label) for example in part]) for part in parts]

    progress(0.8, "fitting")
    strength = best_strength(vectors[0], truth[0], len(labels), seed)
    line = fit_linear(vectors[0], truth[0], len(labels), strength)
    scale = fitted(line.logits(vectors[1]), np.eye(len(labels))[truth[1]])
    spec = HeadSpec(
        name, "sequence", labels, calibration=scale, thresholds={"default": 0.5}, note="made by `nearloop train head`"
    )
    logits = line.logits(vectors[2]) / scale.temperature + np.array(scale.bias)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    guess = chances.argmax(axis=1)
    right = (guess == truth[2]).astype(np.float64)
    report = OwnReport(
        name,
        labels,
        len(parts[0]),
        estimate(accuracy, truth[2].astype(np.float64), guess.astype(np.float64)),
        float(np.bincount(truth[2], minlength=len(labels)).max() / len(truth[2])),
        calibration_error(right, chances.max(axis=1)),
        strength,
        dict(Counter(example.label for example in examples)),
    )
    progress(0.95, "writing")
    _write(target, encoder, spec, line, report)
    progress(1.0, "done")
    return report


def _write(target: Path, encoder: Path, spec: HeadSpec, line: Linear, report: OwnReport) -> None:
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    openvino = openvino_gate.openvino()
    openvino.save_model(with_head(encoder / GRAPH, spec.output, line), partial / GRAPH, compress_to_fp16=False)
    shutil.copyfile(encoder / "tokenizer.json", partial / "tokenizer.json")
    tokens = read_config(encoder).window_tokens
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(partial.iterdir())}
    base = Base(encoder.name, hashlib.sha256((encoder / GRAPH).with_suffix(".bin").read_bytes()).hexdigest())
    manifest = Manifest(VERSION, base, Window(tokens, tokens * 3 // 4), (spec,), files)
    (partial / FILE).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    (partial / REPORT).write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1))
    partial.rename(target)


def with_head(graph: Path, output: str, line: Linear) -> Any:
    """The encoder's graph with mean pooling, unit length and the head behind it. Raises Unavailable for another graph."""
    openvino = openvino_gate.openvino()
    op = openvino.opset13
    model = openvino.Core().read_model(graph)
    inputs = {port.get_any_name(): port for port in model.inputs}
    if "attention_mask" not in inputs or len(model.outputs[0].get_partial_shape()) != 3:
        raise Unavailable("this encoder gives no vector for each token, which a head is put behind: take another")
    hidden = model.outputs[0].get_node().input_value(0)
    kept = op.unsqueeze(op.convert(inputs["attention_mask"].get_node(), "f32"), op.constant(np.array([2])))
    sums = op.reduce_sum(op.multiply(hidden, kept), op.constant(np.array([1])))
    pooled = op.divide(sums, op.reduce_sum(kept, op.constant(np.array([1]))))
    vector = op.normalize_l2(pooled, op.constant(np.array([1])), 1e-12, "max")
    product = op.matmul(vector, op.constant(line.weights.astype(np.float32)), False, False)
    result = op.add(product, op.constant(line.bias.astype(np.float32)))
    result.output(0).set_names({output})
    return openvino.Model([result], [port.get_node() for port in model.inputs], "own_head")


def summary(report: OwnReport) -> str:
    """A few lines for the terminal."""
    counts = ", ".join(f"{label} {count:,}" for label, count in sorted(report.counts.items()))
    return (
        f"labels            {counts}\n"
        f"fitted on         {report.fitted_on:,} texts\n"
        f"accuracy          {report.accuracy} (always the commonest label: {report.always:.3f})\n"
        f"calibration error {report.calibration_error:.3f}"
    )
