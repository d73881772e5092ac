"""Where texts lie among others: the shipped encoder's vectors, and banks of examples that a text is held against.

Opened when first asked, like the heads; without it every question ends in `Unread`.

A text that surely isn't English lies where the multilingual encoder puts it, and is held against examples as that encoder
reads them. Its likenesses are brought to the English encoder's scale (`edge_models.multilingual.likeness`), so that a
threshold means the same in every language.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from hashlib import blake2b
from secrets import token_bytes
from typing import Any, Final, Protocol, TypeAlias

from msgspec import Struct

from daemon.signals.opening import NO_MODEL, Opening, Unread
from daemon.signals.tongues import MULTILINGUAL, Tongues
from edge_models.engines.base import EngineError

KEPT_VECTORS: Final = 2048
"""Of 384 floats each: 3 MB."""
END_CHARS: Final = 900
"""Together some 450 tokens, which the encoder reads at once."""
FEWEST_LETTERS: Final = 3
_SENTENCE: Final = re.compile(r"[^.!?\n。！？]{1,400}(?:[.!?\n。！？]+|$)?")
"""Or a piece of one that is very long."""
Vector: TypeAlias = Any
"""An array of the encoder's width and of length 1; this process only hands it on."""


class Score(Struct, frozen=True):
    """How like a bank's examples a text is: score = weight · best + (1 - weight) · support."""

    score: float
    best: float
    support: float


class Bank(Protocol):
    """Examples, with those that say the same taken together."""

    def score(self, vector: Vector) -> Score: ...

    def best(self, vector: Vector) -> float:
        """The likeness to the nearest example of all."""
        ...


class OpenedVectors(Protocol):
    """What `daemon.signals.shipped` opens."""

    width: int

    def embed(self, texts: tuple[str, ...]) -> list[Vector]: ...

    def tokens(self, text: str) -> int: ...

    def bank(self, vectors: list[Vector], cluster: float, most: int, weight: float, top: int) -> Bank: ...

    def likeness(self, one: Vector, other: Vector) -> float: ...

    def close(self) -> None: ...


class OpenedAbroad(OpenedVectors, Protocol):
    """The multilingual one. scaled: a likeness of its own on the English encoder's scale."""

    def scaled(self, likeness: float) -> float: ...


class Abroad(Struct, frozen=True):
    """A vector of the multilingual encoder."""

    vector: Vector


class Scoring(Struct, frozen=True):
    """How a bank is made and asked; upstream's defaults (`embedding_config.prototype_scoring`)."""

    cluster: float = 0.9
    most: int = 8
    weight: float = 0.75
    top: int = 2


UPSTREAMS: Final = Scoring()


