"""Other programs' files: read whole, and replaced at once with their mode, their links and their byte order mark kept."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from pathlib import Path
from typing import Final

from daemon.connecting.merging import Unreadable
from daemon.errors import Refused

_LARGEST_BYTES: Final = 8_000_000


def read(path: Path) -> bytes | None:
    """What is in a file, None if there is none. Raises Refused for what is no file of this user's to change."""
    try:
        info = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(info.st_mode):
        raise Refused(f"{path} is no file: nothing was changed")
    if sys.platform != "win32" and info.st_uid != os.getuid():
        raise Refused(f"{path} belongs to another user: nothing was changed")
    if info.st_size > _LARGEST_BYTES:
        raise Refused(f"{path} is over {_LARGEST_BYTES // 1_000_000} MB, which no settings are: nothing was changed")
    return path.read_bytes()


def decoded(content: bytes) -> str:
    """The text without its byte order mark. Raises Unreadable."""
    body = content.removeprefix(codecs.BOM_UTF8)
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(body.count(b"\n", 0, error.start) + 1, "it is not UTF-8") from error


def encoded(text: str, before: bytes | None) -> bytes:
    """The text as the file had it: with its byte order mark, if it had one."""
    mark = codecs.BOM_UTF8 if before is not None and before.startswith(codecs.BOM_UTF8) else b""
    return mark + text.encode()


def make_folder(folder: Path) -> tuple[Path, ...]:
    """Make a folder and those above it. Returns those that were made, the outermost first."""
    made: list[Path] = []
    here = folder
    while not here.exists():
        made.insert(0, here)
        here = here.parent
    for each in made:
        each.mkdir()
    return tuple(made)


def replace(path: Path, content: bytes, private: bool) -> None:
    """Write a file at once or not at all.

    A file keeps its mode, a link stays one; a new file is this user's alone if private.
    Raises Refused if it is read-only: somebody, or a tool that manages it, wants it so.
    """
    target = path.resolve()
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
        if not mode & stat.S_IWUSR:
            raise Refused(
                f"{path} is read-only: a tool that manages it may undo changes; make it writable, or edit there"
            )
    except FileNotFoundError:
        mode = 0o600 if private else 0o666 & ~_umask()
    temporary = target.with_name(f".{target.name}.nearloop-{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def copy_beside(path: Path, content: bytes) -> Path:
    """Keep what a file held beside it, as readable as the file is. Returns where."""
    mode = stat.S_IMODE(path.stat().st_mode)
    for number in range(1, 1000):
        backup = path.with_name(f"{path.name}.before-nearloop" + (f"-{number}" if number > 1 else ""))
        try:
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        backup.chmod(mode)
        return backup
    raise Refused(f"there are too many backups beside {path}: remove some")


def loose(path: Path) -> bool:
    """Whether others on this machine may read a file."""
    return sys.platform != "win32" and bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
