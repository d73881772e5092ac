"""Pictures and files within their own address: `data:` URLs (RFC 2397)."""

from __future__ import annotations

import base64
import binascii
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

_SCHEME: Final = "data:"


class Held(NamedTuple):
    """What such an address holds. kind: as it says itself, in small letters, which proves nothing."""

    kind: str
    data: bytes


def held(url: str) -> Held | None:
    """None if it is no `data:` URL, or a broken one."""
    if url[: len(_SCHEME)].lower() != _SCHEME:
        return None
    head, comma, body = url[len(_SCHEME) :].partition(",")
    if not comma:
        return None
    kind, *rest = (piece.strip().lower() for piece in head.split(";"))
    if "base64" not in rest:
        return Held(kind, unquote_to_bytes(body))
    try:
        return Held(kind, base64.b64decode(unquote_to_bytes(body) if "%" in body else body))
    except (binascii.Error, ValueError):
        return None


def written(kind: str, data: bytes) -> str:
    """As such an address."""
    return f"{_SCHEME}{kind};base64,{base64.b64encode(data).decode()}"
