"""How much is looked at, and the words for what isn't: known without a line of what decodes pictures."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

TOO_LARGE: Final = "too-large"
TOO_MANY_PIXELS: Final = "too-many-pixels"
TOO_MANY_FRAMES: Final = "too-many-frames"
TOO_MANY_PAGES: Final = "too-many-pages"
UNKNOWN: Final = "unknown-format"
BROKEN: Final = "broken"
ENCRYPTED: Final = "encrypted"
HOLDS_FILES: Final = "holds-files"
"""Other files are in it."""
FOREIGN_FORM: Final = "foreign-form"
"""It has a form that only its maker's program draws."""
TWO_FORMATS: Final = "two-formats"
"""It is a picture and a PDF at once."""
CRASHED: Final = "crashed"
"""What looked at it ended, or broke."""
LATE: Final = "late"
OUT_OF_MEMORY: Final = "out-of-memory"


PICTURES: Final = frozenset({"png", "jpeg", "gif", "webp", "avif", "bmp", "tiff"})
"""Forms of pictures."""


class Limits(Struct, frozen=True):
    """What is looked at, at most. pixels: of one frame. frames: that differ. all_frames: and that don't.

    all_pixels: of all frames together, which bounds the time that decoding takes. pages: of a document.
    """

    size_bytes: int = 24 << 20
    pixels: int = 50_000_000
    side: int = 20_000
    frames: int = 12
    all_frames: int = 300
    all_pixels: int = 200_000_000
    pages: int = 50


USUAL: Final = Limits()
"""The largest pictures that clouds take have 20 MB; a phone's sensor has 12 to 50 million pixels."""


class Unseeable(Exception):
    """It can't be looked at. code: why, in a word of this module."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
