"""How other programs are started: our own commands, the user's terminal, and what shows a file."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

Which = Callable[[str], str | None]

TERMINALS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("xdg-terminal-exec", ()),
    ("ptyxis", ("--",)),
    ("gnome-terminal", ("--",)),
    ("kgx", ("--",)),
    ("konsole", ("-e",)),
    ("xfce4-terminal", ("-x",)),
    ("mate-terminal", ("-x",)),
    ("ghostty", ("-e",)),
    ("kitty", ()),
    ("alacritty", ("-e",)),
    ("wezterm", ("start", "--")),
    ("foot", ()),
    ("x-terminal-emulator", ("-e",)),
    ("xterm", ("-e",)),
)
"""Terminals of Linux, and what stands between them and a command. The first is the one that the user has chosen."""
DESKTOPS: Final = {"gnome": ("ptyxis", "gnome-terminal", "kgx"), "kde": ("konsole",), "xfce": ("xfce4-terminal",)}
"""Which of them a desktop comes with, and its user has seen before."""


def nearloop(*arguments: str) -> list[str]:
    """One of our commands."""
    if getattr(sys, "frozen", False):
        return [sys.executable, *arguments]
    return [_with_console(sys.executable), "-m", "daemon.cli.main", *arguments]


def _with_console(python: str) -> str:
    """On Windows the icon is run by the Python that has no console."""
    path = Path(python)
    beside = path.with_name(path.name.lower().replace("pythonw", "python"))
    return str(beside) if path.name.lower() == "pythonw.exe" and beside.exists() else python


def tray() -> list[str]:
    """This icon's own command."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("nearloop-tray.exe" if sys.platform == "win32" else "nearloop-tray")
    return [str(script)] if script.exists() else [sys.executable, "-m", "tui.tray.main"]


def in_terminal(
    command: list[str], platform: str, environ: Mapping[str, str], which: Which = shutil.which
) -> list[str] | None:
    """What opens a window of the user's terminal with `command` in it; None: there is no terminal that we know.

    platform: as sys.platform has it. On Windows the command itself, which gets a console of its own (`start`).
    """
    if platform == "win32":
        return command
    if platform == "darwin":
        script = shlex.join(command).replace("\\", "\\\\").replace('"', '\\"')
        told = f'tell application "Terminal"\nactivate\ndo script "{script}"\nend tell'
        return ["osascript", "-e", told]
    known = dict(TERMINALS)
    own = environ.get("TERMINAL", "")
    desktop = environ.get("XDG_CURRENT_DESKTOP", "").lower()
    theirs = [name for part in desktop.split(":") for name in DESKTOPS.get(part, ())]
    for name in ("xdg-terminal-exec", own, *theirs, *known):
        if name and (path := which(name)):
            return [path, *known.get(Path(name).name, ("-e",)), *command]
    return None


def shows(file: str, platform: str, which: Which = shutil.which) -> list[str] | None:
    """What opens a file in the program that the user has for it; None: nothing does."""
    if platform == "win32":
        return ["notepad.exe", file]  # a .log file may belong to nobody
    if platform == "darwin":
        return ["open", "-t", file]
    path = which("xdg-open")
    return None if path is None else [path, file]


def start(command: list[str]) -> subprocess.Popen[bytes]:
    """Start it, and let it live on without us. Raises OSError."""
    if sys.platform == "win32":
        return subprocess.Popen(command, creationflags=subprocess.CREATE_NEW_CONSOLE)
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
