"""How like texts a picture is, by a vision-text model of the user's choice in a process of its own.

It is started when a picture first asks for it. The vectors of a recipe's texts are kept, and of the last pictures, by a
digest with a key that nobody else has: a picture comes again with every turn of its conversation.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes
from typing import Any, Final, Literal, Protocol

from daemon.signals.base import Asked
from daemon.signals.opening import Opening, Unread
from daemon.signals.parts import Pictures
from daemon.signals.shipped import open_own
from daemon.signals.shown import UNSEEN, content
from daemon.signals.vectors import Scoring, Vector
from edge_models.engines.base import EngineError, Unseen
from providers.contract import Image
from providers.texts import carried

KEPT_TEXTS: Final = 2048
KEPT_PICTURES: Final = 64
"""Vectors of 768 floats, as the usual models give them: 6 MB and 0.2 MB."""
MOST_PICTURES: Final = 8
"""Of one message; signals have seconds, and one takes a good part of one (tests/bench/bench_siglip.py)."""


class Opened(Protocol):
    """What looks."""

    def embed_pictures(self, pictures: tuple[bytes, ...]) -> Any: ...

    def embed_texts(self, texts: tuple[str, ...]) -> Any: ...

    def close(self) -> None: ...


class PictureLikeness:
    """The model. open_: raises an EngineError."""

    def __init__(self, open_: Callable[[], Opened]) -> None:
        self._opening = Opening(open_)
        self._texts: OrderedDict[str, Vector] = OrderedDict()
        self._pictures: OrderedDict[bytes, Vector] = OrderedDict()
        self._key = token_bytes(32)
        self._lock = threading.Lock()

    @property
    def why(self) -> str | None:
        """What to do, if it could not be opened."""
        return self._opening.why

    def likeness(self, picture: bytes, texts: Sequence[str]) -> list[float]:
        """Cosine with each text, -1 to 1. Raises Unread: `Unseen` for a picture that can't be decoded."""
        model = self._opening.model()
        try:
            seen, said = self._seen(model, picture), self._said(model, tuple(dict.fromkeys(texts)))
        except Unseen as error:
            raise Unread(UNSEEN) from error
        except EngineError as error:
            raise Unread(type(error).__name__) from error
        return [float(seen @ said[text]) for text in texts]

    def _seen(self, model: Opened, picture: bytes) -> Vector:
        digest = blake2b(picture, digest_size=32, key=self._key).digest()
        with self._lock:
            if (known := self._pictures.get(digest)) is not None:
                self._pictures.move_to_end(digest)
                return known
        [vector] = model.embed_pictures((picture,))
        with self._lock:
            _keep(self._pictures, digest, vector, KEPT_PICTURES)
        return vector

    def _said(self, model: Opened, texts: tuple[str, ...]) -> dict[str, Vector]:
        with self._lock:
            found = {text: self._texts[text] for text in texts if text in self._texts}
        missing = tuple(text for text in texts if text not in found)
        if missing:
            found |= dict(zip(missing, model.embed_texts(missing), strict=True))
        with self._lock:
            for text in texts:
                _keep(self._texts, text, found[text], KEPT_TEXTS)
        return found

    def close(self) -> None:
        """End its process; from now on it can't be asked."""
        self._opening.close()


def _keep(kept: OrderedDict[Any, Vector], key: Any, vector: Vector, most: int) -> None:
    kept[key] = vector
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)


def own_pictures(directory: Path, weights: Literal["float", "half", "int8"] = "float") -> PictureLikeness:
    """Of the user's directory, not yet opened. weights: how its numbers are kept."""
    return PictureLikeness(lambda: open_own(directory, "zero-shot-image-classification", weights))


def last_pictures(asked: Asked) -> list[Image]:
    """Those of the user's last message, in order; what is beyond MOST_PICTURES isn't looked at by rules of likeness."""
    messages = asked.request.messages
    last = max((place for place, message in enumerate(messages) if message.role == "user"), default=-1)
    found = [part for path, part in carried(asked.request) if path.startswith(f"messages[{last}].")]
    return [part for part in found if isinstance(part, Image)][:MOST_PICTURES]


def scored(model: Pictures, image: Image, examples: tuple[str, ...], scoring: Scoring) -> float:
    """A picture's likeness to examples, mixed as a bank mixes those of a text. Raises Unread."""
    data = content(image)
    if data is None:
        raise Unread(UNSEEN)
    alike = sorted(model.likeness(data, examples), reverse=True)
    top = alike[: scoring.top]
    return scoring.weight * alike[0] + (1 - scoring.weight) * sum(top) / len(top)


def best(
    model: Pictures, images: Sequence[Image], examples: tuple[str, ...], scoring: Scoring
) -> tuple[float, Unread | None]:
    """Of the pictures that could be looked at, the likest; and why another could not be. Raises Unread if none could."""
    scores, unseen = [], None
    for image in images:
        try:
            scores.append(scored(model, image, examples, scoring))
        except Unread as why:
            unseen = unseen or why
    if not scores:
        assert unseen is not None, "asked about no pictures"
        raise unseen
    return max(scores), unseen
