"""Only plain files are opened, and nothing is waited for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from edge_models.engines.base import Unavailable
from edge_models.inspection import inspect
from edge_models.plain_files import open_plain, read_plain


def test_plain_files_and_links_are_read(tmp_path: Path) -> None:
    """A file, and a link to one."""
    (tmp_path / "a").write_bytes(b"words")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert read_plain(tmp_path / "a") == read_plain(tmp_path / "link") == b"words"
    with open_plain(tmp_path / "a") as file:
        assert file.read(2) == b"wo"


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    """As with any file."""
    with pytest.raises(FileNotFoundError):
        read_plain(tmp_path / "nothing")


@pytest.mark.skipif(sys.platform == "win32", reason="it has neither")
@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_nothing_else_is_read(kind: str, tmp_path: Path) -> None:
    """A pipe that nobody writes to is not waited for, a device that never ends is not read: both are refused at once."""
    path = {"pipe": tmp_path / "pipe", "device": Path("/dev/zero"), "folder": tmp_path}[kind]
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(OSError, match="no plain file"):
        read_plain(path)
    if kind != "folder":
        with pytest.raises(Unavailable, match="plain file"):
            inspect(path)
