"""The bytes that a picture's or file's URL carries."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from edge_models.vision.limits import BROKEN, TOO_LARGE, Unseeable

_ESCAPED: Final = re.compile(rb"%([0-9a-fA-F]{2})")
_WRITTEN: Final = re.compile(rb"[A-Za-z0-9+/=\s]*")
ELSEWHERE: Final = "elsewhere"
"""The bytes are on another machine, or known to another one by an id."""


def bytes_of(url: str, most_bytes: int) -> bytes:
    """What a `data:` URL holds (RFC 2397). Raises Unseeable."""
    if url[:5].lower() != "data:":
        raise Unseeable(ELSEWHERE)
    head, comma, body = url.partition(",")
    if not comma:
        raise Unseeable(BROKEN)
    if len(body) > most_bytes * 4 // 3 + most_bytes // 50 + 100:  # line breaks are a fiftieth at most
        raise Unseeable(TOO_LARGE)
    try:
        written = body.encode("ascii")
    except UnicodeEncodeError as error:
        raise Unseeable(BROKEN) from error
    if b"%" in written:
        written = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), written)
    if head.rstrip()[-7:].lower() != ";base64":
        return written
    return _decoded(written)


def _decoded(written: bytes) -> bytes:
    """In either alphabet, padded or not. What others would skip may hide something from us, so it is refused."""
    written = b"".join(written.replace(b"-", b"+").replace(b"_", b"/").split())
    if not _WRITTEN.fullmatch(written):
        raise Unseeable(BROKEN)
    try:
        return base64.b64decode(written.rstrip(b"=") + b"=" * (-len(written.rstrip(b"=")) % 4), validate=True)
    except binascii.Error as error:
        raise Unseeable(BROKEN) from error


def data_url(data: bytes, form: str) -> str:
    """The URL that carries a picture's bytes. form: `png`, `jpeg`, …"""
    return f"data:image/{form};base64,{base64.b64encode(data).decode()}"
