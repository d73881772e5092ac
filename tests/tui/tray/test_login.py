"""The file that makes the icon come after a login: written as each system reads it, and taken away."""

from __future__ import annotations

import configparser
import plistlib
from pathlib import Path

import pytest

from tui.tray.login import Login, login

COMMAND = ["/home/a b/bin/nearloop-tray", "--wait", "60"]


def read_exec(value: str) -> list[str]:
    """Arguments of an Exec key, by the rules of the Desktop Entry specification: strings' escapes, then quotes, then fields."""
    for escaped, meant in (("\\\\", "\0"), ("\\s", " "), ("\\n", "\n")):
        value = value.replace(escaped, meant)
    value = value.replace("\0", "\\")
    arguments: list[str] = []
    current, quoted, at = "", False, 0
    while at < len(value):
        sign = value[at]
        if sign == "\\" and quoted:
            at += 1
            current += value[at]
        elif sign == '"':
            quoted = not quoted
        elif sign == "%":
            at += 1
            assert value[at] == "%", "a field code"
            current += "%"
        elif sign == " " and not quoted:
            arguments.append(current)
            current = ""
        else:
            assert quoted or sign not in "$`\\'<>~|&;*?#()"
            current += sign
        at += 1
    return [*arguments, current]


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_it_is_written_and_taken_away(platform: str, tmp_path: Path) -> None:
    """In a folder that may not be there yet, with nothing else left there; twice is as good as once."""
    made = login(COMMAND, platform, {}, tmp_path)
    assert not made.on
    for _ in range(2):
        made.turn(True)
        assert made.on
        assert made.path.read_bytes() == made.content
        assert list(made.path.parent.iterdir()) == [made.path]
    for _ in range(2):
        made.turn(False)
        assert not made.on
    assert list(made.path.parent.iterdir()) == []


@pytest.mark.parametrize("odd", ["/home/plain/x", "/home/a b/50% of\\it", '/home/"q" `id` $HOME/x', "/home/ä'/x"])
def test_linux_reads_our_command(odd: str, tmp_path: Path) -> None:
    """An autostart entry, whose Exec comes to these very arguments."""
    made = login([odd, "--wait", "60"], "linux", {"XDG_CONFIG_HOME": str(tmp_path)}, Path("/nowhere"))
    assert made.path == tmp_path / "autostart" / "nearloop-tray.desktop"

    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(made.content.decode())
    entry = parser["Desktop Entry"]
    assert (entry["Type"], entry["Terminal"]) == ("Application", "false")
    assert read_exec(entry["Exec"]) == [odd, "--wait", "60"]


def test_linux_keeps_the_home_of_this_daemon(tmp_path: Path) -> None:
    """Which a session at login doesn't know."""
    made = login(COMMAND, "linux", {"NEARLOOP_HOME": "/srv/near loop", "OTHER": "x"}, tmp_path)
    line = next(line for line in made.content.decode().splitlines() if line.startswith("Exec="))

    assert made.path == tmp_path / ".config" / "autostart" / "nearloop-tray.desktop"
    assert read_exec(line.removeprefix("Exec=")) == ["env", "NEARLOOP_HOME=/srv/near loop", *COMMAND]


def test_a_mac_reads_our_agent(tmp_path: Path) -> None:
    """In the user's own LaunchAgents, for sessions with a screen."""
    made = login(COMMAND, "darwin", {"NEARLOOP_HOME": "/srv/x"}, tmp_path)
    agent = plistlib.loads(made.content)

    assert made.path == tmp_path / "Library" / "LaunchAgents" / f"{agent['Label']}.plist"
    assert agent["ProgramArguments"] == COMMAND
    assert agent["RunAtLoad"] is True
    assert agent["LimitLoadToSessionType"] == "Aqua"
    assert agent["EnvironmentVariables"] == {"NEARLOOP_HOME": "/srv/x"}


def test_windows_reads_our_batch_file(tmp_path: Path) -> None:
    """In the Startup folder; percent signs stand for themselves."""
    made = login(
        [r"C:\a b\100%\nearloop-tray.exe", "--wait", "60"], "win32", {"APPDATA": str(tmp_path)}, Path("/nowhere")
    )

    assert made.path.parent == tmp_path / "Microsoft" / "Windows" / "Start Menu" / "Programs" / "Startup"
    assert made.content.decode().split("\r\n") == [
        "@echo off",
        "chcp 65001 >nul",
        r'start "" "C:\a b\100%%\nearloop-tray.exe" --wait 60',
        "",
    ]


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    """Which the icon tells the user."""
    (tmp_path / "autostart").touch()
    with pytest.raises(OSError):
        Login(tmp_path / "autostart" / "x.desktop", b"").turn(True)
