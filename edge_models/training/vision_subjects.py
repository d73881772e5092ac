"""Which encoders are held to which references: checkpoints that somebody names, and all encoders that are shipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from PIL import Image

import edge_models
from edge_models import openvino_gate
from edge_models.classifiers.base import Weights
from edge_models.engines.base import EngineError, Unavailable
from edge_models.pooling import Floats, unit
from edge_models.siglip import reads_pictures
from edge_models.training import stack
from edge_models.training.artefact import Recipe
from edge_models.training.base_encoder import packaged
from edge_models.training.report import Report
from edge_models.training.report import table as text_table
from edge_models.training.samples import SAMPLES
from edge_models.training.vision_compare import compare_siglip, sights
from edge_models.training.vision_corpus import Picture, drawn, of_folder
from edge_models.training.vision_parity import FLOOR, VisionReport, report
from edge_models.training.vision_parity import table as vision_table
from edge_models.vision.pixels import Limits, opened

_PACKAGE: Final = Path(edge_models.__file__).parent
EMBEDDER: Final = "embedder"
PICTURES: Final = "pictures"
Progress = Callable[[str], None]


class Missing(Struct, frozen=True):
    """An encoder that could not be compared. why: what to do."""

    model: str
    why: str


class Compared(Struct, frozen=True):
    """One encoder's report, for machines and for people."""

    report: VisionReport | Report | Missing
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
    pictures = _ready(folder)
    found = [_embedder(shipped_models() / EMBEDDER, progress)]
    if (shipped_models() / PICTURES / "openvino_model.xml").is_file():
        try:
            found.append(_pictures(shipped_models() / PICTURES, pictures, floor or FLOOR, progress))
        except EngineError as error:
            found.append(Compared(Missing(PICTURES, str(error)), f"{PICTURES}: not compared: {error}", passed=False))
    return found


def _ready(folder: Path | None) -> tuple[Picture, ...]:
    stack.require()
    openvino_gate.openvino()  # first of all: transformers' friends import it too
    return drawn() if folder is None else of_folder(folder)


def _seen(found: VisionReport) -> Compared:
    return Compared(found, vision_table(found), found.passed)


def shipped_models() -> Path:
    """Where the models are: in the package, or in the sources it was installed from."""
    inside = _PACKAGE / "assets" / "models"
    return inside if inside.is_dir() else _PACKAGE.parent / "assets" / "models"


class _OurFeatures:
    """The shipped encoder of pictures, as it runs in the eyes' process: features of the middle square."""

    def __init__(self, directory: Path) -> None:
        self._module: Any = import_module("edge_models.vision.encoder")
        self._encoder = self._module.PictureEncoder(directory)
        self._limits = Limits()

    def upright(self, data: bytes) -> Image.Image:
        """Decoded."""
        return opened(data, self._limits).image

    def pixels(self, image: Image.Image) -> Floats:
        """(3, 224, 224)."""
        found: Floats = self._module.centre(image)
        return found

    def embed(self, pixels: Floats) -> Floats:
        """(1280,)."""
        features: Floats = self._encoder.read(pixels[None])[0]
        vector: Floats = unit(features)[0]
        return vector


def _pictures(directory: Path, pictures: tuple[Picture, ...], floor: float, progress: Progress) -> Compared:
    """The encoder of pictures, held to its publisher's code; its graph is shipped with few bits alone."""
    from edge_models.training.vision_efficientnet import EfficientNetReference

    progress("the shipped encoder of pictures")
    seen = sights(EfficientNetReference(), _OurFeatures(directory), None, pictures)
    return _seen(report(PICTURES, "shipped", seen, floor=floor))


def _embedder(directory: Path, progress: Progress) -> Compared:
    """The encoder of texts, held to its authors' weights as `nearloop export` held it when it was made."""
    from edge_models.training.export import compare

    progress("the shipped encoder of texts")
    source = packaged()
    recipe: Any = Recipe("feature-extraction", "int8", "float")
    size_bytes = (source / "model.safetensors").stat().st_size
    found = compare(source, directory, recipe, SAMPLES, None, size_bytes)
    return Compared(found, f"{EMBEDDER}\n{text_table(found)}", found.passed)
