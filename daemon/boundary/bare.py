"""Whether a picture's file is nothing but pixels: the boundary's own look at the very bytes that are about to leave.

Who paints decodes hostile files and runs elsewhere; its word that nothing was left in a file isn't taken. PNG (ISO/IEC
15948) is a list of chunks, JPEG (ISO/IEC 10918-1) one of segments with compressed data between them: what isn't needed to
show pixels may not be in them, and nothing may follow their end.
"""

from __future__ import annotations

from typing import Final

PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_CHUNKS: Final = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
JPEG: Final = b"\xff\xd8"
_JPEG_HEADERS: Final = frozenset({0xDB, 0xC4, 0xDD, 0xC0, 0xC1, 0xC2})
"""Tables, and the frame's header: baseline, extended or progressive."""
_JFIF: Final = 0xE0
_JFIF_SIZE: Final = 16
"""Without a thumbnail."""
_SCAN: Final = 0xDA
_END: Final = 0xD9


def form_of(data: bytes) -> str | None:
    """`png` or `jpeg`, if it is one of these and holds nothing but pixels."""
    if data.startswith(PNG):
        return "png" if _is_bare_png(data) else None
    if data.startswith(JPEG):
        return "jpeg" if _is_bare_jpeg(data) else None
    return None


def _is_bare_png(data: bytes) -> bool:
    at, kind = len(PNG), b""
    while at + 12 <= len(data):
        kind = data[at + 4 : at + 8]
        if kind not in _PNG_CHUNKS:
            return False
        at += 12 + int.from_bytes(data[at : at + 4])
        if kind == b"IEND":
            break
    return kind == b"IEND" and at == len(data)


def _is_bare_jpeg(data: bytes) -> bool:
    at = len(JPEG)
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return False
        marker, size = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if marker not in _JPEG_HEADERS and marker != _SCAN and (marker, size) != (_JFIF, _JFIF_SIZE):
            return False
        at += 2 + size
        if marker == _SCAN:
            at = _behind_scan(data, at)
            if data[at : at + 2] == bytes((0xFF, _END)):
                return at + 2 == len(data)
    return False


def _behind_scan(data: bytes, at: int) -> int:
    """Where the next marker stands: in compressed data 0xFF is followed by 0, or by a number that restarts it."""
    while (at := data.find(b"\xff", at)) >= 0 and at + 1 < len(data):
        if data[at + 1] and not 0xD0 <= data[at + 1] <= 0xD7:
            return at
        at += 2
    return len(data)
