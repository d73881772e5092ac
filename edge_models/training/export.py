"""From a Hugging Face directory to an OpenVINO artefact that is held to its original, or is not kept.

The artefact is made in a `.partial` directory, compared with the original run by torch, and gets its name only if the
measure of its task reaches the floor. Refused ones are deleted; what remains is the report.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, cast

import msgspec
from msgspec import Struct

from edge_models import openvino_gate
from edge_models.classifiers.base import Task
from edge_models.engines.base import EngineError, Unavailable
from edge_models.training import parity, stack
from edge_models.training.artefact import Recipe, compress, convert
from edge_models.training.candidate import DecoderCandidate, EncoderCandidate
from edge_models.training.parity import FLOORS, Parity
from edge_models.training.report import Report, Side
from edge_models.training.samples import Sample

DECODER: Final = "text-generation"
REPORT: Final = "report.json"
PROVENANCE: Final = "provenance.json"
_DECODER_TOKENS: Final = 512
"""How much of a text a decoder is compared on; its attention over more costs time and tells no more."""
_WEIGHTS: Final = ("model.safetensors", "model.safetensors.index.json")
_LICENCE: Final = re.compile(r"\A---\n(?:(?!---).*\n)*?license: *([\w.+-]+) *\n")


class Refused(EngineError):
    """The artefact fell under its floor, and was deleted."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"the artefact was refused and deleted: {report.reason}")
        self.report = report


class Provenance(Struct, frozen=True):
    """Where an artefact comes from. base: file name to SHA-256 of the original's weights. licence: if it told one."""

    base: dict[str, str]
    recipe: Recipe
    calibration_sha256: str | None
    versions: dict[str, str]
    metrics: Parity
    licence: str | None


def export(
    source: Path,
    target: Path,
    recipe: Recipe,
    texts: tuple[Sample, ...],
    floor: float | None,
    progress: Callable[[str], None],
) -> Report:
    """Make `target` from `source`.

    texts: what is compared on (of entailment: pairs); with int8 activations every second one is calibrated on instead.
    floor: None: that of the task. progress: told what is being done.
    Raises NotInstalled, Unavailable, Refused.
    """
    weights = check_source(source)
    if target.exists():
        raise Unavailable(f"{target} is there already: name another directory, or remove it")
    stack.require()
    openvino_gate.openvino()  # first of all: transformers' friends import it too

    calibration, compared = (texts[::2], texts[1::2]) if recipe.activations == "int8" else ((), texts)
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        progress("converting the graph")
        convert(source, partial, recipe.task)
        progress(f"making its numbers {recipe.weights}")
        compress(partial, recipe, calibration)
        progress("comparing it with the original")
        report = compare(source, partial, recipe, compared, floor, sum(path.stat().st_size for path in weights))
        if not report.passed:
            target.with_name(target.name + ".refused.json").write_bytes(_json(report))
            raise Refused(report)
        digest = hashlib.sha256("\0".join(map(str, calibration)).encode()).hexdigest() if calibration else None
        base = {path.name: _sha256(path) for path in weights}
        provenance = Provenance(base, recipe, digest, stack.versions(), report.parity, licence(source))
        (partial / PROVENANCE).write_bytes(_json(provenance))
        (partial / REPORT).write_bytes(_json(report))
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return report


def check_source(source: Path) -> list[Path]:
    """The original's weights. Raises Unavailable if there are none, or only such as run code when they are read."""
    if not (source / "config.json").is_file():
        raise Unavailable(f"{source} has no config.json: name a directory as Hugging Face lays it out")
    weights = sorted(source.glob("*.safetensors"))
    if not any(
        (source / name).is_file() for name in _WEIGHTS
    ):  # under other names, transformers would look for pickles
        pickles = any(source.glob("*.bin")) or any(source.glob("*.pt"))
        why = "its weights are pickles, which run code when they are read" if pickles else "it has no weights"
        raise Unavailable(f"{source} can't be exported, since {why}: take the model's safetensors edition")
    return weights


def compare(
    source: Path, artefact: Path, recipe: Recipe, texts: tuple[Sample, ...], floor: float | None, size_bytes: int
) -> Report:
    """Hold an artefact to its original. size_bytes: of the original's weights. Raises Unavailable."""
    from edge_models.training.reference import Reference

    reference = Reference(source, recipe.task)
    if recipe.task == DECODER:
        decoder = DecoderCandidate(artefact)
        fitting = _singles(text for text in texts if 1 < reference.length(text) <= _DECODER_TOKENS)
        _check_texts(fitting)
        found = parity.generation(reference.readings(fitting), decoder.readings(fitting))
        after_ms = decoder.latency_ms
    else:
        encoder = EncoderCandidate(artefact, cast("Task", recipe.task))
        samples = tuple(text for text in texts if reference.length(text) <= encoder.window_tokens)
        _check_texts(samples)
        fitting = _singles(samples)
        match recipe.task:
            case "entailment":
                pairs = tuple(text for text in samples if isinstance(text, tuple))
                found = parity.sequences(reference.entailments(pairs), encoder.entailments(pairs))
            case "feature-extraction":
                found = parity.embeddings(reference.embeddings(fitting), encoder.embeddings(fitting))
            case "text-classification":
                found = parity.sequences(reference.sequences(fitting), encoder.sequences(fitting))
            case _:
                found = parity.tokens(reference.tokens(fitting), encoder.tokens(fitting))
        after_ms = encoder.latency_ms(samples)
    small_bytes = sum(path.stat().st_size for path in artefact.glob("openvino_model.*"))
    return Report(
        recipe.task,
        recipe.weights,
        recipe.activations,
        found,
        FLOORS[recipe.task] if floor is None else floor,
        Side(size_bytes, reference.latency_ms),
        Side(small_bytes, after_ms),
    )


def _singles(texts: Iterable[Sample]) -> tuple[str, ...]:
    return tuple(text for text in texts if isinstance(text, str))


def _check_texts(fitting: tuple[Sample, ...]) -> None:
    if len(fitting) < 2:
        raise Unavailable("there are fewer than two texts to compare on that fit the model's window: give shorter ones")


def licence(source: Path) -> str | None:
    """What the model card's front matter says."""
    try:
        card = (source / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = _LICENCE.match(card)
    return found[1] if found else None


def _json(value: Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
