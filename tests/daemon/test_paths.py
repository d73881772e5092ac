"""Where files are, and who may read them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.errors import Refused
from daemon.paths import Paths, make_private_directory, paths, read_private, write_private

unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no mode bits")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_everything_is_under_nearloop_home(home: Path) -> None:
    """With NEARLOOP_HOME set, every file that Nearloop uses lies under it, in five folders."""
    where = paths()

    assert where == Paths(home / "config", home / "data", home / "cache", home / "run", home / "state")
    assert where.settings == home / "config" / "settings.toml"
    assert where.records == home / "data" / "records.db"
    assert where.log == home / "data" / "daemon.log"
    assert where.models == home / "cache" / "models"
    assert where.discovery == home / "run" / "daemon.json"
    assert where.admin_token == home / "run" / "admin.token"
    assert where.looks == home / "state" / "dashboard.json"
    assert where.lock == home / "data" / "daemon.lock"


def test_a_home_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative NEARLOOP_HOME counts from where the program started, and `~` is the user's home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEARLOOP_HOME", "here")
    assert paths().config == tmp_path / "here" / "config"

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("NEARLOOP_HOME", "~/there")
    assert paths().config == tmp_path / "there" / "config"


def test_without_a_home_the_platform_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without NEARLOOP_HOME the folders are the platform's own, each with our name in it; an empty one counts as none."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("NEARLOOP_HOME")
    where = paths()

    folders = (where.config, where.data, where.cache, where.runtime, where.state)
    assert all(folder.is_absolute() and "nearloop" in folder.parts for folder in folders)
    monkeypatch.setenv("NEARLOOP_HOME", "")
    assert paths() == where


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has the variable")
def test_a_session_without_a_runtime_folder_is_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container or over ssh, where XDG_RUNTIME_DIR is not set, there is a runtime folder all the same, in silence."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("NEARLOOP_HOME")

    assert "nearloop" in paths().runtime.parts


def test_asking_for_paths_makes_nothing(home: Path) -> None:
    """Paths are names: no folder appears before something is written."""
    paths()

    assert not home.exists()


@unix
def test_a_private_directory_is_closed_to_others(tmp_path: Path) -> None:
    """A folder that is made, and one that was open before, are for this user alone afterwards."""
    new, open_before = tmp_path / "a" / "b", tmp_path / "c"
    open_before.mkdir(mode=0o777)

    make_private_directory(new)
    make_private_directory(open_before)

    assert mode(new) == 0o700
    assert mode(open_before) == 0o700


@unix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_directory_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """Where another user owns the folder, who could then read our tokens, nothing is written into it."""
    os.chown(tmp_path, 65534, 65534)

    with pytest.raises(Refused, match="belongs to another user"):
        make_private_directory(tmp_path)


@unix
def test_a_private_file_is_never_open_to_others(tmp_path: Path) -> None:
    """A written file is for this user alone whatever it was before and whatever the umask says, and no other is left."""
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(0o666)
    before = os.umask(0)
    try:
        write_private(path, b"new")
    finally:
        os.umask(before)

    assert path.read_bytes() == b"new"
    assert mode(path) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    """What was written privately is read back, and what is not there is an OSError like any other."""
    write_private(tmp_path / "secret", b"\x00words")

    assert read_private(tmp_path / "secret") == b"\x00words"
    with pytest.raises(FileNotFoundError):
        read_private(tmp_path / "missing")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_not_believed(tmp_path: Path) -> None:
    """A file that another user put in our place is not read, not even through a link of ours."""
    theirs, link = tmp_path / "theirs", tmp_path / "link"
    theirs.write_bytes(b"misleading")
    os.chown(theirs, 65534, 65534)
    link.symlink_to(theirs)

    for path in (theirs, link):
        with pytest.raises(PermissionError, match="belongs to another user"):
            read_private(path)


@unix
def test_what_can_not_be_put_in_place_leaves_the_old_and_no_rest(tmp_path: Path) -> None:
    """If the file can't be replaced, the error is told, the old content stays and the temporary file goes."""
    path = tmp_path / "secret"
    (path / "in the way").mkdir(parents=True)

    with pytest.raises(OSError):
        write_private(path, b"new")

    assert [entry.name for entry in tmp_path.iterdir()] == ["secret"]
    assert (path / "in the way").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="RLIMIT_FSIZE is Unix's")
def test_a_file_cut_short_does_not_replace_the_old(tmp_path: Path) -> None:
    """When the disk refuses half-way, the old content is still whole."""
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    code = (
        "import resource, sys; from pathlib import Path; from daemon.paths import write_private\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try: write_private(Path(sys.argv[1]), b'x' * 1000)\n"
        "except OSError: sys.exit(3)"
    )

    child = subprocess.run([sys.executable, "-B", "-c", code, str(path)], timeout=60)

    assert child.returncode == 3
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
