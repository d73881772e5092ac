"""From trained numbers to the artefact: an int8 graph, calibrated and with thresholds, that is held to its float form."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import FILE, VERSION, Base, Manifest, Window
from edge_models.heads.manifest import Head as HeadSpec
from edge_models.heads.reading import crowded, probabilities
from edge_models.runtimes.base import Placement
from edge_models.runtimes.registry import load_runtime
from edge_models.tokenizer import Tokenizer
from edge_models.training.artefact import MODEL, quantized
from edge_models.training.calibrate import balanced, crowd, fitted, reliability
from edge_models.training.graph import signal_graph
from edge_models.training.heads import Head
from edge_models.training.instances import STRIDE_TOKENS, UNKNOWN, WINDOW_TOKENS, instances, tokenizer
from edge_models.training.metrics import Array, Estimate, accuracy, auroc, calibration_error, estimate
from edge_models.training.rows import Row
from edge_models.training.thresholds import balanced_threshold
from edge_models.training.word_graph import with_words
from edge_models.training.words import Words

QUANTISED_ON: Final = 300
"""Windows whose activations set the int8 ranges; 200 sufficed in a trial, and the time is seconds."""
FLOOR: Final = 0.02
"""How much of its measure a head may lose in int8."""
MOST_HELD: Final = 4000
SHARES: Final = (0.01, 0.05)
"""Of harmless texts, that thresholds let pass."""
COMPARED: Final = 800
"""Rows that are read, drawn by chance; those in float take three times as long."""


class HeadReport(Struct, frozen=True):
    """A head on rows that were held out of fitting.

    measure: what `value` is. in_float, in_int8: the same, uncalibrated, of both on the rows that were read by both; drift:
    how often they decide otherwise there.
    """

    name: str
    measure: str
    value: Estimate
    in_float: float
    in_int8: float
    drift: float
    calibration_error: float
    curve: list[tuple[float, float, int]]
    counts: dict[str, int]


def package(
    base: Path,
    weights: Path,
    words: Words,
    heads: Sequence[Head],
    fit: Sequence[Row],
    held: Sequence[Row],
    target: Path,
    seed: int,
    name: str,
    progress: Callable[[str], None],
) -> tuple[Manifest, list[HeadReport]]:
    """Write graph, tokenizer and manifest into `target`. Raises Unavailable if int8 loses more than FLOOR of a head.

    words: the second opinion, which both graphs hear.
    """
    openvino = openvino_gate.openvino()
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(base / "tokenizer.json", target / "tokenizer.json")
    plain_tokenizer(target / "tokenizer.json")
    graph = signal_graph(base, weights, heads)
    float_graph = target / "float.xml"
    openvino.save_model(with_words(graph, words), float_graph, compress_to_fp16=False)

    progress("making its numbers int8")
    tokens = tokenizer(target / "tokenizer.json")
    small = quantized(graph, feeds_of_rows(fit, tokens, seed))
    openvino.save_model(with_words(small, words), target / MODEL, compress_to_fp16=False)
    del graph, small

    digest = hashlib.sha256((base / "model.safetensors").read_bytes()).hexdigest()
    draft = Manifest(VERSION, Base(name, digest), Window(WINDOW_TOKENS, STRIDE_TOKENS), tuple(map(_spec, heads)), {})
    progress("reading held-out rows")
    drawn = Random(f"{seed} held").sample(list(held), min(MOST_HELD, len(held)))
    ours = _read(target / MODEL, tokens, drawn, heads, draft)
    progress("reading some of them in float")
    theirs = _read(float_graph, tokens, drawn[:COMPARED], heads, draft)
    float_graph.unlink()
    float_graph.with_suffix(".bin").unlink()

    progress("calibrating")
    specs, reports = [], []
    for head, spec in zip(heads, draft.heads, strict=True):
        if not len(ours[head.name].logits):
            raise Unavailable(f"no held-out row teaches the head {head.name}: give it more rows")
        done, report = finish(head, spec, ours[head.name], theirs[head.name])
        if report.in_float - report.in_int8 > FLOOR:
            raise Unavailable(
                f"int8 costs the head {head.name} too much: {report.in_float:.3f} became {report.in_int8:.3f}"
            )
        specs.append(done)
        reports.append(report)
    files = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(target.iterdir())
        if file.name in (MODEL, MODEL.replace(".xml", ".bin"), "tokenizer.json")
    }
    manifest = structs.replace(draft, heads=tuple(specs), files=files)
    (target / FILE).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    return manifest, reports


def _spec(head: Head) -> HeadSpec:
    return HeadSpec(head.name, head.task, head.labels, pool=head.pool, note=head.note, validated=head.validated)


def plain_tokenizer(path: Path) -> None:
    """Take padding and truncation out of a tokenizer.json, which are the reader's business."""
    raw = msgspec.json.decode(path.read_bytes())
    raw["padding"] = raw["truncation"] = None
    path.write_bytes(msgspec.json.encode(raw))


