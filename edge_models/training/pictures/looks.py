"""Which drawn pictures are of which kind, and how often each is seen through a camera."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from edge_models.training.pictures.charts import CHARTS
from edge_models.training.pictures.identity import LOOKS
from edge_models.training.pictures.medical import MEDICAL
from edge_models.training.pictures.others import OTHERS
from edge_models.training.pictures.papers import DOCUMENTS, RECEIPTS
from edge_models.training.pictures.pen import Pen, Picture
from edge_models.training.pictures.screens import CODE, INTERFACES
from edge_models.training.pictures.wear import worn


class Kind(NamedTuple):
    """looks: each draws one. camera: the share that is photographed."""

    looks: tuple[Callable[[Pen], Picture], ...]
    camera: float


KINDS: Final = {
    "identity_document": Kind(LOOKS, 0.5),
    "receipt": Kind(RECEIPTS, 0.45),
    "document": Kind(DOCUMENTS, 0.3),
    "code_screenshot": Kind(CODE, 0.07),
    "chart": Kind(CHARTS, 0.06),
    "ui": Kind(INTERFACES, 0.07),
    "medical": Kind(MEDICAL, 0.06),
    "other": Kind(OTHERS, 0.05),
}


class Drawn(NamedTuple):
    """A picture, its kind, and which of its kind's looks it has."""

    image: Picture
    kind: str
    look: str


def drawn(kind: str, number: int, seed: int, photos: Sequence[Picture] = ()) -> Drawn:
    """The picture of that number: the same each time, on a machine with the same fonts and photographs."""
    made = KINDS[kind]
    look = made.looks[number % len(made.looks)]
    pen = Pen(f"{seed} {kind} {number}", photos)
    return Drawn(worn(pen, look(pen), made.camera), kind, look.__name__)


def all_drawn(each: int, seed: int, photos: Sequence[Picture] = ()) -> Iterator[Drawn]:
    """So many of each kind."""
    for kind in KINDS:
        for number in range(each):
            yield drawn(kind, number, seed, photos)
