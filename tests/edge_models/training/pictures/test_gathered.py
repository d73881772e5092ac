"""Pictures of others, from folders."""

import json
from pathlib import Path

import pytest
from PIL import Image

from edge_models.engines.base import Unavailable
from edge_models.training.pictures.gathered import LABELS, free_pictures, labelled, licences
from providers.contract import PICTURE_KINDS


def put(file: Path, size: tuple[int, int] = (40, 30)) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (9, 8, 7)).save(file)


def test_kinds_are_the_contracts() -> None:
    """In the same order, since columns are by it."""
    assert LABELS == PICTURE_KINDS


def test_free_pictures_bring_their_source(tmp_path: Path) -> None:
    """By folder: kind, then source; what is no picture is passed over, and a large one comes smaller."""
    put(tmp_path / "photo" / "somebody" / "a.png", (3000, 1500))
    put(tmp_path / "chart" / "other" / "b.jpg")
    for source, licence in (("photo/somebody", "CC0-1.0\n"), ("chart/other", "MIT")):
        (tmp_path / source / "LICENCE").write_text(licence)
    found = list(free_pictures(tmp_path))
    assert [(each.kind, each.source, each.name) for each in found] == [
        ("chart", "other", "b"),
        ("photo", "somebody", "a"),
    ]
    assert found[1].image.size == (1400, 700)
    assert licences(tmp_path) == {"chart/other": "MIT", "photo/somebody": "CC0-1.0"}


def test_a_source_without_a_licence_is_refused(tmp_path: Path) -> None:
    """Nobody learns from pictures whose licence isn't told."""
    put(tmp_path / "photo" / "somebody" / "a.png")
    with pytest.raises(Unavailable, match="somebody has no LICENCE"):
        licences(tmp_path)


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    """A folder of another name is a mistake."""
    put(tmp_path / "holiday" / "somebody" / "a.png")
    with pytest.raises(Unavailable, match="holiday is no kind"):
        list(free_pictures(tmp_path))


def test_an_index_has_the_labels(tmp_path: Path) -> None:
    """Ours by name, two by others' names, and all else is a photograph."""
    lines = []
    for number, label in enumerate(("receipt", "id_document", "diagram", "street")):
        put(tmp_path / f"{number}.png")
        lines.append(json.dumps({"file": f"{number}.png", "label": label, "source": "s", "more": 1}))
    (tmp_path / "images.jsonl").write_text("\n".join(lines))
    assert [each.kind for each in labelled(tmp_path)] == ["receipt", "identity_document", "other", "photo"]
