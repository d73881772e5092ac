"""Walks in search of logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.auditing import places
from daemon.auditing.places import files_below


def _all(name: str) -> bool:
    return name.endswith(".jsonl")


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A folder that holds itself, or one somewhere else, is seen once and not entered."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.jsonl").touch()
    (tmp_path / "a" / "loop").symlink_to(tmp_path)

    assert list(files_below(tmp_path, _all)) == [tmp_path / "a" / "x.jsonl"]


def test_depth_and_hidden_folders(tmp_path: Path) -> None:
    """As deep as asked for; folders whose names begin with a dot if asked for; never those that hold others' packages."""
    for folder in (".", "a", "a/b", ".h", "node_modules"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "x.jsonl").touch()

    names = [
        path.parent.relative_to(tmp_path).as_posix() for path in files_below(tmp_path, _all, depth=1, hidden=False)
    ]
    assert names == [".", "a"]
    assert len(list(files_below(tmp_path, _all))) == 4


def test_a_walk_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many folders it goes no deeper."""
    monkeypatch.setattr(places, "MAX_FOLDERS", 2)
    folder = tmp_path
    for _ in range(10):
        folder = folder / "d"
        folder.mkdir()
        (folder / "x.jsonl").touch()

    assert len(list(files_below(tmp_path, _all))) == 2


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """It has no files."""
    assert list(files_below(tmp_path / "none", _all)) == []
