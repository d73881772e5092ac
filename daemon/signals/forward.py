"""The heads that Nearloop ships, as one service: a text is read once, whoever asks and however many heads.

They are opened when somebody first asks. If they aren't there, or aren't what was shipped, every question ends in `Unread`
with a name, and `why` says what to do. What a text came to is kept under a keyed hash of it, never the text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import blake2b
from secrets import token_bytes
from typing import Final, Protocol

from msgspec import Struct

from daemon.signals.base import UNSCANNED, Found
from edge_models.engines.base import EngineError
from edge_models.heads.manifest import Head

KEPT_TEXTS: Final = 2048
"""A long agent conversation has some hundred texts. An entry weighs about 10 kB: 60 labels with their floats."""
NO_MODEL: Final = "NoModel"
NO_HEAD: Final = "NoHead"


class Unread(Exception):
    """A text could not be read by a model. code: NoModel, NoHead, Unscanned, or an engine's error."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Reading(Struct, frozen=True):
    """What the heads say of a text. scores: by head, each label with its probability. whole: whether all was read."""

    scores: dict[str, tuple[tuple[str, float], ...]]
    found: dict[str, tuple[Found, ...]]
    whole: bool = True

    def of(self, head: str) -> dict[str, float]:
        """A sequence head's probabilities."""
        return dict(self.scores.get(head, ()))


class OpenedHeads(Protocol):
    """What `daemon.signals.shipped` opens."""

    heads: Mapping[str, Head]

    def read(self, text: str, go_on: Callable[[], bool]) -> Reading: ...

    def close(self) -> None: ...


class Forward:
    """The service. open_: raises an EngineError if there are none."""

    def __init__(self, open_: Callable[[], OpenedHeads], kept_texts: int = KEPT_TEXTS) -> None:
        self.why: str | None = None
        self._open = open_
        self._opened: OpenedHeads | None = None
        self._kept_texts = kept_texts
        self._known: OrderedDict[bytes, Reading] = OrderedDict()
        self._key = token_bytes(32)
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    def has(self, head: str) -> bool:
        """Whether there is such a head; opens the heads."""
        try:
            return head in self._heads().heads
        except Unread:
            return False

    def head(self, name: str) -> Head:
        """What a head is. Raises Unread."""
        heads = self._heads().heads
        if name not in heads:
            raise Unread(NO_HEAD)
        return heads[name]

    def heads(self) -> tuple[Head, ...]:
        """All of them. Raises Unread."""
        return tuple(self._heads().heads.values())

    def read(self, text: str, in_time: Callable[[], bool]) -> Reading:
        """Of a text, or of the part that there was time for. Raises Unread, also if nothing could be read in time."""
        opened = self._heads()
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32, key=self._key).digest()
        with self._lock:
            if (known := self._known.get(digest)) is not None:
                self._known.move_to_end(digest)
                return known
        try:
            reading = opened.read(text, in_time)
        except EngineError as error:
            raise Unread(type(error).__name__) from error
        if not reading.whole and not reading.scores:
            raise Unread(UNSCANNED)
        if reading.whole:
            self._keep(digest, reading)
        return reading

    def _keep(self, digest: bytes, reading: Reading) -> None:
        with self._lock:
            self._known[digest] = reading
            while len(self._known) > self._kept_texts:
                self._known.popitem(last=False)

    def _heads(self) -> OpenedHeads:
        with self._opening:
            if self._opened is None:
                if self.why is not None:
                    raise Unread(NO_MODEL)
                try:
                    self._opened = self._open()
                except EngineError as error:
                    self.why = str(error)
                    raise Unread(NO_MODEL) from error
            return self._opened

    def close(self) -> None:
        """Give memory back."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
                self._opened = None
                self.why = "the signal models are closed"
