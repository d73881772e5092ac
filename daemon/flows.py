"""Work that waits for a client to run a tool, until the client comes back with what the tool said.

It holds words: what models wrote so far. With `records.content` off, as it is by default, it is in memory alone, and a
restart of the daemon loses it; with it on it is a file that only this user can read, in a folder that only this user can
enter, so that it outlives a restart. Either way it is for who asked, is given back once and then gone, and is wiped after
half an hour. When the user deletes records, waiting work that is as old goes too.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from daemon.clock import Clock
from daemon.paths import make_private_directory, read_private, write_private

KEPT_S: Final = 1800.0
"""Upstream's time for the same."""
MOST: Final = 256
"""In memory; the oldest go."""
_KEY: Final = re.compile(r"[0-9a-f]{16}")


class _Waiting(Struct, frozen=True):
    """client: its label; None: one without a token. at: seconds since the epoch."""

    client: str | None
    at: float
    state: bytes


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Waiting).decode


class Flows:
    """folder: where it may be written down; None: nowhere, and what was written there before is wiped."""

    def __init__(self, folder: Path, may_write: bool, clock: Clock) -> None:
        self._folder = folder if may_write else None
        self._clock = clock
        self._held: OrderedDict[str, _Waiting] = OrderedDict()
        self._wipe(folder, KEPT_S if may_write else 0.0)

    def keep(self, key: str, client: str | None, state: bytes) -> None:
        """Hold it. Not on the event loop: it may write a file."""
        waiting = _Waiting(client, self._clock.now().timestamp(), state)
        if self._folder is None:
            self._drop_older(KEPT_S)
            self._held[key] = waiting
            while len(self._held) > MOST:
                self._held.popitem(last=False)
            return
        make_private_directory(self._folder)
        self._wipe(self._folder, KEPT_S)
        write_private(self._folder / key, _encode(waiting))

    def take(self, key: str, client: str | None) -> bytes | None:
        """Give it back to who left it there, and hold it no more. Not on the event loop."""
        if not _KEY.fullmatch(key):
            return None
        waiting = self._held.get(key) if self._folder is None else _read(self._folder / key)
        if waiting is None or waiting.client != client or self._age(waiting) >= KEPT_S:
            return None
        self._held.pop(key, None)
        if self._folder is not None:
            (self._folder / key).unlink(missing_ok=True)
        return waiting.state

    def forget_older(self, span: timedelta) -> None:
        """What is older than so long."""
        self._drop_older(span.total_seconds())
        if self._folder is not None:
            self._wipe(self._folder, span.total_seconds())

    def _age(self, waiting: _Waiting) -> float:
        return self._clock.now().timestamp() - waiting.at

    def _drop_older(self, seconds: float) -> None:
        for key in [key for key, waiting in self._held.items() if self._age(waiting) >= seconds]:
            del self._held[key]

    def _wipe(self, folder: Path, seconds: float) -> None:
        for file in folder.glob("*") if folder.is_dir() else ():
            waiting = _read(file) if _KEY.fullmatch(file.name) else None
            if waiting is None or self._age(waiting) >= seconds:
                with suppress(OSError):
                    file.unlink()


def _read(file: Path) -> _Waiting | None:
    try:
        return _decode(read_private(file))
    except (OSError, msgspec.DecodeError):
        return None
