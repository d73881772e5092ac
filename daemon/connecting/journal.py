"""What was written into other programs' files, kept for the way back: places, digests and our own lines, never a token."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from daemon.connecting.diffs import Hunk
from daemon.errors import Refused
from daemon.paths import Paths, make_private_directory, write_private


class Write(Struct, frozen=True):
    """One file. backup: where its earlier content is, None if there was no file. folders: that were made for it."""

    path: str
    before: str | None
    after: str
    backup: str | None
    folders: tuple[str, ...]
    hunks: tuple[Hunk, ...]


class Run(Struct, frozen=True):
    """One time that a client was connected."""

    at: datetime
    writes: tuple[Write, ...]


class Connection(Struct, frozen=True):
    """A client. token: its name among our clients. url, models, context_tokens: what it was told."""

    client: str
    token: str
    url: str
    runs: tuple[Run, ...] = ()
    models: tuple[str, ...] = ()
    context_tokens: int | None = None


def digest(content: bytes) -> str:
    """By which a file's content is known again."""
    return hashlib.sha256(content).hexdigest()


def load(paths: Paths, client: str) -> Connection | None:
    """What is known of a client. Raises Refused if that can't be read."""
    file = _file(paths, client)
    try:
        return msgspec.json.decode(file.read_bytes(), type=Connection)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise Refused(f"{file} can't be read: remove it, and undo by the backups beside the client's files") from error


def save(paths: Paths, connection: Connection) -> None:
    """Keep it."""
    make_private_directory(paths.data)
    make_private_directory(paths.connections)
    write_private(_file(paths, connection.client), msgspec.json.encode(connection))


def forget(paths: Paths, client: str) -> None:
    """It is undone."""
    _file(paths, client).unlink(missing_ok=True)


def _file(paths: Paths, client: str) -> Path:
    return paths.connections / f"{client}.json"
