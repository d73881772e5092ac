"""What makes a signal of a rule over one text: what it found in a text is kept, so that a next turn scans what is new.

A conversation comes back whole with each turn, and only its end is new. Kept are places and labels, under a keyed hash of
the text; the key is random and dies with the process, so a dump of this memory tells no words and can't be asked for them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from hashlib import blake2b
from secrets import token_bytes
from time import perf_counter
from typing import Final

from daemon.signals.base import Asked, Found, Kind, Lane, Observation, Span, TextRule

KEPT_TEXTS: Final = 4096
"""A long agent conversation has some hundred texts. An entry without hits weighs about 170 bytes."""
KEPT_HITS: Final = 65_536
"""Of all texts together, about 8 MB: a text full of hits must not make the memory large."""


class PerText:
    """A TextRule as a Signal. May be used from several threads."""

    lane: Lane = "rules"

    def __init__(self, rule: TextRule, kept_texts: int = KEPT_TEXTS, kept_hits: int = KEPT_HITS) -> None:
        self.signal: str = rule.signal
        self.kind: Kind = rule.kind
        self._rule = rule
        self._kept_texts = kept_texts
        self._kept_hits = kept_hits
        self._hits = 0
        self._known: OrderedDict[bytes, tuple[Found, ...]] = OrderedDict()
        self._lock = threading.Lock()
        self._key = token_bytes(32)

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each label, with all its places; none if nothing was found."""
        began = perf_counter()
        scanned = 0
        spans: dict[str, list[Span]] = {}
        scores: dict[str, float] = {}
        for field in asked.fields:
            found, new = self._find(field.text)
            scanned += new
            for hit in found:
                spans.setdefault(hit.label, []).append(Span(field.path, hit.start, hit.end, hit.label, field.fixed))
                scores[hit.label] = max(scores.get(hit.label, 0.0), hit.score)
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=self.signal,
                label=label,
                score=scores[label],
                value=float(len(places)),
                spans=tuple(places),
                took_ms=took_ms,
                scanned=scanned,
            )
            for label, places in spans.items()
        ]

    def _find(self, text: str) -> tuple[tuple[Found, ...], int]:
        """What is in a text, and how many characters had to be looked at for it."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32, key=self._key).digest()
        with self._lock:
            known = self._known.get(digest)
            if known is not None:
                self._known.move_to_end(digest)
                return known, 0
        found = self._rule.find(text)
        self._keep(digest, found)
        return found, len(text)

    def _keep(self, digest: bytes, found: tuple[Found, ...]) -> None:
        with self._lock:
            if digest in self._known:  # another thread was as far
                return
            self._known[digest] = found
            self._hits += len(found)
            while len(self._known) > self._kept_texts or (self._hits > self._kept_hits and len(self._known) > 1):
                _, gone = self._known.popitem(last=False)
                self._hits -= len(gone)
