"""Tests of where recipes come from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from daemon.errors import NotFound
from daemon.routing.sources import built_in, folder, shared_bases, source

RECORDED = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "config"
TEXT = "MODEL local {}\nROUTE rest { MODEL local }\n"


def test_a_path_is_beside_the_settings(tmp_path: Path) -> None:
    """Relative paths go from the settings' folder; what ends like a file is one."""
    (tmp_path / "mine.dsl").write_text(TEXT)

    found = source("mine.dsl", tmp_path)

    assert (found.text, found.form, found.folder) == (TEXT, "dsl", tmp_path)
    assert source(str(tmp_path / "mine.dsl"), Path("/")).digest == found.digest


def test_what_is_not_there(tmp_path: Path) -> None:
    """A missing file and an unknown name are told apart, and names can't lead out of the folder."""
    with pytest.raises(NotFound, match="no file"):
        source("mine.yaml", tmp_path)
    for name in ("unheard", "../recipes/default", ".", "..", "a\\b"):
        with pytest.raises(NotFound, match="no built-in recipe"):
            built_in(name)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_only_plain_files_are_opened(tmp_path: Path) -> None:
    """A pipe is not waited for, and a link to itself is no file."""
    os.mkfifo(tmp_path / "pipe.dsl")
    (tmp_path / "loop.dsl").symlink_to(tmp_path / "loop.dsl")

    for name in ("pipe.dsl", "loop.dsl"):
        with pytest.raises(NotFound, match="no file"):
            source(name, tmp_path)


def test_knowledge_is_taken_whatever_else_is_wrong(tmp_path: Path) -> None:
    """Upstream's reference file has a rule that it refuses itself; its knowledge bases are good."""
    path = RECORDED / "config.yaml"
    assert "method: fuzzy" in path.read_text()

    assert "privacy_kb" in shared_bases(str(path), tmp_path)


def test_the_built_in_ones() -> None:
    """They lie beside the sources, or in the package."""
    assert folder().name == "recipes"
