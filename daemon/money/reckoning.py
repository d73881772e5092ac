"""How long a prompt is taken to be, as long as nobody has counted its tokens."""

from __future__ import annotations

from typing import Final

from providers.contract import Image, Request
from providers.texts import carried, fields

PICTURE_CHARS: Final = 4_800
"""Of a picture: makers count at most some 1,600 tokens for one that is sent as it is usual, and a token is three characters
here.
"""


def prompt_chars(request: Request) -> int:
    """All of its text, and its pictures as so much text."""
    pictures = sum(isinstance(part, Image) for _, part in carried(request))
    return sum(len(field.text) for field in fields(request)) + pictures * PICTURE_CHARS