class Vectors:
    """The service. open_: raises an EngineError if there is no encoder. installed: whether its files are there at all."""

    def __init__(
        self,
        open_: Callable[[], OpenedVectors],
        kept: int = KEPT_VECTORS,
        installed: Callable[[], bool] = lambda: True,
        abroad: Callable[[], OpenedAbroad] | None = None,
        tongues: Tongues | None = None,
    ) -> None:
        self.installed = installed
        self._opening = Opening(open_)
        self._abroad = Opening(abroad) if abroad else None
        self._tongues = tongues or Tongues()
        self._kept = kept
        self._known: OrderedDict[bytes, Vector] = OrderedDict()
        self._grounds: dict[tuple[str, ...], list[Vector]] = {}
        self._banks: dict[tuple[tuple[str, ...], Scoring], Bank] = {}
        self._key = token_bytes(32)
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether somebody asked before, so that asking costs no more memory."""
        return self._opening.is_open

    @property
    def why(self) -> str | None:
        """What to do, if it could not be opened."""
        return self._opening.why or (self._abroad.why if self._abroad else None)

    def model(self, *texts: str) -> str | None:
        """Who tells how like texts are; None: the English encoder, as if the other can't be opened."""
        if self._abroad is None or not any(map(self._tongues.foreign, texts)):
            return None
        try:
            self._abroad.model()
        except Unread:
            return None
        return MULTILINGUAL

    @property
    def width(self) -> int:
        """Of a vector. Raises Unread."""
        return self._opening.model().width

    def of(self, text: str) -> Vector:
        """Where a text lies; a long one by its beginning and its end, which say what it is about. Raises Unread."""
        return self._of(text, self.model(text))

    def pieces(self, text: str, in_time: Callable[[], bool]) -> Iterator[Vector]:
        """Where each sentence of a text lies, while there is time. Raises Unread."""
        model = self.model(text)
        for sentence in _SENTENCE.finditer(text):
            if not in_time():
                return
            if sum(map(str.isalnum, sentence[0])) >= FEWEST_LETTERS:
                yield self._whole(sentence[0].strip(), model)

    def whole(self, text: str) -> Vector:
        """Where a text lies with all of its words. Raises Unread."""
        return self._whole(text, self.model(text))

    def _of(self, text: str, model: str | None) -> Vector:
        return self._whole(text if len(text) <= 2 * END_CHARS else f"{text[:END_CHARS]}\n{text[-END_CHARS:]}", model)

    def _whole(self, text: str, model: str | None) -> Vector:
        encoder = self._encoder(model)
        digest = blake2b(
            text.encode("utf-8", "surrogatepass"), digest_size=32, key=self._key, person=(model or "").encode()
        ).digest()
        with self._lock:
            if (known := self._known.get(digest)) is not None:
                self._known.move_to_end(digest)
                return known
        vector = self._embed(encoder, (text,))[0]
        if model is not None:
            vector = Abroad(vector)
        with self._lock:
            self._known[digest] = vector
            while len(self._known) > self._kept:
                self._known.popitem(last=False)
        return vector

    def _encoder(self, model: str | None) -> OpenedVectors:
        return (self._abroad if model and self._abroad else self._opening).model()

    def numbers(self, text: str) -> list[float]:
        """The same, as plain numbers of the English encoder, whatever the language. Raises Unread."""
        return [float(number) for number in self._whole(text, None)]

    def tokens(self, text: str) -> int:
        """How many tokens of a text the encoder reads. Raises Unread."""
        return self._opening.model().tokens(text)

    def likeness(self, one: str, other: str) -> float:
        """Cosine of two texts. Raises Unread."""
        model = self.model(one, other)
        first, second = self._of(one, model), self._of(other, model)
        if model is not None and self._abroad is not None:
            encoder = self._abroad.model()
            return encoder.scaled(encoder.likeness(first.vector, second.vector))
        return self._opening.model().likeness(first, second)

    def ground(self, texts: tuple[str, ...]) -> list[Vector]:
        """Where each of some texts of ours lies; kept for good. Raises Unread."""
        with self._lock:
            if texts in self._grounds:
                return self._grounds[texts]
        vectors = self._embed(self._opening.model(), texts)
        with self._lock:
            return self._grounds.setdefault(texts, vectors)

    def pairs(self, texts: tuple[str, ...]) -> list[float]:
        """Cosines of all pairs of some texts of ours. Raises Unread."""
        model, vectors = self._opening.model(), self.ground(texts)
        return [model.likeness(one, other) for place, one in enumerate(vectors) for other in vectors[:place]]

    def bank(self, examples: tuple[str, ...], scoring: Scoring = UPSTREAMS) -> Bank:
        """Of examples; made once. They are a recipe's words or ours, and kept as such: never a user's. Raises Unread."""
        key = (examples, scoring)
        with self._lock:
            if key in self._banks:
                return self._banks[key]
        bank = _TwoBanks(self._made(examples, scoring, None), lambda: self._made_abroad(examples, scoring))
        with self._lock:
            return self._banks.setdefault(key, bank)

    def _made(self, examples: tuple[str, ...], scoring: Scoring, model: str | None) -> Bank:
        encoder = self._encoder(model)
        vectors = self._embed(encoder, tuple(dict.fromkeys(examples)))
        return encoder.bank(vectors, scoring.cluster, scoring.most, scoring.weight, scoring.top)

    def _made_abroad(self, examples: tuple[str, ...], scoring: Scoring) -> Bank:
        if self._abroad is None:
            raise Unread(NO_MODEL)
        return _Scaled(self._made(examples, scoring, MULTILINGUAL), self._abroad.model().scaled, scoring.weight)

    def _embed(self, encoder: OpenedVectors, texts: tuple[str, ...]) -> list[Vector]:
        try:
            return encoder.embed(texts)
        except EngineError as error:
            raise Unread(type(error).__name__) from error

    def close(self) -> None:
        """Give memory back."""
        self._opening.close()
        if self._abroad is not None:
            self._abroad.close()


class _Scaled:
    """The multilingual encoder's bank, on the English encoder's scale."""

    def __init__(self, bank: Bank, scaled: Callable[[float], float], weight: float) -> None:
        self._bank = bank
        self._scaled = scaled
        self._weight = weight

    def score(self, vector: Vector) -> Score:
        found = self._bank.score(vector.vector)
        best, support = self._scaled(found.best), self._scaled(found.support)
        return Score(self._weight * best + (1 - self._weight) * support, best, support)

    def best(self, vector: Vector) -> float:
        return self._scaled(self._bank.best(vector.vector))


class _TwoBanks:
    """The same examples as either encoder reads them; the multilingual one when first asked."""

    def __init__(self, english: Bank, abroad: Callable[[], Bank]) -> None:
        self._english = english
        self._open = abroad
        self._abroad: Bank | None = None

    def _of(self, vector: Vector) -> Bank:
        if not isinstance(vector, Abroad):
            return self._english
        if self._abroad is None:
            self._abroad = self._open()
        return self._abroad

    def score(self, vector: Vector) -> Score:
        return self._of(vector).score(vector)

    def best(self, vector: Vector) -> float:
        return self._of(vector).best(vector)
