"""Where texts lie among others: the shipped encoder's vectors, and banks of examples that a text is held against.

Opened when first asked, like the heads; without it every question ends in `Unread`.
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

from daemon.signals.opening import Opening, Unread
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
        self, open_: Callable[[], OpenedVectors], kept: int = KEPT_VECTORS, installed: Callable[[], bool] = lambda: True
    ) -> None:
        self.installed = installed
        self._opening = Opening(open_)
        self._kept = kept
        self._known: OrderedDict[bytes, Vector] = OrderedDict()
        self._grounds: dict[tuple[str, ...], list[Vector]] = {}
        self._banks: dict[tuple[tuple[str, ...], Scoring], Bank] = {}
        self._key = token_bytes(32)
        self._lock = threading.Lock()

    @property
    def why(self) -> str | None:
        """What to do, if it could not be opened."""
        return self._opening.why

    @property
    def width(self) -> int:
        """Of a vector. Raises Unread."""
        return self._opening.model().width

    def of(self, text: str) -> Vector:
        """Where a text lies; a long one by its beginning and its end, which say what it is about. Raises Unread."""
        return self.whole(text if len(text) <= 2 * END_CHARS else f"{text[:END_CHARS]}\n{text[-END_CHARS:]}")

    def pieces(self, text: str, in_time: Callable[[], bool]) -> Iterator[Vector]:
        """Where each sentence of a text lies, while there is time. Raises Unread."""
        for sentence in _SENTENCE.finditer(text):
            if not in_time():
                return
            if sum(map(str.isalnum, sentence[0])) >= FEWEST_LETTERS:
                yield self.whole(sentence[0].strip())

    def whole(self, text: str) -> Vector:
        """Where a text lies with all of its words. Raises Unread."""
        encoder = self._opening.model()
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32, key=self._key).digest()
        with self._lock:
            if (known := self._known.get(digest)) is not None:
                self._known.move_to_end(digest)
                return known
        vector = self._embed(encoder, (text,))[0]
        with self._lock:
            self._known[digest] = vector
            while len(self._known) > self._kept:
                self._known.popitem(last=False)
        return vector

    def numbers(self, text: str) -> list[float]:
        """The same, as plain numbers. Raises Unread."""
        return [float(number) for number in self.whole(text)]

    def tokens(self, text: str) -> int:
        """How many tokens of a text the encoder reads. Raises Unread."""
        return self._opening.model().tokens(text)

    def likeness(self, one: str, other: str) -> float:
        """Cosine of two texts. Raises Unread."""
        return self._opening.model().likeness(self.of(one), self.of(other))

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
        encoder = self._opening.model()
        distinct = tuple(dict.fromkeys(examples))
        vectors = self._embed(encoder, distinct)
        bank = encoder.bank(vectors, scoring.cluster, scoring.most, scoring.weight, scoring.top)
        with self._lock:
            return self._banks.setdefault(key, bank)

    def _embed(self, encoder: OpenedVectors, texts: tuple[str, ...]) -> list[Vector]:
        try:
            return encoder.embed(texts)
        except EngineError as error:
            raise Unread(type(error).__name__) from error

    def close(self) -> None:
        """Give memory back."""
        self._opening.close()
