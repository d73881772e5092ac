"""Pictures of others, from folders: free ones to learn from, and labelled ones to be measured on. None is kept.

To learn from: FOLDER/KIND/SOURCE/*.jpg or .png, with the source's licence in a file LICENCE beside them. To be measured on:
a folder with images.jsonl, an index line by line with `file`, `label` and `source`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from PIL import Image

from edge_models.engines.base import Unavailable
from edge_models.training.pictures.looks import KINDS
from edge_models.training.pictures.pen import Picture

PHOTO: Final = "photo"
LABELS: Final = (
    "identity_document", "receipt", "document", "code_screenshot", "chart", "ui", PHOTO, "medical", "other",
)  # fmt: skip
INDEX: Final = "images.jsonl"
_ENDINGS: Final = frozenset({".jpg", ".jpeg", ".png", ".webp"})
_OTHER_NAMES: Final = {"id_document": "identity_document", "diagram": "other"}
_LARGEST: Final = 1400


class Found(NamedTuple):
    """A picture of somebody's. name: so that its chance is always the same."""

    image: Picture
    kind: str
    source: str
    name: str


class _Line(Struct, frozen=True):
    file: str
    label: str
    source: str


_line: Final = msgspec.json.Decoder(_Line)


def free_pictures(folder: Path) -> Iterator[Found]:
    """All of them, in order. Raises Unavailable for a kind that isn't known, or a source without a licence."""
    for kind in sorted(each for each in folder.iterdir() if each.is_dir()):
        if kind.name not in LABELS:
            raise Unavailable(f"{kind.name} is no kind of pictures: {', '.join(LABELS)}")
        for source in sorted(each for each in kind.iterdir() if each.is_dir()):
            for file in sorted(source.iterdir()):
                if file.suffix.lower() in _ENDINGS:
                    yield Found(_opened(file), kind.name, source.name, file.stem)


def licences(folder: Path) -> dict[str, str]:
    """What each source's LICENCE says, by KIND/SOURCE. Raises Unavailable."""
    found = {}
    for source in sorted(folder.glob("*/*")):
        if source.is_dir():
            try:
                found[f"{source.parent.name}/{source.name}"] = (source / "LICENCE").read_text(encoding="utf-8").strip()
            except OSError as error:
                raise Unavailable(f"{source.name} has no LICENCE beside its pictures") from error
    return found


def labelled(folder: Path) -> Iterator[Found]:
    """What an index names; a label that isn't ours is a photograph's."""
    if not (folder / INDEX).is_file():
        yield from free_pictures(folder)
        return
    for raw in (folder / INDEX).read_bytes().splitlines():
        line = _line.decode(raw)
        kind = _OTHER_NAMES.get(line.label, line.label)
        yield Found(_opened(folder / line.file), kind if kind in KINDS else PHOTO, line.source, Path(line.file).stem)


def _opened(file: Path) -> Picture:
    try:
        image = Image.open(file)
        image.draft("RGB", (_LARGEST, _LARGEST))
        image = image.convert("RGB")
    except (OSError, ValueError) as error:
        raise Unavailable(f"{file.name} is no picture") from error
    if max(image.size) > _LARGEST:
        image.thumbnail((_LARGEST, _LARGEST))
    return image
