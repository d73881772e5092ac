"""Whether the icon comes by itself after the user has logged in: one file, which each system wants elsewhere."""

from __future__ import annotations

import plistlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

LABEL: Final = "org.nearloop.tray"
KEPT: Final = ("NEARLOOP_HOME",)
"""Variables that a session doesn't set by itself, and without which the icon would look for another daemon."""


class Login:
    """The file, and what has to stand in it."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self.content = content

    @property
    def on(self) -> bool:
        """Whether it is there."""
        return self.path.is_file()

    def turn(self, on: bool) -> None:
        """Write it, or take it away. Raises OSError."""
        if not on:
            self.path.unlink(missing_ok=True)
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_name(f".{self.path.name}.new")
        temporary.write_bytes(self.content)
        temporary.replace(self.path)


def login(command: list[str], platform: str, environ: Mapping[str, str], home: Path) -> Login:
    """As `platform` (sys.platform) has it. home: the user's folder."""
    kept = {name: environ[name] for name in KEPT if environ.get(name)}
    if platform == "darwin":
        return Login(home / "Library" / "LaunchAgents" / f"{LABEL}.plist", _launch_agent(command, kept))
    if platform == "win32":
        roaming = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
        folder = roaming / "Microsoft" / "Windows" / "Start Menu" / "Programs" / "Startup"
        return Login(folder / "Nearloop.cmd", _batch(command, kept))
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return Login(config / "autostart" / "nearloop-tray.desktop", _desktop_entry(command, kept))


def _desktop_entry(command: list[str], kept: Mapping[str, str]) -> bytes:
    """As freedesktop.org's Desktop Entry and Autostart specifications have it."""
    whole = ["env", *(f"{name}={value}" for name, value in kept.items()), *command] if kept else command
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=Nearloop",
        "Comment=Shows whether anything leaves this machine",
        f"Exec={' '.join(_quoted(each) for each in whole)}",
        "Terminal=false",
        "X-GNOME-Autostart-enabled=true",
    )
    return ("\n".join(lines) + "\n").encode()


def _quoted(argument: str) -> str:
    """An argument of Exec. A backslash is doubled twice: for the argument, and for the value of the key."""
    escaped = argument.replace("\\", "\\\\")
    for sign in '"`$':
        escaped = escaped.replace(sign, f"\\{sign}")
    return '"' + escaped.replace("\\", "\\\\").replace("%", "%%") + '"'


def _launch_agent(command: list[str], kept: Mapping[str, str]) -> bytes:
    """As launchd.plist(5) has it."""
    wanted = {
        "Label": LABEL,
        "ProgramArguments": command,
        "EnvironmentVariables": dict(kept),
        "RunAtLoad": True,
        "LimitLoadToSessionType": "Aqua",
        "ProcessType": "Interactive",
    }
    return plistlib.dumps(wanted)


def _batch(command: list[str], kept: Mapping[str, str]) -> bytes:
    """A batch file for the Startup folder; `start` lets its window close at once."""
    lines = ["@echo off", "chcp 65001 >nul"]
    lines += [f'set "{name}={_percent(value)}"' for name, value in kept.items()]
    lines.append(f'start "" {_percent(subprocess.list2cmdline(command))}')
    return ("\r\n".join(lines) + "\r\n").encode()


def _percent(text: str) -> str:
    return text.replace("%", "%%")
