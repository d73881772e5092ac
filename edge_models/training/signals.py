"""The training of the signal heads from beginning to end: `nearloop train signals`.

What was done is kept under a working folder, so that an interrupted run goes on: the fine-tuning from its last checkpoint,
the packaging from the trained numbers.
"""

from __future__ import annotations

import hashlib
import platform
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from edge_models import openvino_gate
from edge_models.encoder_config import read_config
from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import Manifest
from edge_models.heads.reading import open_heads
from edge_models.pooling import Floats, Ids
from edge_models.runtimes.base import Placement
from edge_models.training import parity, stack
from edge_models.training.charts import draw
from edge_models.training.export import licence
from edge_models.training.graph import signal_graph
from edge_models.training.heads import HEADS, Head
from edge_models.training.instances import instances, tokenizer
from edge_models.training.metrics import Estimate
from edge_models.training.mix import mixed
from edge_models.training.package import MOST_HELD, HeadReport, package
from edge_models.training.parity import Parity
from edge_models.training.rows import Row, held_out
from edge_models.training.sets.registry import SETS
from edge_models.training.words import Words, fit_words

PROVENANCE: Final = "provenance.json"
REPORT: Final = "report.md"
SEED: Final = 7
COMPARED: Final = 16
GRAPH_FLOOR: Final = 0.98
"""What the graph's logits have to reach beside torch's; a sound one 0.9999, planted faults less than 0.9 (tests)."""
_TIMED: Final = 60


class Recipe(Struct, frozen=True):
    """What decides the result, but for the order in which a processor adds."""

    seed: int = SEED
    epochs: float = 1.5
    minutes: float | None = None


class Taught(Struct, frozen=True):
    """How the fine-tuning went. start: SHA-256 of the numbers that it went on from, if any."""

    steps: int
    epochs: float
    seconds: float
    rows: int
    windows: int
    start: str | None = None


class Provenance(Struct, frozen=True):
    """Where the heads come from. sets: rows that were fitted on, by source. held_out: rows kept for calibration."""

    base: str
    base_sha256: str
    base_licence: str | None
    licence: str
    sets: dict[str, int]
    set_licences: dict[str, str]
    held_out: int
    recipe: Recipe
    taught: Taught
    versions: dict[str, str]
    machine: str
    graph: Parity
    metrics: dict[str, tuple[str, Estimate]]


def train(
    data: Path,
    base: Path,
    base_name: str,
    target: Path,
    work: Path,
    recipe: Recipe,
    progress: Callable[[float, str], None],
    heads: Sequence[Head] = HEADS,
    start: Path | None = None,
) -> tuple[Manifest, list[HeadReport]]:
    """Make `target` from the sets under `data`.

    base: a directory with a BERT's config.json, model.safetensors and tokenizer.json. work: where it can go on after an
    interruption. start: numbers of an earlier training to go on from. progress: told the share that is done, and what is
    being done. Raises NotInstalled, Unavailable.
    """
    stack.require()
    if target.exists():
        raise Unavailable(f"{target} is there already: name another directory, or remove it")
    work.mkdir(parents=True, exist_ok=True)
    progress(0.0, "reading the sets")
    rows = mixed(data, recipe.seed)
    fit = [row for row in rows if not held_out(row)]
    held = [row for row in rows if held_out(row)]
    taught = _taught(base, fit, heads, work, recipe, progress, start)
    weights = _refitted(base, fit, heads, work, recipe, progress)
    words = _by_words(base, fit, heads, recipe, progress)
    partial = target.with_name(target.name + ".partial")
    progress(0.95, "comparing the graph with torch's")
    agreement = compared(base, weights, heads, [row.text for row in held[:COMPARED]])
    if agreement.value < GRAPH_FLOOR:
        raise Unavailable(f"the graph is not what was trained: {agreement.measure} is {agreement.value:.4f}")
    manifest, reports = package(
        base, weights, words, heads, fit, held, partial, recipe.seed, base_name, lambda stage: progress(0.95, stage)
    )
    provenance = Provenance(
        base_name,
        manifest.base.sha256,
        licence(base),
        "Apache-2.0",
        dict(sorted(Counter(row.source for row in fit).items())),
        {name: source.licence for name, source in SETS.items() if any(row.source == name for row in rows)},
        len(held),
        recipe,
        taught,
        stack.versions(),
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        agreement,
        {report.name: (report.measure, report.value) for report in reports},
    )
    (partial / PROVENANCE).write_bytes(msgspec.json.format(msgspec.json.encode(provenance), indent=1))
    (partial / REPORT).write_text(report_text(reports, provenance, *_cost(partial, held)), encoding="utf-8")
    for report in reports:
        draw(partial / f"calibration-{report.name}.png", f"{report.name}: calibration", report.curve)
    partial.rename(target)
    progress(1.0, "done")
    return manifest, reports


def _taught(
    base: Path,
    fit: Sequence[Row],
    heads: Sequence[Head],
    work: Path,
    recipe: Recipe,
    progress: Callable[[float, str], None],
    start: Path | None,
) -> Taught:
    """Fine-tune, or take what an interrupted run had finished."""
    from edge_models.training.finetune import Budget, finetune
    from edge_models.training.trunk import Trunk, seeded

    done, weights = work / "taught.json", work / "model.safetensors"
    if done.is_file() and weights.is_file():
        return msgspec.json.decode(done.read_bytes(), type=Taught)
    windows = list(instances(fit, tokenizer(base / "tokenizer.json"), heads))
    seeded(recipe.seed)
    trunk = Trunk(base, heads)
    if start:
        trunk.load(start)
    budget = Budget(recipe.epochs, recipe.minutes)
    course = finetune(
        trunk,
        windows,
        heads,
        budget,
        recipe.seed,
        work / "checkpoint.pt",
        lambda share, line: progress(0.9 * share, line),
    )
    trunk.save(weights)
    taught = Taught(
        course.steps, round(course.epochs, 3), round(course.seconds, 1), len(fit), len(windows), _sha256(start)
    )
    done.write_bytes(msgspec.json.encode(taught))
    return taught


