"""A file that is not whole yet, what it is part of, and the step that makes it whole."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec
from msgspec import Struct

from daemon.errors import NearloopError

SPARE_BYTES: Final = 64 << 20
"""What a download leaves free on the disk, for everybody else."""


class DiskFull(NearloopError):
    """There is no room for the file."""

    def __init__(self, missing: int, folder: Path) -> None:
        free, needed = shutil.disk_usage(folder).free, missing + SPARE_BYTES
        super().__init__(
            f"the disk of {folder} has {free >> 20} MB free, and {needed >> 20} MB are needed: free some; what came is "
            "kept, and the same command goes on from there"
        )


class Source(Struct, frozen=True):
    """The file that a part belongs to. etag: of the server that sent it. digest: SHA-256 or git's SHA-1, in hex."""

    etag: str
    size_bytes: int | None
    digest: str | None
    commit: str | None

    @property
    def resumable(self) -> bool:
        """Whether the server can be asked for the rest of the very same bytes: not with a weak ETag (RFC 9110, 13.1.5)."""
        return bool(self.etag) and not self.etag.startswith("W/")

    def same_bytes(self, other: Source) -> bool:
        """Whether both mean one file."""
        return (self.etag, self.size_bytes, self.digest) == (other.etag, other.size_bytes, other.digest)


_decode: Final = msgspec.json.Decoder(Source).decode


class PartialFile:
    """`target`, as far as it is here. Use it as a context manager."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._path = target.with_name(f"{target.name}.partial")
        self._note = target.with_name(f"{target.name}.partial.json")
        self.source: Source | None = None

    def __enter__(self) -> PartialFile:
        self._target.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.source = _decode(self._note.read_bytes())
        except (OSError, msgspec.MsgspecError):
            self.source = None
        whole = self.source and self.source.size_bytes == self._length()
        if not self.source or not (self.source.resumable or whole):
            self._path.unlink(missing_ok=True)
        self._file = self._path.open("ab", buffering=0)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()
        if not self._length():
            self._remove()
            with suppress(OSError):  # other files are in it
                self._target.parent.rmdir()

    @property
    def size(self) -> int:
        """How many bytes are here."""
        return self._file.tell()

    def restart(self, source: Source | None) -> None:
        """Begin anew, with a file from `source`."""
        self._file.truncate(0)
        self._file.seek(0)
        self.source = source
        if source is None:
            self._note.unlink(missing_ok=True)
        else:
            self._note.write_bytes(msgspec.json.encode(source))

    def make_room(self, source: Source) -> None:
        """See that the disk can take what is missing. Raises DiskFull."""
        missing = self._missing(source)
        if shutil.disk_usage(self._target.parent).free < missing + SPARE_BYTES:
            raise DiskFull(missing, self._target.parent)

    def _missing(self, source: Source | None) -> int:
        return source.size_bytes - self.size if source and source.size_bytes else 0

    def append(self, chunk: bytes) -> None:
        """Take more in. Raises DiskFull."""
        left = memoryview(chunk)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise DiskFull(self._missing(self.source), self._target.parent) from error

    def digests(self) -> tuple[str, str]:
        """SHA-256 of what is here, and the SHA-1 that git would name it by."""
        git = hashlib.sha1(b"blob %d\0" % self.size, usedforsecurity=False)
        sha256 = hashlib.sha256()
        with self._path.open("rb") as file:
            while chunk := file.read(1 << 20):
                sha256.update(chunk)
                git.update(chunk)
        return sha256.hexdigest(), git.hexdigest()

    def keep(self) -> None:
        """It is whole and right: give it its name."""
        os.fsync(self._file.fileno())
        self._file.close()
        self._path.replace(self._target)
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        """It is wrong: leave nothing of it."""
        self._file.close()
        self._remove()

    def _length(self) -> int:
        try:
            return self._path.stat().st_size
        except OSError:
            return 0

    def _remove(self) -> None:
        self._path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