class Held(Struct, frozen=True):
    """What a head gave for the windows that it is labelled for. texts: the number of the row that each is from."""

    logits: Array
    targets: Array
    sources: list[str]
    texts: NDArray[np.int64]


def feeds_of_rows(fit: Sequence[Row], tokens: Tokenizer, seed: int) -> list[dict[str, Any]]:
    """What the int8 ranges are taken from: the first windows of rows drawn by chance."""
    chosen = Random(f"{seed} int8").sample(list(fit), min(QUANTISED_ON, len(fit)))
    feeds = []
    for row in chosen:
        window = tokens.windows(row.text)[0]
        ids = window.ids[np.newaxis]
        feeds.append({"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})
    return feeds


def _read(
    graph: Path, tokens: Tokenizer, held: Sequence[Row], heads: Sequence[Head], manifest: Manifest
) -> dict[str, Held]:
    """For each head its logits and targets, window by window; for a token head word by word."""
    runtime = load_runtime("openvino").load(graph, Placement(threads=1))
    found: dict[str, tuple[list[Any], list[Any], list[str], list[int]]] = {
        head.name: ([], [], [], []) for head in heads
    }
    specs = {head.name: head for head in manifest.heads}
    token = next((head for head in heads if head.task == "token"), None)
    for number, row in enumerate(held):
        for instance in instances((row,), tokens, heads, most=None):
            ids = instance.ids[np.newaxis]
            feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            values = runtime.run_all(feeds)
            for name, target in instance.targets.items():
                logits, targets, sources, texts = found[name]
                logits.append(values[specs[name].output][0])
                targets.append(target)
                sources.append(row.source)
                texts.append(number)
            if token and instance.tokens is not None:
                logits, targets, sources, texts = found[token.name]
                known = instance.tokens != UNKNOWN
                texts.extend([number] * int(known.sum()))
                logits.extend(values[specs[token.name].output][0][known])
                targets.extend(np.eye(len(token.labels), dtype=np.float32)[instance.tokens[known]])
                sources.extend([row.source] * int(known.sum()))
    runtime.close()
    return {
        name: Held(np.array(logits, np.float64), np.array(targets, np.float64), sources, np.array(texts, np.int64))
        for name, (logits, targets, sources, texts) in found.items()
    }


def finish(head: Head, spec: HeadSpec, ours: Held, theirs: Held) -> tuple[HeadSpec, HeadReport]:
    """The head with calibration and thresholds, and how good it is. The even windows fit, the odd ones measure."""
    scale = fitted(ours.logits[::2], ours.targets[::2])
    chances = probabilities(structs.replace(spec, calibration=scale), ours.logits.astype(np.float32)).astype(np.float64)
    odd, truths = chances[1::2], ours.targets[1::2]
    both = len(theirs.logits)
    measured = _measured(head, ours.logits[:both], theirs.targets), _measured(head, theirs.logits, theirs.targets)
    drift = float((ours.logits[:both].argmax(axis=1) != theirs.logits.argmax(axis=1)).mean()) if both else 0.0
    if len(head.labels) == 2:
        value = estimate(auroc, (truths[:, 1] > 0.5).astype(np.float64), odd[:, 1])
        stated, came = odd[:, 1], truths[:, 1]
        scale = structs.replace(scale, crowd=_crowd(head, ours, chances[:, 1]))
        thresholds = _binary_thresholds(head, ours, chances[:, 1], scale.crowd)
    else:
        truth, guess = truths.argmax(axis=1), odd.argmax(axis=1)
        told = _told(head, truth, guess)
        value = estimate(accuracy, truth[told], guess[told])
        stated, came = odd.max(axis=1), (truth == guess).astype(np.float64)
        thresholds = {"default": 0.5}
    labels = ours.targets.argmax(axis=1)
    report = HeadReport(
        head.name,
        {2: "AUROC"}.get(len(head.labels), "accuracy")
        if head.task == "sequence"
        else "accuracy, words that are or were named",
        value,
        measured[1],
        measured[0],
        drift,
        calibration_error(came, stated),
        reliability(came, stated),
        {label: int((labels == number).sum()) for number, label in enumerate(head.labels)},
    )
    rounded = {key: round(threshold, 6) for key, threshold in thresholds.items()}
    return structs.replace(spec, calibration=scale, thresholds=rounded), report


def _measured(head: Head, logits: Array, targets: Array) -> float:
    if not len(logits):
        return 0.0
    if len(head.labels) == 2:
        value = auroc((targets[:, 1] > 0.5).astype(np.float64), logits[:, 1] - logits[:, 0])
        return value if np.isfinite(value) else 0.0
    truth, guess = targets.argmax(axis=1), logits.argmax(axis=1)
    told = _told(head, truth, guess)
    return accuracy(truth[told], guess[told]) if told.any() else 0.0


def _told(head: Head, truth: NDArray[Any], guess: NDArray[Any]) -> NDArray[np.bool_]:
    """What counts: of words only those that are named or were, since nearly all are neither."""
    return (truth > 0) | (guess > 0) if head.task == "token" else np.ones(len(truth), bool)


class Texts(Struct, frozen=True):
    """Held-out texts of a head with two labels. chance: of the second, as it is read off their windows. windows: how many.
    bad: whether any of them is. sources: whose texts.
    """

    chance: Array
    windows: Array
    bad: Array
    sources: list[str]


def whole_texts(head: Head, held: Held, scores: Array) -> Texts:
    """What windows come to, text by text. scores: of each window's second label."""
    _, first, text, windows = np.unique(held.texts, return_index=True, return_inverse=True, return_counts=True)
    chance, bad = np.zeros(len(first)), np.zeros(len(first))
    if head.pool == "max":
        np.maximum.at(chance, text, scores)
    else:
        chance = np.bincount(text, scores, len(first)) / windows
    np.maximum.at(bad, text, (held.targets[:, 1] > 0.5).astype(np.float64))
    return Texts(chance, windows.astype(np.float64), bad, [held.sources[at] for at in first])


def _crowd(head: Head, held: Held, scores: Array) -> float:
    """Fitted on every second text; 0 for a head that takes the mean."""
    if head.pool != "max":
        return 0.0
    texts = whole_texts(head, held, scores)
    even = slice(None, None, 2)
    return crowd(texts.chance[even], texts.windows[even], texts.bad[even], balanced(texts.sources[even]))


def _binary_thresholds(head: Head, held: Held, scores: Array, pull: float) -> dict[str, float]:
    """By the share of harmless texts that pass, each source of texts counting alike."""
    texts = whole_texts(head, held, scores)
    chance = crowded(texts.chance, texts.windows, pull)
    harmless = texts.bad == 0
    sources = [source for source, is_harmless in zip(texts.sources, harmless, strict=True) if is_harmless]
    return with_default(head, {share: balanced_threshold(share, chance[harmless], sources) for share in SHARES})


def with_default(head: Head, found: dict[float, float]) -> dict[str, float]:
    """Thresholds by their names. found: by the share of false alarms.

    The default is the even chance, and for a head that looks for one bad window the stricter of them if that is more.
    """
    values = {f"fpr_{share:g}": threshold for share, threshold in found.items()}
    return {**values, "default": max(found[SHARES[0]], 0.5) if head.pool == "max" else 0.5}
