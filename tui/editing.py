"""A text in the user's own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_FALLBACKS: Final = ("notepad",) if sys.platform == "win32" else ("sensible-editor", "nano", "vi")


class NoEditor(Exception):
    """None is there, or it failed. The message says what to do."""


def editor() -> list[str]:
    """$VISUAL, $EDITOR, or what most systems have. Raises NoEditor."""
    for name in ("VISUAL", "EDITOR"):
        if words := shlex.split(os.environ.get(name, ""), posix=sys.platform != "win32"):
            return words
    for name in _FALLBACKS:
        if shutil.which(name):
            return [name]
    raise NoEditor("no editor is known: set the variable EDITOR, for example to nano")


def edited(text: str, suffix: str) -> str:
    """The text as the user left it, in a file that only they can read and that is gone afterwards. Raises NoEditor."""
    command = editor()
    with tempfile.TemporaryDirectory(prefix="nearloop-") as folder:  # made for this user alone
        path = Path(folder) / f"recipe{suffix}"
        path.write_text(text, encoding="utf-8", newline="\n")
        try:
            status = subprocess.run([*command, str(path)], check=False).returncode
        except OSError as error:
            raise NoEditor(f"{command[0]} can't be started ({error.strerror}): set EDITOR to another one") from error
        if status != 0:
            raise NoEditor(f"{command[0]} ended with status {status}: nothing was changed")
        return path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
