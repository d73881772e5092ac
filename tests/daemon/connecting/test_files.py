"""Other programs' files: read with care, replaced with their mode, links and marks kept."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from daemon.connecting import files
from daemon.connecting.merging import Unreadable
from daemon.errors import Refused


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    """Whether others may read it is the user's choice."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    path.chmod(0o640)

    files.replace(path, b"new", private=True)

    assert path.read_bytes() == b"new"
    assert mode(path) == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(("private", "expected"), [(True, 0o600), (False, 0o644)])
def test_a_new_file(tmp_path: Path, private: bool, expected: int) -> None:
    """With a token it is this user's alone, else what the umask says."""
    before = os.umask(0o022)
    try:
        files.replace(tmp_path / "new", b"x", private)
    finally:
        os.umask(before)

    assert mode(tmp_path / "new") == expected


def test_a_link_stays_one(tmp_path: Path) -> None:
    """Who keeps settings elsewhere by a link has them changed there; so for a link to nothing yet."""
    (tmp_path / "dots").mkdir()
    (tmp_path / "dots" / "real").write_bytes(b"old")
    for name in ("real", "missing"):
        link = tmp_path / f"to-{name}"
        link.symlink_to(tmp_path / "dots" / name)
        files.replace(link, b"new", private=False)
        assert link.is_symlink()
        assert (tmp_path / "dots" / name).read_bytes() == b"new"


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    """Some tool manages it, or the user wants it so."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    path.chmod(0o444)

    with pytest.raises(Refused, match="read-only"):
        files.replace(path, b"new", private=False)

    assert path.read_bytes() == b"old"


def test_what_is_not_read(tmp_path: Path) -> None:
    """A folder, a pipe, what is no UTF-8; what isn't there is None."""
    os.mkfifo(tmp_path / "pipe")
    for odd in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(Refused, match="is no file"):
            files.read(odd)
    with pytest.raises(Unreadable, match="line 2: it is not UTF-8"):
        files.decoded(b"a\n\xff")
    assert files.read(tmp_path / "none") is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_somebody_elses_file(tmp_path: Path) -> None:
    """It is left alone."""
    path = tmp_path / "theirs"
    path.write_bytes(b"x")
    os.chown(path, 1, 1)

    with pytest.raises(Refused, match="another user"):
        files.read(path)


def test_the_byte_order_mark(tmp_path: Path) -> None:
    """A file that has one keeps it, and one that has none gets none."""
    marked = b"\xef\xbb\xbf{}"

    assert files.decoded(marked) == "{}"
    assert files.encoded("{1}", marked) == b"\xef\xbb\xbf{1}"
    assert files.encoded("{1}", b"{}") == b"{1}"
    assert files.encoded("{1}", None) == b"{1}"


def test_copies(tmp_path: Path) -> None:
    """Each has a name of its own beside the file, and is as readable as that."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"x")
    path.chmod(0o600)

    first, second = files.copy_beside(path, b"1"), files.copy_beside(path, b"2")

    assert (first.name, second.name) == ("settings.json.before-nearloop", "settings.json.before-nearloop-2")
    assert (first.read_bytes(), mode(first)) == (b"1", 0o600)


def test_folders_that_were_made(tmp_path: Path) -> None:
    """They are told, the outermost first, and none twice."""
    assert files.make_folder(tmp_path / "a" / "b") == (tmp_path / "a", tmp_path / "a" / "b")
    assert files.make_folder(tmp_path / "a" / "b") == ()


def test_who_may_read(tmp_path: Path) -> None:
    """A file that others may read is told from one that they may not."""
    path = tmp_path / "x"
    path.write_bytes(b"")
    path.chmod(0o600)
    assert not files.loose(path)
    path.chmod(0o604)
    assert files.loose(path)
