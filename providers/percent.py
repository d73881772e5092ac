"""Percent-encoding, as RFC 3986 has it: for texts of others that become a piece of an address."""

from __future__ import annotations

import re
from typing import Final

_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ENCODED: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


def encoded(text: str) -> str:
    """One piece of a path or a query: whatever separates them is no separator in it."""
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in text.encode(errors="surrogatepass"))


def decoded(text: str) -> bytes:
    """The bytes that a text stands for; what only looks encoded stays as it is."""
    return _ENCODED.sub(lambda found: bytes([int(found[1], 16)]), text.encode(errors="surrogatepass"))
