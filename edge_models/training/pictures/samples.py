"""What the head learns from and is measured on: pictures as what the encoder makes of them, kept in a file between runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.training.pictures.gathered import LABELS, PHOTO, Found, free_pictures, labelled
from edge_models.training.pictures.looks import KINDS, drawn
from edge_models.training.pictures.pen import Pen, Picture
from edge_models.training.pictures.wear import blurred, cut, grey, packed, turned, worn
from edge_models.vision.encoder import PictureEncoder, whole
from edge_models.vision.kinds import inputs_of

TURNS: Final = {PHOTO: 4, "ui": 1}
"""How often a free picture is taken again, worn by chance; others oftener, since they are few."""
_OFTEN: Final = 6
_PARTS: Final = (PHOTO, "other")
"""Of these a small part is still one."""


class Samples(Struct, frozen=True):
    """inputs: (n, width), as the head reads them. kinds: places in LABELS. sources: who or what made each."""

    inputs: NDArray[np.float32]
    kinds: NDArray[np.int64]
    sources: NDArray[np.str_]

    def __add__(self, other: Samples) -> Samples:
        return Samples(
            np.concatenate([self.inputs, other.inputs]),
            np.concatenate([self.kinds, other.kinds]),
            np.concatenate([self.sources, other.sources]),
        )

    def __getitem__(self, which: NDArray[Any]) -> Samples:
        return Samples(self.inputs[which], self.kinds[which], self.sources[which])

    def __len__(self) -> int:
        return len(self.kinds)


class Seer:
    """The encoder, over many pictures. graph: SHA-256 of its files. work: a folder to keep samples in; None: nowhere."""

    def __init__(self, encoder: PictureEncoder, graph: dict[str, str], work: Path | None) -> None:
        self._encoder, self._work = encoder, work
        self.graph = graph

    def inputs(self, image: Picture) -> NDArray[np.float32]:
        """Of one picture."""
        features, _ = self._encoder.read(whole(image)[np.newaxis])
        return inputs_of(features[0], image.width, image.height)

    def kept(self, name: str, pictures: Callable[[], Iterable[Found]]) -> Samples:
        """Those of that name if they are kept, and are features by this graph, else made now."""
        file = self._work / f"{name}.npz" if self._work else None
        by = sorted(self.graph.values())
        if file and file.is_file():
            with np.load(file, allow_pickle=False) as found:
                if "by" in found and found["by"].tolist() == by:
                    return Samples(found["inputs"], found["kinds"], found["sources"])
        rows = [(self.inputs(each.image), LABELS.index(each.kind), each.source) for each in pictures()]
        inputs, kinds, sources = zip(*rows, strict=True)
        made = Samples(np.array(inputs, np.float32), np.array(kinds, np.int64), np.array(sources))
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(file, by=by, inputs=made.inputs, kinds=made.kinds, sources=made.sources)
        return made


def drawn_pictures(first: int, last: int, seed: int, photos: Sequence[Picture]) -> Iterable[Found]:
    """Of each kind those numbers. The source of one is its look."""
    for kind in KINDS:
        for number in range(first, last):
            image, _, look = drawn(kind, number, seed, photos)
            yield Found(image, kind, f"drawn {look}", str(number))


def free_and_worn(folder: Path, seed: int) -> Iterable[Found]:
    """Each free picture as it is, and several times as it may arrive."""
    for each in free_pictures(folder):
        yield each
        pen = Pen(f"{seed} {each.source} {each.name}")
        for _ in range(TURNS.get(each.kind, _OFTEN)):
            part = cut(pen, each.image, 0.12) if each.kind in _PARTS else each.image
            yield each._replace(image=worn(pen, part.copy(), 0.0))


HARDSHIPS: Final[dict[str, Callable[[Pen, Picture], Picture]]] = {
    "as it is": lambda pen, image: image,
    "turned by up to 10°": lambda pen, image: turned(image, pen.random.uniform(-10, 10), (255, 255, 255)),
    "blurred (radius 1/250 of the longer side)": lambda pen, image: blurred(image, 1 / 250),
    "JPEG of quality 50": lambda pen, image: packed(image, 50),
    "cut to half its area": lambda pen, image: halved(pen, image),
    "grey": lambda pen, image: grey(image),
}
"""What an identity document has to be known through."""


def halved(pen: Pen, image: Picture) -> Picture:
    """A half of the picture: left, right, top or bottom, or the middle."""
    width, height = image.size
    return image.crop(
        pen.pick(
            (
                (0, 0, width // 2, height),
                (width - width // 2, 0, width, height),
                (0, 0, width, height // 2),
                (0, height - height // 2, width, height),
                (int(width * 0.146), int(height * 0.146), int(width * 0.854), int(height * 0.854)),
            )
        )
    )


def hard_cases(pictures: Iterable[Found], hardship: str, kind: str = "identity_document") -> Iterable[Found]:
    """Those of one kind, after that."""
    for each in pictures:
        if each.kind == kind:
            yield each._replace(image=HARDSHIPS[hardship](Pen(f"{hardship} {each.name}"), each.image))


def measured_on(folder: Path) -> Iterable[Found]:
    """The labelled pictures of a folder."""
    return labelled(folder)
