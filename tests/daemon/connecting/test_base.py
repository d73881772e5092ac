"""Where programs keep their settings, on three systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.connecting.base import Machine, first_there

HOME = Path("/home/me")


@pytest.mark.parametrize(
    ("system", "config", "support"),
    [
        ("linux", HOME / ".config", HOME / ".config"),
        ("darwin", HOME / ".config", HOME / "Library/Application Support"),
        ("win32", HOME / ".config", HOME / "AppData/Roaming"),
    ],
)
def test_folders(system: str, config: Path, support: Path) -> None:
    """Each system's own."""
    machine = Machine(system, HOME, {})

    assert (machine.config, machine.support) == (config, support)


def test_the_users_word() -> None:
    """Variables go before the usual places, and an empty one is none."""
    machine = Machine("linux", HOME, {"XDG_CONFIG_HOME": "/x", "CODEX_HOME": ""})

    assert machine.config == Path("/x")
    assert machine.told("CODEX_HOME") is None
    assert Machine("win32", HOME, {"APPDATA": "/roaming"}).support == Path("/roaming")


def test_printing_a_file() -> None:
    """By a command that the system has."""
    assert Machine("linux", HOME, {}).printing(Path("/a b")) == ("cat", "/a b")
    assert Machine("win32", HOME, {}).printing(Path("x"))[:3] == ("cmd", "/c", "type")


def test_the_first_that_is_there(tmp_path: Path) -> None:
    """Else the first of all."""
    (tmp_path / "b").touch()

    assert first_there(tmp_path / "a", tmp_path / "b") == tmp_path / "b"
    assert first_there(tmp_path / "a", tmp_path / "c") == tmp_path / "a"
