"""Appending to the chain of receipts, which several processes may do at once.

Theory of operation. Under the chain's lock a writer makes sure that it knows the end: if the file has the size that it left,
and no file begins behind it, nobody wrote since. Else it reads the end anew. What stands there without a line's end was
torn by a power cut or a full disk: it is cut off, and a link says so. Then the new links go out in one write at the end of
the file; a write that is refused in its middle is taken back. `durable` waits for the disk. A new file is begun each day, so
that old ones can be deleted whole.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from daemon.clock import Clock
from daemon.paths import make_private_directory
from daemon.receipts.files import End, alone, end_of, first_number, links_of, segment, segments
from daemon.receipts.links import START, Crossed, Link, Mended, Pruned, digest_of, line_of

_LOCK: Final = "lock"
_BINARY: Final = getattr(os, "O_BINARY", 0)
_LARGEST_BYTES: Final = 16 << 20


class Appender:
    """The chain's end, from one process. One thread uses it; `close` it."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._lock: int | None = None
        self._file: int | None = None
        self._first = 1
        self._day: date | None = None
        self._end = End(0, 0, START, b"")

    def append(self, links: Sequence[Link], durable: bool, new_file: bool = False) -> list[Link]:
        """Write links behind the last one, and return them as they were written. Raises OSError, Refused: then nothing was.

        durable: return when the disk has them. new_file: begin a file with them.
        """
        with alone(self._locked()):
            try:
                return self._append(links, durable, new_file)
            except BaseException:
                self._forget()
                raise

    def prune(self, before: date) -> int:
        """Delete files whose links were all written before a day, and return how many links went. Raises OSError, Refused.

        First the chain says so, in a new file, then they go, the oldest first: an end in between leaves nothing unexplained.
        """
        with alone(self._locked()):
            old: list[Path] = []
            for path in segments(self._folder):
                if not path.stat().st_size or not all(link.at.date() < before for link in links_of(path)):
                    break
                old.append(path)
            if not old:
                return 0
            try:
                marks: list[Link] = []
                for path in old:
                    end = _end_of_file(path)
                    marks.append(Pruned(at=self._clock.now(), through=end.number, head=end.head or START))
                self._append(marks, True, True)
            except BaseException:
                self._forget()
                raise
            gone = [link for link in marks if isinstance(link, Pruned)]
            for path in old:
                path.unlink()
            return gone[-1].through - first_number(old[0]) + 1

    def close(self) -> None:
        """Let go of the files."""
        self._forget()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _locked(self) -> int:
        """The lock's file. It is opened anew if somebody deleted it, since another process would make another."""
        path = self._folder / _LOCK
        if self._lock is not None:
            with suppress(OSError):
                there, ours = path.stat(), os.fstat(self._lock)
                if (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino):
                    return self._lock
            self.close()
        make_private_directory(self._folder)
        self._lock = os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o600)
        return self._lock

    def _append(self, links: Sequence[Link], durable: bool, new_file: bool) -> list[Link]:
        extra = self._look()
        today = self._clock.now().date()
        empty = self._file is not None and self._end.size_bytes == 0
        if not empty and (
            self._file is None or new_file or self._day != today or self._end.size_bytes > _LARGEST_BYTES
        ):
            self._begin(today)
        written, number, before, data = [], self._end.number, self._end.head or START, []
        for link in (*extra, *links):
            number += 1
            full = replace(link, number=number, before=before)
            if isinstance(full, Crossed):
                full = replace(full, receipt=replace(full.receipt, number=number))
            line = line_of(full)
            before = digest_of(line)
            written.append(full)
            data.append(line + b"\n")
        self._write(b"".join(data), durable)
        self._end = End(self._end.size_bytes + sum(map(len, data)), number, before, b"")
        return written[len(extra) :]

    def _look(self) -> list[Link]:
        """Know the chain's end. Returns what has to be said about it first."""
        if self._file is not None and self._current(self._file):
            return []
        self._forget()
        found = segments(self._folder)
        if not found:
            self._end, self._day = End(0, self._end.number, self._end.head, b""), None
            return []
        path = found[-1]
        self._file, self._first = _open(path, os.O_RDWR), first_number(path)
        self._day = next((link.at.date() for link in links_of(path)), self._clock.now().date())
        end = end_of(self._file, self._first)
        if end.head is None and len(found) > 1:  # a file that was begun, and got no line
            end = replace(_end_of_file(found[-2]), size_bytes=0, torn=end.torn)
        if end.torn:
            os.ftruncate(self._file, end.size_bytes)
        self._end = replace(end, torn=b"")
        if not end.torn:
            return []
        torn = hashlib.sha256(end.torn).hexdigest()
        return [Mended(at=self._clock.now(), size_bytes=len(end.torn), sha256=torn)]

    def _current(self, file: int) -> bool:
        """Whether nobody wrote since we did, and our file is still there."""
        info = os.fstat(file)
        return (
            info.st_size == self._end.size_bytes
            and info.st_nlink > 0
            and not segment(self._folder, self._end.number + 1).exists()
        )

    def _begin(self, today: date) -> None:
        self._forget()
        self._first, self._day = self._end.number + 1, today
        self._file = _open(segment(self._folder, self._first), os.O_RDWR | os.O_CREAT | os.O_EXCL)
        self._end = replace(self._end, size_bytes=0)
        if sys.platform != "win32":  # the folder has to know its new file too
            folder = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _write(self, data: bytes, durable: bool) -> None:
        assert self._file is not None
        size = self._end.size_bytes
        os.lseek(self._file, size, os.SEEK_SET)
        try:
            written = os.write(self._file, data)
            while written < len(data):
                written += os.write(self._file, data[written:])  # says why, where the first said how far
            if durable:
                getattr(os, "fdatasync", os.fsync)(self._file)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, size)
            raise

    def _forget(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _open(path: Path, flags: int) -> int:
    return os.open(path, flags | _BINARY | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _end_of_file(path: Path) -> End:
    file = _open(path, os.O_RDONLY)
    try:
        return end_of(file, first_number(path))
    finally:
        os.close(file)
