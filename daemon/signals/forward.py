"""The heads that Nearloop ships, as one service: a text is read once, whoever asks and however many heads.

They are opened when somebody first asks. If they aren't there, or aren't what was shipped, every question ends in `Unread`
with a name, and `why` says what to do. What a text came to is kept under a keyed hash of it, never the text.

A text that surely isn't English is read by the multilingual heads, which are opened for the first one. Where they can't be,
the English heads read all, as they do names in any language. Probabilities and thresholds are those of the language that is
told for the text, where the heads have any for it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import blake2b
from secrets import token_bytes
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from daemon.signals.base import UNSCANNED, Found
from daemon.signals.opening import Opening, Unread
from daemon.signals.tongues import MULTILINGUAL, Tongues
from edge_models.engines.base import EngineError
from edge_models.heads.manifest import CalibratedBy, Head

KEPT_TEXTS: Final = 2048
"""A long agent conversation has some hundred texts. An entry weighs about 10 kB: 60 labels with their floats."""
NO_HEAD: Final = "NoHead"


class Reading(Struct, frozen=True):
    """What the heads say of a text. scores: by head, each label with its probability. whole: whether all was read.

    model: whose they are; None: the English heads'. language: the text's, ISO 639-1; None: English, or what counts as it.
    """

    scores: dict[str, tuple[tuple[str, float], ...]]
    found: dict[str, tuple[Found, ...]]
    whole: bool = True
    model: str | None = None
    language: str | None = None

    def of(self, head: str) -> dict[str, float]:
        """A sequence head's probabilities."""
        return dict(self.scores.get(head, ()))


class OpenedHeads(Protocol):
    """What `daemon.signals.shipped` opens."""

    heads: Mapping[str, Head]

    def read(self, text: str, go_on: Callable[[], bool], language: str | None) -> Reading: ...

    def close(self) -> None: ...


class Forward:
    """The service. open_: raises an EngineError if there are none. abroad: opens the multilingual ones; None: none are."""

    def __init__(
        self,
        open_: Callable[[], OpenedHeads],
        kept_texts: int = KEPT_TEXTS,
        abroad: Callable[[], OpenedHeads] | None = None,
        tongues: Tongues | None = None,
    ) -> None:
        self._opening = Opening(open_)
        self._abroad = Opening(abroad) if abroad else None
        self._tongues = tongues or Tongues()
        self._kept_texts = kept_texts
        self._known: OrderedDict[bytes, Reading] = OrderedDict()
        self._key = token_bytes(32)
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether somebody asked before, so that asking costs no more memory."""
        return self._opening.is_open

    @property
    def why(self) -> str | None:
        """What to do, if they could not be opened."""
        return self._opening.why or (self._abroad.why if self._abroad else None)

    def has(self, head: str) -> bool:
        """Whether there is such a head; opens the heads."""
        try:
            return head in self._opening.model().heads
        except Unread:
            return False

    def head(self, name: str, reading: Reading | None = None) -> Head:
        """What a head is. reading: for the text of which; a head that those who read it lack is the English one.

        Raises Unread.
        """
        found = self._unspoken(name, reading.model if reading else None)
        return found.spoken(reading.language) if reading else found

    def _unspoken(self, name: str, model: str | None) -> Head:
        """As its manifest has it."""
        if model and self._abroad and (found := self._abroad.model().heads.get(name)):
            return found
        heads = self._opening.model().heads
        if name not in heads:
            raise Unread(NO_HEAD)
        return heads[name]

    def validated(self, name: str) -> bool:
        """Whether there is such a head, and it was measured on texts of others."""
        return self.has(name) and self.head(name).validated

    def language(self, text: str) -> str | None:
        """A text's, as a reading has it."""
        return self._tongues.language(text) if self._abroad else None

    def calibrated_by(self, name: str, model: str | None, language: str | None) -> CalibratedBy:
        """Whether a head's probabilities were fitted on texts of that language. Raises Unread.

        model, language: as a reading has them.
        """
        return "language" if language is None else self._unspoken(name, model).calibrated_by(language)

    def heads(self) -> tuple[Head, ...]:
        """All of them. Raises Unread."""
        return tuple(self._opening.model().heads.values())

    def model(self, text: str) -> str | None:
        """Who reads a text; None: the English heads, as anything if the others can't be opened."""
        if self._abroad is None or not self._tongues.foreign(text):
            return None
        try:
            self._abroad.model()
        except Unread:
            return None
        return MULTILINGUAL

    def read(self, text: str, in_time: Callable[[], bool]) -> Reading:
        """Of a text, or of the part that there was time for. Raises Unread, also if nothing could be read in time."""
        model = self.model(text)
        language = self.language(text)
        reading = replace(self._read(text, in_time, model, language), language=language)
        if model is not None and self._opening.model().heads.keys() - reading.scores.keys() - _token_heads(
            self.heads()
        ):
            english = self._read(text, in_time, None, None)  # heads of one's own that are not multilingual
            reading = replace(
                reading, scores={**english.scores, **reading.scores}, whole=reading.whole and english.whole
            )
        return reading

    def in_english(self, text: str, in_time: Callable[[], bool]) -> Reading:
        """The same, by the English heads whatever the language: they alone find names. Raises Unread."""
        return self._read(text, in_time, None, None)

    def _read(self, text: str, in_time: Callable[[], bool], model: str | None, language: str | None) -> Reading:
        opened = (self._abroad if model and self._abroad else self._opening).model()
        digest = blake2b(
            text.encode("utf-8", "surrogatepass"), digest_size=32, key=self._key, person=(model or "").encode()
        ).digest()
        with self._lock:
            if (known := self._known.get(digest)) is not None:
                self._known.move_to_end(digest)
                return known
        try:
            reading = replace(opened.read(text, in_time, language), model=model)
        except EngineError as error:
            raise Unread(type(error).__name__) from error
        if not reading.whole and not reading.scores:
            raise Unread(UNSCANNED)
        if reading.whole:
            self._keep(digest, reading)
        return reading

    def whole(self, head: str, text: str, in_time: Callable[[], bool]) -> dict[str, float]:
        """A sequence head's probabilities for a text that was read to its end. Raises Unread, also if it was not."""
        return self.whole_reading(head, text, in_time).of(head)

    def whole_reading(self, head: str, text: str, in_time: Callable[[], bool]) -> Reading:
        """A text read to its end, where there is such a head. Raises Unread, also if it was not."""
        self.head(head)
        reading = self.read(text, in_time)
        if not reading.whole:
            raise Unread(UNSCANNED)
        return reading

    def _keep(self, digest: bytes, reading: Reading) -> None:
        with self._lock:
            self._known[digest] = reading
            while len(self._known) > self._kept_texts:
                self._known.popitem(last=False)

    def close(self) -> None:
        """Give memory back."""
        self._opening.close()
        if self._abroad is not None:
            self._abroad.close()


def _token_heads(heads: tuple[Head, ...]) -> set[str]:
    return {head.name for head in heads if head.task == "token"}
