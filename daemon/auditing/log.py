"""A log file, opened so that nothing it may turn out to be can hold the reader up, and read piece by piece."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

MAX_LINE_BYTES: Final = 64 << 20
"""A longer line is left out as odd: it is held in memory whole, and decoded to several times its size."""
MAX_WHOLE_BYTES: Final = 256 << 20
"""The same for a file that is one JSON value."""
HEAD_BYTES: Final = 4096
_T = TypeVar("_T")


class Odd(Struct, frozen=True):
    """A record that couldn't be read. torn: the last one, whose end is missing."""

    torn: bool = False


class NoLog(OSError):
    """It is no regular file."""


class Log:
    """One open file, read up to the size that it had when it was opened, since a program may be writing to it.

    Raises OSError, and NoLog for what isn't a regular file: opening a pipe without a writer doesn't wait.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            os.close(descriptor)
            raise NoLog(f"{path} is no file")
        self._file = os.fdopen(descriptor, "rb", buffering=1 << 20)
        self.key = (info.st_dev, info.st_ino)
        self.size_bytes = info.st_size
        self.done_bytes = 0
        self.modified = datetime.fromtimestamp(info.st_mtime, UTC)

    def close(self) -> None:
        """Close it."""
        self._file.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def head(self) -> bytes:
        """Its beginning."""
        self._file.seek(0)
        return self._file.read(HEAD_BYTES)

    def lines(self) -> Iterator[bytes | None]:
        """Line by line, with their ends; None for one that is too long."""
        self._file.seek(0)
        while self.done_bytes < self.size_bytes:
            line = self._file.readline(MAX_LINE_BYTES)
            if not line:
                return
            self.done_bytes += len(line)
            if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
                yield line
                continue
            while line and not line.endswith(b"\n"):
                line = self._file.readline(MAX_LINE_BYTES)
                self.done_bytes += len(line)
            yield None

    def texts(self) -> Iterator[str]:
        """The same, decoded; what isn't UTF-8 is replaced, and a line that is too long left out."""
        for line in self.lines():
            if line is not None:
                yield line.decode("utf-8", "replace")

    def whole(self) -> bytes | None:
        """All of it; None if it is too large."""
        if self.size_bytes > MAX_WHOLE_BYTES:
            return None
        self._file.seek(0)
        content = self._file.read(self.size_bytes)
        self.done_bytes = self.size_bytes
        return content

    def records(self, decoder: msgspec.json.Decoder[_T]) -> Iterator[_T | Odd]:
        """JSON lines, decoded."""
        for line in self.lines():
            if line is None:
                yield Odd()
            elif not line.isspace():
                record = decoded(decoder, line, torn=not line.endswith(b"\n"))
                yield record


def decoded(decoder: msgspec.json.Decoder[_T], data: bytes | msgspec.Raw, *, torn: bool = False) -> _T | Odd:
    """A value. The error of one that isn't is dropped with its message, which may quote the text. torn: if so, its end is
    missing.
    """
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Odd(torn=torn)


any_json: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder()
