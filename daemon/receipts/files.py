"""The files of the chain of receipts: one a day, named by their first link's number."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.receipts.links import Link, digest_of, link_of

_NAME: Final = re.compile(r"(\d{12})\.jsonl")
_STEP_BYTES: Final = 64 * 1024


class Line(Struct, frozen=True):
    """A line as it stands in a file. number: of the line, from 1. whole: it has an end, so it was written to its end."""

    file: Path
    number: int
    text: bytes
    whole: bool


def segment(folder: Path, first: int) -> Path:
    """The file whose first link has this number."""
    return folder / f"{first:012d}.jsonl"


def segments(folder: Path) -> list[Path]:
    """All files of a chain, in its order. Raises OSError if the folder is there and can't be read."""
    try:
        return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))
    except FileNotFoundError:
        return []


def first_number(path: Path) -> int:
    """By a file's name, its first link's number."""
    return int(path.stem)


def lines(path: Path) -> Iterator[Line]:
    """A file's lines. Raises OSError."""
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            yield Line(path, number, text.rstrip(b"\n"), text.endswith(b"\n"))


class End(Struct, frozen=True):
    """Where a file's whole lines end. head: the last one's digest; None: it has none. number: of the last link.

    torn: the bytes behind it, which are no whole line.
    """

    size_bytes: int
    number: int
    head: str | None
    torn: bytes


def end_of(descriptor: int, first: int) -> End:
    """Read a file's end, from its back. first: its first link's number. Raises OSError."""
    size = os.fstat(descriptor).st_size
    tail, start = b"", size
    while start and tail.count(b"\n") < 2:
        step = min(_STEP_BYTES, start)
        start -= step
        tail = _read(descriptor, start, step) + tail
    whole, _, torn = tail.rpartition(b"\n")
    if not whole and start == 0 and not tail.startswith(b"\n"):
        return End(0, first - 1, None, torn)
    last = whole.rpartition(b"\n")[2]
    try:
        number = link_of(last).number
    except ValueError:  # somebody damaged it: links go on by counting lines
        number = first - 1 + _read(descriptor, 0, size - len(torn)).count(b"\n")
    return End(size - len(torn), number, digest_of(last), torn)


def _read(descriptor: int, start: int, size: int) -> bytes:
    os.lseek(descriptor, start, os.SEEK_SET)
    found = b""
    while len(found) < size and (more := os.read(descriptor, size - len(found))):
        found += more
    return found


def raw_lines(folder: Path, since: datetime | None) -> Iterator[bytes]:
    """All lines as they stand, from the first one of that time on. Raises OSError."""
    begun = since is None
    for path in segments(folder):
        for line in lines(path):
            if not begun and line.whole:
                with suppress(ValueError):
                    begun = since is None or link_of(line.text).at >= since
            if begun and line.whole:
                yield line.text


def links(folder: Path) -> Iterator[Link]:
    """All links that can be read, in the chain's order; damaged ones are passed over (checking.py tells them).

    Raises OSError.
    """
    for path in segments(folder):
        yield from links_of(path)


def links_of(path: Path) -> Iterator[Link]:
    """A file's links that can be read. Raises OSError."""
    for line in lines(path):
        if line.whole:
            try:
                yield link_of(line.text)
            except ValueError:
                continue


@contextmanager
def alone(descriptor: int) -> Iterator[None]:
    """Nobody else, of any process, writes meanwhile. A lock of the system's own (1 µs), which ends with its process."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
