"""Which encoders are held to which references: checkpoints that somebody names, and all encoders that are shipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

import edge_models
from edge_models import openvino_gate
from edge_models.classifiers.base import Weights
from edge_models.engines.base import Unavailable
from edge_models.siglip import reads_pictures
from edge_models.training import stack
from edge_models.training.artefact import Recipe
from edge_models.training.base_encoder import packaged
from edge_models.training.report import Report
from edge_models.training.report import table as text_table
from edge_models.training.samples import SAMPLES
from edge_models.training.vision_compare import compare_siglip
from edge_models.training.vision_corpus import Picture, drawn, of_folder
from edge_models.training.vision_parity import FLOOR, VisionReport
from edge_models.training.vision_parity import table as vision_table

_PACKAGE: Final = Path(edge_models.__file__).parent
EMBEDDER: Final = "embedder"
Progress = Callable[[str], None]


class Compared(Struct, frozen=True):
    """One encoder's report, for machines and for people."""

    report: VisionReport | Report
    text: str
    passed: bool


def checkpoints(
    directories: Sequence[Path], weights: Weights, folder: Path | None, floor: float | None, progress: Progress
) -> list[Compared]:
    """SigLIP checkpoints, held to torch. folder: of pictures; None: the drawn ones. Raises NotInstalled, Unavailable."""
    strange = [each.name for each in directories if not reads_pictures(each)]
    if strange:
        raise Unavailable(f"{', '.join(strange)}: no SigLIP or SigLIP2 checkpoint of fixed resolution: name others")
    pictures = _ready(folder)
    return [_seen(compare_siglip(each.resolve(), weights, pictures, progress, floor or FLOOR)) for each in directories]


def shipped_encoders(folder: Path | None, floor: float | None, progress: Progress) -> list[Compared]:
    """All that this installation ships. Raises NotInstalled, Unavailable."""
    _ready(folder)
    return [_embedder(shipped_models() / EMBEDDER, progress)]


def _ready(folder: Path | None) -> tuple[Picture, ...]:
    stack.require()
    openvino_gate.openvino()  # first of all: transformers' friends import it too
    return drawn() if folder is None else of_folder(folder)


def _seen(report: VisionReport) -> Compared:
    return Compared(report, vision_table(report), report.passed)


def shipped_models() -> Path:
    """Where the models are: in the package, or in the sources it was installed from."""
    inside = _PACKAGE / "assets" / "models"
    return inside if inside.is_dir() else _PACKAGE.parent / "assets" / "models"


def _embedder(directory: Path, progress: Progress) -> Compared:
    """The encoder of texts, held to its authors' weights as `nearloop export` held it when it was made."""
    from edge_models.training.export import compare

    progress("the shipped encoder of texts")
    source = packaged()
    recipe: Any = Recipe("feature-extraction", "int8", "float")
    size_bytes = (source / "model.safetensors").stat().st_size
    report = compare(source, directory, recipe, SAMPLES, None, size_bytes)
    return Compared(report, f"{EMBEDDER}\n{text_table(report)}", report.passed)