def _refitted(
    base: Path,
    fit: Sequence[Row],
    heads: Sequence[Head],
    work: Path,
    recipe: Recipe,
    progress: Callable[[float, str], None],
) -> Path:
    """The file with the heads fitted once more, or what an interrupted run had finished."""
    from edge_models.training.refit import refit
    from edge_models.training.trunk import Trunk

    done, weights = work / "refitted.safetensors", work / "model.safetensors"
    if done.is_file():
        return done
    tokens = tokenizer(base / "tokenizer.json")
    trunk = Trunk(base, heads)
    trunk.load(weights)
    refit(
        trunk,
        base,
        weights,
        list(instances(fit, tokens, heads)),
        fit,
        heads,
        tokens,
        recipe.seed,
        lambda share, line: progress(0.9 + 0.05 * share, line),
    )
    trunk.save(done)
    return done


def _by_words(
    base: Path, fit: Sequence[Row], heads: Sequence[Head], recipe: Recipe, progress: Callable[[float, str], None]
) -> Words:
    """The second opinion, from the rows that the trunk saw."""
    cutting = tokenizer(base / "tokenizer.json")
    return fit_words(fit, cutting, heads, read_config(base).vocab_size, recipe.seed, lambda line: progress(0.95, line))


def _sha256(path: Path | None) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path else None


def compared(base: Path, weights: Path, heads: Sequence[Head], texts: Sequence[str]) -> Parity:
    """The float graph, text by text, held to what torch makes of all texts in one padded batch."""
    from edge_models.training.finetune import read_padded
    from edge_models.training.trunk import Trunk

    tokens = tokenizer(base / "tokenizer.json")
    windows = [tokens.windows(text)[0].ids for text in texts]
    trunk = Trunk(base, heads)
    trunk.load(weights)
    theirs = read_padded(trunk, windows)
    run = openvino_gate.core().compile_model(
        signal_graph(base, weights, heads), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    return parity.logits(theirs, [graph_logits(run, ids, np.ones_like(ids)) for ids in windows])


def graph_logits(run: Any, ids: Ids, mask: Ids) -> Floats:
    """All that a compiled graph gives for one window, in one row. ids, mask: (tokens,)."""
    results = run([ids[np.newaxis], mask[np.newaxis], np.zeros_like(ids)[np.newaxis]])
    outputs = sorted(run.outputs, key=lambda port: port.get_any_name())
    joined: Floats = np.concatenate([np.array(results[port])[0].ravel() for port in outputs])
    return joined


def _cost(folder: Path, held: Sequence[Row]) -> tuple[float, float, int]:
    """Median and 95th percentile of one short text in ms on one thread, and the graph's bytes."""
    scorer = open_heads(folder, Placement(threads=1))
    texts = [row.text for row in held if len(row.text) < 400][:_TIMED]
    took = []
    for text in texts:
        began = time.perf_counter()
        scorer.read(text)
        took.append(1000 * (time.perf_counter() - began))
    scorer.close()
    took.sort()
    size = sum(path.stat().st_size for path in folder.glob("openvino_model.*"))
    return took[len(took) // 2], took[int(0.95 * (len(took) - 1))], size


def report_text(
    reports: Sequence[HeadReport], provenance: Provenance, median_ms: float, slow_ms: float, size: int
) -> str:
    """What was reached on held-out rows, as Markdown."""
    taught = provenance.taught
    lines = [
        "# Signal heads",
        "",
        f"Trained on {taught.rows:,} rows ({taught.windows:,} windows), {taught.epochs:g} epochs, {taught.steps:,} steps,"
        f" {taught.seconds / 60:.0f} minutes, seed {provenance.recipe.seed}, from {provenance.base}.",
        f"Measured here on the odd windows of rows ({min(provenance.held_out, MOST_HELD):,} of {provenance.held_out:,},"
        " drawn by chance) that were held out of fitting: the same authors"
        " as the training's, so other people's texts do worse. The even ones fitted the calibration. Intervals of 95 % by"
        " bootstrap over windows; `in float` and `in int8` are uncalibrated and on the part that was read by both.",
        "",
        "| head | measure | value | in float | in int8 | decisions that int8 changes | calibration error |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {report.name} | {report.measure} | {report.value} | {report.in_float:.3f} | {report.in_int8:.3f} |"
        f" {report.drift:.2%} | {report.calibration_error:.3f} |"
        for report in reports
    ]
    lines += [
        "",
        f"Size {size / 1e6:.1f} MB. One text under 400 characters, all heads, one thread, tokenizer included: median"
        f" {median_ms:.1f} ms, 95th percentile {slow_ms:.1f} ms ({provenance.machine}).",
        "",
        "Windows by label among the held-out ones:",
        "",
    ]
    lines += [
        f"- {report.name}: " + ", ".join(f"{label} {count:,}" for label, count in report.counts.items())
        for report in reports
    ]
    return "\n".join(lines) + "\n"
