"""What opens terminals and files, on each system."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tui.tray import programs

COMMAND = ["/opt/a b/python", "-m", "daemon.cli.main", "tui"]


def having(*names: str) -> programs.Which:
    """A machine with these programs."""
    return lambda name: f"/usr/bin/{name}" if name in names else None


@pytest.mark.parametrize(
    ("environ", "there", "begin"),
    [
        ({}, ("xterm", "konsole"), ["/usr/bin/konsole", "-e"]),
        ({}, ("x-terminal-emulator", "xterm"), ["/usr/bin/x-terminal-emulator", "-e"]),
        ({"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}, ("konsole", "gnome-terminal"), ["/usr/bin/gnome-terminal", "--"]),
        ({"XDG_CURRENT_DESKTOP": "XFCE"}, ("konsole", "xfce4-terminal"), ["/usr/bin/xfce4-terminal", "-x"]),
        ({"TERMINAL": "foot"}, ("foot", "gnome-terminal"), ["/usr/bin/foot"]),
        ({"TERMINAL": "st"}, ("st", "xterm"), ["/usr/bin/st", "-e"]),
        ({"TERMINAL": "gone"}, ("wezterm",), ["/usr/bin/wezterm", "start", "--"]),
        ({"TERMINAL": "foot"}, ("foot", "xdg-terminal-exec"), ["/usr/bin/xdg-terminal-exec"]),
    ],
)
def test_the_terminal_of_the_user(environ: dict[str, str], there: tuple[str, ...], begin: list[str]) -> None:
    """The chosen one, then the desktop's own, then any."""
    assert programs.in_terminal(COMMAND, "linux", environ, having(*there)) == [*begin, *COMMAND]


def test_no_terminal() -> None:
    """Then nothing is started."""
    assert programs.in_terminal(COMMAND, "linux", {}, having()) is None


def test_on_a_mac_the_script_is_quoted_twice() -> None:
    """For the shell, and for AppleScript."""
    (program, _, script) = programs.in_terminal(["/opt/a b/x", 'q"\\'], "darwin", {}, having()) or []

    assert program == "osascript"
    assert """do script "'/opt/a b/x' 'q\\"\\\\'\"""" in script


def test_windows_gives_a_console_itself() -> None:
    """The command is started with a console of its own."""
    assert programs.in_terminal(COMMAND, "win32", {}, having()) == COMMAND


def test_what_shows_the_log() -> None:
    """By each system's own way."""
    assert programs.shows("/x/daemon.log", "linux", having("xdg-open")) == ["/usr/bin/xdg-open", "/x/daemon.log"]
    assert programs.shows("/x/daemon.log", "linux", having()) is None
    assert programs.shows("/x/daemon.log", "darwin", having()) == ["open", "-t", "/x/daemon.log"]
    assert programs.shows("x.log", "win32", having()) == ["notepad.exe", "x.log"]


def test_a_python_without_a_console_is_not_asked_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The icon's Python on Windows has none; the one beside it has."""
    silent = tmp_path / "pythonw.exe"
    monkeypatch.setattr(sys, "executable", str(silent))
    assert programs.nearloop("tui")[0] == str(silent)
    (tmp_path / "python.exe").touch()
    assert programs.nearloop("tui") == [str(tmp_path / "python.exe"), "-m", "daemon.cli.main", "tui"]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_what_is_started_lives_on(tmp_path: Path) -> None:
    """In a session of its own, with nothing of ours to read or write."""
    told = tmp_path / "told"
    script = f"import os; from pathlib import Path; Path({str(told)!r}).write_text(str(os.getsid(0) == os.getpid()))"
    programs.start([sys.executable, "-c", script]).wait(timeout=60)

    assert told.read_text() == "True"
