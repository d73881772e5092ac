"""The model files that Nearloop fetched itself: one folder for each model, and what is known of where it came from."""

from __future__ import annotations

import hashlib
import re
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from daemon.errors import BadRequest, Refused
from daemon.paths import Paths, make_private_directory, write_private
from edge_models.plain_files import open_plain, read_plain

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_FILE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9 ._+()=@-]{0,199}")
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices (learn.microsoft.com, "Naming files, paths, and namespaces")."""
_ORIGIN: Final = "origin.json"
Trusted = Literal["catalogue", "first-download"]


class StoredFile(Struct, frozen=True):
    """A file as it came. trusted: whether the catalogue named its SHA-256, or it was believed when it first came."""

    name: str
    size_bytes: int
    sha256: str
    trusted: Trusted


class Origin(Struct, frozen=True):
    """Where a model came from. It is written last, so a folder without it is not whole.

    entry: the file, or the folder itself (`.`), that an engine is given. commit: the hub's name for what it served.
    """

    name: str
    entry: str
    endpoint: str
    repository: str
    revision: str
    commit: str | None
    licence: str | None
    at: datetime
    files: tuple[StoredFile, ...]

    @property
    def size_bytes(self) -> int:
        """Of all its files."""
        return sum(file.size_bytes for file in self.files)


_decode: Final = msgspec.json.Decoder(Origin).decode


def file_name(remote: str) -> str:
    """The name under which a repository's file is kept here: its last part. Raises BadRequest if that is no plain name."""
    parts = remote.split("/")
    name = parts[-1]
    plain = all(_FILE.fullmatch(part) for part in parts) and not name.endswith((".", " "))
    if not plain or _DEVICES.fullmatch(name) or name == _ORIGIN:
        raise BadRequest("the hub names a file in a way that can't be kept: take another file of that repository")
    return name


class ModelFiles:
    """The folder of all of them."""

    def __init__(self, paths: Paths) -> None:
        self._folder = paths.model_files
        self._prepared = paths.models

    def directory(self, name: str) -> Path:
        """Where the files of one model are. Raises BadRequest if `name` can't be a folder's."""
        if not NAME.fullmatch(name) or name.endswith(".") or _DEVICES.fullmatch(name):
            raise BadRequest("a model's name is 1 to 100 of A-Z, a-z, 0-9 and . _ -: choose one with --name")
        return self._folder / name

    def origin(self, name: str) -> Origin | None:
        """What is known of a model that is here whole."""
        try:
            return _decode(read_plain(self._folder / name / _ORIGIN))
        except (OSError, ValueError):
            return None

    def all(self) -> tuple[Origin, ...]:
        """All that are here whole."""
        folders = sorted(self._folder.iterdir()) if self._folder.is_dir() else ()
        return tuple(origin for folder in folders if (origin := self.origin(folder.name)))

    def path(self, origin: Origin) -> Path:
        """What an engine is given."""
        return self._folder / origin.name / origin.entry

    def owner(self, path: str) -> Origin | None:
        """The model whose files `path` names, if they are ours."""
        return next((origin for origin in self.all() if self.path(origin) == Path(path)), None)

    def lock(self, name: str) -> FileLock:
        """Held while a model's files change. Raises Refused if somebody else holds it."""
        make_private_directory(self._folder)
        lock = FileLock(self.directory(name).with_name(f"{name}.lock"), timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise Refused(f"another command works on {name} just now: wait until it is done") from None
        return lock

    def write(self, origin: Origin) -> None:
        """Say that all files are here."""
        write_private(self._folder / origin.name / _ORIGIN, msgspec.json.format(msgspec.json.encode(origin)))

    def damaged(self, origin: Origin) -> tuple[str, ...]:
        """Names of files that are missing or not as they came. Reads every byte."""
        folder = self._folder / origin.name
        return tuple(file.name for file in origin.files if sha256_of(folder / file.name) != file.sha256)

    def begun(self, name: str) -> bool:
        """Whether there is anything of it, whole or not."""
        return self.directory(name).is_dir()

    def parts(self) -> tuple[str, ...]:
        """Those that a fetch which was broken off left something of."""
        folders = sorted(self._folder.iterdir()) if self._folder.is_dir() else ()
        return tuple(each.name for each in folders if self.origin(each.name) is None and any(each.glob("*.partial")))

    def remove(self, name: str) -> None:
        """Delete what was fetched for a model, and what engines made of it. Files of others in its folder stay."""
        folder, origin = self.directory(name), self.origin(name)
        for file in origin.files if origin else ():
            for prepared in self._prepared.glob(f"{file.sha256[:16]}-*"):
                if prepared.is_dir():
                    shutil.rmtree(prepared, ignore_errors=True)
            (folder / file.name).unlink(missing_ok=True)
        for partial in (*folder.glob("*.partial"), *folder.glob("*.partial.json"), folder / _ORIGIN):
            partial.unlink(missing_ok=True)
        with suppress(OSError):  # somebody put something else into it
            folder.rmdir()


def sha256_of(path: Path) -> str | None:
    """The digest of a file, None if it can't be read."""
    try:
        with open_plain(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
