"""What was seen of pictures of late: a conversation comes back whole each turn, and is looked at once.

A picture is known by a keyed hash, whose key is made with this process. Sights hold the user's words, so they are held in
memory alone, so many bytes of them, for an hour at most, and go when the user deletes records.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from datetime import timedelta
from typing import Final

from daemon.clock import Clock, Moment
from providers.contract import Sight

KEPT_BYTES: Final = 32 << 20
"""Some thousand full pages."""
KEPT_S: Final = 3600.0
_OF_AN_ENTRY: Final = 1000
_OF_A_LINE: Final = 300
"""What a line's place takes, in bytes (computed)."""
Found = Sight | str
"""What was seen, or the code of why nothing could be; of fetched ones, the URL that carries them."""


class _Entry:
    def __init__(self, found: Found, clock: Clock) -> None:
        self.found = found
        self.came = Moment(clock)
        self.size_bytes = _OF_AN_ENTRY
        if isinstance(found, Sight):
            self.size_bytes += 4 * len(found.text) + _OF_A_LINE * len(found.lines)
        else:
            self.size_bytes += len(found)


class Memory:
    """What was seen, by what it was seen in."""

    def __init__(self, clock: Clock, kept_bytes: int = KEPT_BYTES) -> None:
        self._clock = clock
        self._most_bytes = kept_bytes
        self._secret = secrets.token_bytes(32)
        self._held: OrderedDict[bytes, _Entry] = OrderedDict()
        self.size_bytes = 0

    def key(self, url: str) -> bytes:
        """Of a picture, by its URL: for 20 MB it takes 30 ms (measured)."""
        return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), key=self._secret, digest_size=32).digest()

    def find(self, key: bytes) -> Found | None:
        """What was found of late; it is held from when it was looked at, however often it is asked for."""
        entry = self._held.get(key)
        if entry is None:
            return None
        if entry.came.age_s >= KEPT_S:
            self._drop(key)
            return None
        self._held.move_to_end(key)
        return entry.found

    def hold(self, key: bytes, found: Found) -> None:
        """Of what takes more than a quarter of the room alone, nothing is held."""
        self._drop(key)
        entry = _Entry(found, self._clock)
        if entry.size_bytes > self._most_bytes // 4:
            return
        self._held[key] = entry
        self.size_bytes += entry.size_bytes
        while self.size_bytes > self._most_bytes:
            self._drop(next(iter(self._held)))

    def forget_older(self, span: timedelta) -> None:
        """What was looked at longer ago."""
        for key in [key for key, entry in self._held.items() if entry.came.age_s >= span.total_seconds()]:
            self._drop(key)

    def _drop(self, key: bytes) -> None:
        if (entry := self._held.pop(key, None)) is not None:
            self.size_bytes -= entry.size_bytes
