"""Scripts that put no blanks between words: where a number or a Latin word stands among them, it ends all the same.

`010-4829-7713로` and `电话13817294406` hold a number as `tel 13817294406` does, but for a pattern that asks for the end of a
word both go on. So patterns look at a text in which each such letter beside an ASCII one is a blank, at the same length.
"""

from __future__ import annotations

import re
from typing import Final

LETTERS: Final = "\u3005\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
"""Han, kana and Hangul."""
_BESIDE: Final = re.compile(rf"(?<=[0-9A-Za-z])[{LETTERS}]|[{LETTERS}](?=[0-9A-Za-z+(])")
_ANY: Final = re.compile(rf"[{LETTERS}]")


def has_unspaced(text: str) -> bool:
    """Whether there is such a letter."""
    return not text.isascii() and _ANY.search(text) is not None


def opened(text: str) -> str:
    """The text with blanks where those scripts meet ASCII, at the same length."""
    return _BESIDE.sub(" ", text)
