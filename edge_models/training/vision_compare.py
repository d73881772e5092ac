"""An encoder of pictures and its reference, side by side over pictures and labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_models.classifiers.base import EncoderRef, Weights
from edge_models.classifiers.image_text import TASK, ImageTextEncoder, open_image_text
from edge_models.engines.base import Unavailable
from edge_models.pooling import Floats, Ids
from edge_models.training import vision_labels
from edge_models.training.vision_corpus import Picture
from edge_models.training.vision_parity import FLOOR, Said, Sight, VisionReport, distance, report
from edge_models.vision.pixels import Limits, Unseeable, opened

EXACT: Final = 6
"""So many pictures and texts are run in float64 as well, which takes twice as long."""
Progress = Callable[[str], None]


class Side(Protocol):
    """An encoder of pictures, step by step."""

    def upright(self, data: bytes) -> Image.Image:
        """Decode. Raises Unseeable."""
        ...

    def pixels(self, image: Image.Image) -> Floats:
        """(3, height, width). Raises ValueError."""
        ...

    def embed(self, pixels: Floats) -> Floats:
        """(width,)."""
        ...


class Reference(Side, Protocol):
    """The other one, which is believed."""

    def embed_exact(self, pixels: Floats) -> NDArray[np.float64]: ...


class ReadsTexts(Protocol):
    """A side of an encoder that reads texts as well."""

    def ids(self, text: str) -> Ids: ...

    def embed_ids(self, ids: Ids) -> Floats: ...


class ReferenceOfTexts(ReadsTexts, Protocol):
    """The other one, which is believed."""

    def embed_ids_exact(self, ids: Ids) -> NDArray[np.float64]: ...


class OurSiglip:
    """Ours, as it runs in the worker."""

    def __init__(self, encoder: ImageTextEncoder) -> None:
        self._encoder = encoder
        self._limits = Limits()

    def upright(self, data: bytes) -> Image.Image:
        """Decoded."""
        return opened(data, self._limits).image

    def pixels(self, image: Image.Image) -> Floats:
        """(3, height, width)."""
        return self._encoder.preprocessor.pixels(image)

    def embed(self, pixels: Floats) -> Floats:
        """(width,)."""
        return self._encoder.embed_pixels(pixels)

    def ids(self, text: str) -> Ids:
        """(tokens,)."""
        return self._encoder.tokenizer.ids(text)

    def embed_ids(self, ids: Ids) -> Floats:
        """(width,) of tokens."""
        return self._encoder.embed_ids(ids)


def sights(reference: Reference, ours: Side, exact: Side | None, pictures: Sequence[Picture]) -> list[Sight]:
    """Each picture on both sides. exact: ours with all bits; None: there is no such graph.

    A picture that only one side can look at is one that is decoded otherwise.
    """
    return [
        _sight(reference, ours, exact if number < EXACT else None, picture) for number, picture in enumerate(pictures)
    ]


def _sight(reference: Reference, ours: Side, exact: Side | None, picture: Picture) -> Sight:
    theirs = reference.upright(picture.data)
    try:
        image: Image.Image | None = ours.upright(picture.data)
    except Unseeable:
        image = None
    numbers = reference.pixels(theirs)
    vector, graph = reference.embed(numbers), ours.embed(numbers)
    made = _made(ours, theirs)
    own = None if image is None else _made(ours, image)
    fits = own is not None and own.shape == numbers.shape
    both = None
    if exact is not None:
        true = reference.embed_exact(numbers)
        both = (distance(exact.embed(numbers), true), distance(vector, true))
    return Sight(
        picture.name,
        255.0 if image is None or image.size != theirs.size else _apart(np.asarray(image), np.asarray(theirs)),
        np.inf if made is None or made.shape != numbers.shape else _apart(made, numbers),
        vector,
        graph,
        ours.embed(own) if fits and own is not None else None,
        both,
    )


def _made(side: Side, image: Image.Image) -> Floats | None:
    try:
        return side.pixels(image)
    except ValueError:
        return None


def _apart(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    return float(np.abs(one.astype(np.float64) - other.astype(np.float64)).max())


def said(
    reference: ReferenceOfTexts, ours: ReadsTexts, exact: ReadsTexts | None, texts: Sequence[str] = vision_labels.ALL
) -> list[Said]:
    """Each label on both sides, ours from its own tokens."""
    found = []
    for number, text in enumerate(texts):
        theirs, mine = reference.ids(text), ours.ids(text)
        vector = reference.embed_ids(theirs)
        both = None
        if exact is not None and number < EXACT:
            true = reference.embed_ids_exact(theirs)
            both = (distance(exact.embed_ids(theirs), true), distance(vector, true))
        found.append(Said(text, bool(np.array_equal(theirs, mine)), vector, ours.embed_ids(mine), both))
    return found


def compare_siglip(
    directory: Path, weights: Weights, pictures: Sequence[Picture], progress: Progress, floor: float = FLOOR
) -> VisionReport:
    """A checkpoint, held to transformers and torch. Raises NotInstalled, Unavailable."""
    from edge_models.training.vision_reference import SiglipReference

    progress(f"{directory.name}: the reference")
    reference = SiglipReference(directory)
    progress(f"{directory.name}: ours, weights as {weights}")
    ours = OurSiglip(open_image_text(EncoderRef(str(directory), TASK, weights=weights)))
    exact = (
        OurSiglip(open_image_text(EncoderRef(str(directory), TASK, weights="float"))) if weights != "float" else ours
    )
    progress(f"{directory.name}: {len(pictures)} pictures, {len(vision_labels.ALL)} labels")
    return compared(directory.name, weights, (reference, ours, exact), pictures, floor)


def compared(
    name: str,
    weights: str,
    sides: tuple[SiglipReferenceSide, OurSiglip, OurSiglip],
    pictures: Sequence[Picture],
    floor: float = FLOOR,
) -> VisionReport:
    """sides: the reference, ours, ours with all bits. Raises Unavailable for fewer than two pictures."""
    reference, ours, exact = sides
    if len(pictures) < 2:
        raise Unavailable("there are fewer than two pictures to compare on: give more")
    return report(name, weights, sights(reference, ours, exact, pictures), said(reference, ours, exact), floor)


class SiglipReferenceSide(Reference, ReferenceOfTexts, Protocol):
    """A reference that does both."""
