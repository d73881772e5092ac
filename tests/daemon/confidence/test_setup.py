"""What a calibration holds for."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.confidence import setup
from daemon.confidence.setup import setup_of, usable_threads
from edge_models.catalog import CATALOG, ModelRef


def test_the_embedded_model_is_known_by_its_hash() -> None:
    """It needs no reading, and its setup names engine and threads."""
    found = setup_of(ModelRef(CATALOG[0].name, CATALOG[0].engine))

    assert (found.file, found.engine, found.threads) == (CATALOG[0].sha256, CATALOG[0].engine, usable_threads())
    assert found.threads >= 1


def test_another_file_is_another_setup(tmp_path: Path) -> None:
    """One byte more or other, in a file or in a folder's file, is another model; the same bytes elsewhere are the same."""
    one, same, other = (tmp_path / name for name in ("one.gguf", "same.gguf", "other.gguf"))
    one.write_bytes(b"weights")
    same.write_bytes(b"weights")
    other.write_bytes(b"weightz")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "model.bin").write_bytes(b"weights")

    keys = [setup_of(ModelRef("m", "openvino-genai", str(path))).key for path in (one, same, other, folder)]

    assert keys[0] == keys[1]
    assert len(set(keys)) == 3
    assert keys[0] != setup_of(ModelRef("m", "openvino-raw", str(one))).key


@pytest.mark.parametrize("path", ["", "missing.gguf"])
def test_without_a_file_there_is_no_setup(path: str) -> None:
    """A model that names none is not taken for the folder that the process runs in."""
    with pytest.raises(FileNotFoundError):
        setup_of(ModelRef("m", "scripted", path))


def test_a_large_file_is_read_at_its_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond twice the limit the middle is passed over; a change at either end, or of the length, is seen."""
    monkeypatch.setattr(setup, "_WHOLE", 64)
    monkeypatch.setattr(setup, "_CHUNK", 16)
    file = tmp_path / "large.gguf"
    middle = bytes(200)

    def key(content: bytes) -> str:
        file.write_bytes(content)
        return setup_of(ModelRef("m", "openvino-genai", str(file))).key

    plain = key(bytes(64) + middle + bytes(64))
    assert plain == key(bytes(64) + b"\1" * 200 + bytes(64))
    assert plain != key(b"\1" + bytes(63) + middle + bytes(64))
    assert plain != key(bytes(64) + middle + bytes(63) + b"\1")
    assert plain != key(bytes(64) + middle + bytes(65))
