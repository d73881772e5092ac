"""Words of a file that is text, all of them or none: a file with a part that is none can't be seen."""

from __future__ import annotations

import codecs
import re
from typing import Final

from edge_models.vision.limits import BROKEN, HOLDS_FILES, TOO_LARGE, UNKNOWN, Unseeable

MOST_BYTES: Final = 2 << 20
"""What signals read in their time."""
_ODD: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_PACKED: Final = re.compile(r"[A-Za-z0-9+/=_\-\r\n]{2000}")
"""So long a run without a blank is another file, written in letters: a picture in a mail, a notebook or a page."""
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_of(data: bytes, said_text: bool) -> str:
    """said_text: whether its kind is one of text. Raises Unseeable."""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if not said_text and marked is None:
        raise Unseeable(UNKNOWN)
    if len(data) > MOST_BYTES:
        raise Unseeable(TOO_LARGE)
    text = _decoded(data, marked or "utf-8")
    if _ODD.search(text):
        raise Unseeable(UNKNOWN)
    if _PACKED.search(text):
        raise Unseeable(HOLDS_FILES)
    return text.replace("\r\n", "\n")


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        if name != "utf-8":
            raise Unseeable(BROKEN) from error
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise Unseeable(BROKEN) from error
