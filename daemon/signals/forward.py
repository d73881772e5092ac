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
from daemon.signals.opening import Opening, Unread
from edge_models.engines.base import EngineError
from edge_models.heads.manifest import Head

KEPT_TEXTS: Final = 2048
"""A long agent conversation has some hundred texts. An entry weighs about 10 kB: 60 labels with their floats."""
NO_HEAD: Final = "NoHead"


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
        self._opening = Opening(open_)
        self._kept_texts = kept_texts
        self._known: OrderedDict[bytes, Reading] = OrderedDict()
        self._key = token_bytes(32)
        self._lock = threading.Lock()

    @property
    def why(self) -> str | None:
        """What to do, if they could not be opened."""
        return self._opening.why

    def has(self, head: str) -> bool:
        """Whether there is such a head; opens the heads."""
        try:
            return head in self._opening.model().heads
        except Unread:
            return False

    def head(self, name: str) -> Head:
        """What a head is. Raises Unread."""
        heads = self._opening.model().heads
        if name not in heads:
            raise Unread(NO_HEAD)
        return heads[name]

    def validated(self, name: str) -> bool:
        """Whether there is such a head, and it was measured on texts of others."""
        return self.has(name) and self.head(name).validated

    def heads(self) -> tuple[Head, ...]:
        """All of them. Raises Unread."""
        return tuple(self._opening.model().heads.values())

    def read(self, text: str, in_time: Callable[[], bool]) -> Reading:
        """Of a text, or of the part that there was time for. Raises Unread, also if nothing could be read in time."""
        opened = self._opening.model()
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

    def whole(self, head: str, text: str, in_time: Callable[[], bool]) -> dict[str, float]:
        """A sequence head's probabilities for a text that was read to its end. Raises Unread, also if it was not."""
        self.head(head)
        reading = self.read(text, in_time)
        if not reading.whole:
            raise Unread(UNSCANNED)
        return reading.of(head)

    def _keep(self, digest: bytes, reading: Reading) -> None:
        with self._lock:
            self._known[digest] = reading
            while len(self._known) > self._kept_texts:
                self._known.popitem(last=False)

    def close(self) -> None:
        """Give memory back."""
        self._opening.close()
