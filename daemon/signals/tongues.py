"""Whether a text is English: what isn't is read by the multilingual models.

Most texts are, and tell by words that only English has, before any library is asked. The rest is named by the identifier of
`language`, and counts as another language only if that is sure: a short line of Latin letters may be anything, and a text
that is only code is none.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from hashlib import blake2b
from secrets import token_bytes
from typing import Final

from daemon.signals.identifier import Identifier, prose

MULTILINGUAL: Final = "multilingual"
"""What an observation names as its model; an English text's names none."""
UNLIKELY: Final = 0.01
"""The probability of being English from which down a text is something else, even if nobody can tell Danish from Bokmål."""
SURE: Final = 0.98
MANY_LETTERS: Final = 60
"""A shorter text of plain letters alone has to be one certain language: a command line may look like Danish."""
FEWEST_LETTERS: Final = 16
"""Of Latin script, in a text that is taken for another language than English."""
KEPT_TEXTS: Final = 4096
_LOOKED_AT: Final = 1500
_ENGLISH_ONLY: Final = (
    "the and what how you that with this are from which your can would should could have has was were will they their there"
    " write please why who when where does did been being these those if but not about into than then my his her our its"
    " i'm it's don't i by or an be at we he she for give make explain using following"
)
"""Frequent, and no words of the other languages that share the letters, or rare ones."""
_ENGLISH: Final = frozenset(_ENGLISH_ONLY.split())
_SHARE: Final = 0.12
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


class Tongues:
    """Tells it, and keeps what it told, under a keyed hash of the text. May be asked from several threads."""

    def __init__(self, identifier: Identifier | None = None) -> None:
        self._identifier = identifier or Identifier()
        self._known: OrderedDict[bytes, str | None] = OrderedDict()
        self._key = token_bytes(32)
        self._lock = threading.Lock()

    def foreign(self, text: str) -> bool:
        """Whether it is surely another language than English."""
        return self.language(text) is not None

    def language(self, text: str) -> str | None:
        """Which one it is, ISO 639-1, if it surely is another than English."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32, key=self._key).digest()
        with self._lock:
            if digest in self._known:
                self._known.move_to_end(digest)
                return self._known[digest]
        found = self._language(text)
        with self._lock:
            self._known[digest] = found
            while len(self._known) > KEPT_TEXTS:
                self._known.popitem(last=False)
        return found

    def _language(self, text: str) -> str | None:
        if is_plainly_english(text):
            return None
        plain = prose(text)
        letters = sum(map(str.isalpha, plain))
        latin = sum(letter < "\u0250" for letter in plain if letter.isalpha())
        if not letters or (latin > letters / 2 and letters < FEWEST_LETTERS):
            return None
        if self._identifier.english(text) > UNLIKELY:
            return None
        told = self._identifier.tell(text)
        sure = told is not None and (told[1] >= SURE or letters >= MANY_LETTERS or not plain.isascii())
        return told[0] if told and sure else None


def is_plainly_english(text: str) -> bool:
    """Whether enough of a text's first words are words that only English has."""
    words = _WORD.findall(text[:_LOOKED_AT].lower())
    return sum(word in _ENGLISH for word in words) >= max(1, _SHARE * len(words))
