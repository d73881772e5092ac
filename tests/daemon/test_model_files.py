"""Fetched models: names that can be kept, what belongs to one, damage, and what a removal leaves alone."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import pytest

from daemon.errors import BadRequest, Refused
from daemon.model_files import ModelFiles, Origin, StoredFile, file_name
from daemon.paths import Paths

CONTENT = b"weights"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def put(where: Paths, name: str = "model") -> Origin:
    """A model that is here whole."""
    here = ModelFiles(where)
    here.directory(name).mkdir(parents=True)
    (here.directory(name) / "m.gguf").write_bytes(CONTENT)
    file = StoredFile("m.gguf", len(CONTENT), SHA256, "catalogue")
    at = datetime(2026, 1, 2, tzinfo=UTC)
    origin = Origin(name, "m.gguf", "https://hub.example", "org/repo", "main", None, "MIT", at, (file,))
    here.write(origin)
    return origin


@pytest.mark.parametrize(
    "name",
    [
        "../evil.gguf", "a/../evil.gguf", "/etc/passwd", "a//b.gguf", "..", "", "a\\b.gguf", "c:evil.gguf", ".hidden",
        "con.gguf", "NUL", "evil.gguf.", "evil.gguf ", "a\x00b.gguf", "a\nb.gguf", "é.gguf", "x" * 300, "origin.json",
        "./m.gguf", "-rf.gguf", "\x1b[31m/m.gguf",
    ],
)  # fmt: skip
def test_hostile_names_are_refused(name: str) -> None:
    """What a hub calls a file becomes no path, no device and no hidden file."""
    with pytest.raises(BadRequest):
        file_name(name)


def test_plain_names_are_kept() -> None:
    """A file in a folder of the repository is kept by its last name."""
    assert file_name("Q8_0/Some Model-1.5B (v2)+Q8_0.gguf") == "Some Model-1.5B (v2)+Q8_0.gguf"


@pytest.mark.parametrize("name", ["..", "a/b", "a:b", "con", "", "x" * 101, "a."])
def test_folders_have_plain_names(name: str, where: Paths) -> None:
    """A model's name can't lead out of the folder of models."""
    with pytest.raises(BadRequest):
        ModelFiles(where).directory(name)


def test_what_is_here(where: Paths) -> None:
    """A model with its origin is found by name and by path; a folder without one is not whole."""
    origin = put(where)
    here = ModelFiles(where)
    (where.model_files / "half").mkdir()
    (where.model_files / "bad").mkdir()
    (where.model_files / "bad" / "origin.json").write_text("{")

    assert here.all() == (origin,)
    assert here.owner(str(here.path(origin))) == origin
    assert here.owner("/elsewhere.gguf") is None
    assert here.begun("half")


def test_damage_is_found(where: Paths) -> None:
    """A changed byte and a missing file are damage."""
    origin, here = put(where), ModelFiles(where)
    assert here.damaged(origin) == ()

    here.path(origin).write_bytes(b"weightz")
    assert here.damaged(origin) == ("m.gguf",)

    here.path(origin).unlink()
    assert here.damaged(origin) == ("m.gguf",)


def test_a_removal_takes_what_is_ours(where: Paths) -> None:
    """Files, parts and what engines made of them go; another file in the folder stays, and so do other models."""
    put(where)
    other = put(where, "other")
    here = ModelFiles(where)
    folder = here.directory("model")
    (folder / "more.gguf.partial").write_bytes(b"x")
    (folder / "mine.txt").write_text("mine")
    prepared = where.models / f"{SHA256[:16]}-1-2026"
    prepared.mkdir(parents=True)
    (prepared / "openvino_model.bin").write_bytes(b"x")

    here.remove("model")

    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert not prepared.exists()
    assert here.all() == (other,)


def test_two_do_not_work_on_one(where: Paths) -> None:
    """A second command is told that somebody is at it, and may begin afterwards."""
    with ModelFiles(where).lock("model"), pytest.raises(Refused, match="another command"):
        ModelFiles(where).lock("model")

    ModelFiles(where).lock("model").release()
