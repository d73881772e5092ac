"""How large a picture models look at, by their makers: what is larger is made smaller there, so it needn't leave.

Lengths of the longer side are those of the makers' documentation (read in November 2026): OpenAI fits pictures into 2048
pixels, and into 512 where the client asks for low detail; Anthropic into 1568, from Opus 4.7 on into 2576; Google into 3072;
Mistral into 1540. Where a maker isn't known, OpenAI's count, which few exceed.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from providers.contract import Image


class Looks(Struct, frozen=True):
    """What models look at. names: how their names begin, behind a vendor's prefix. side, low: the longer side in pixels, and
    where the client asks for low detail; None: they know no such thing.
    """

    names: re.Pattern[str]
    side: int
    low: int | None = None


def _named(*beginnings: str) -> re.Pattern[str]:
    return re.compile(rf"(?:.*/)?(?:{'|'.join(beginnings)})", re.IGNORECASE)


USUAL: Final = Looks(_named(""), 2048, 512)
MAKERS: Final = (
    Looks(_named(r"claude-(?:opus|sonnet|haiku)-4[-.][7-9]", r"claude-(?:opus|sonnet|haiku)-[5-9]"), 2576),
    Looks(_named("claude"), 1568),
    Looks(_named("gemini"), 3072),
    Looks(_named("mistral", "ministral", "magistral", "pixtral", "devstral"), 1540),
    Looks(_named("gpt", "chatgpt", r"o\d"), 2048, 512),
)
"""The first that fits counts."""


def longest_side(model: str, picture: Image) -> int:
    """In pixels, of a picture for a model by the name that its provider knows."""
    looks = next((each for each in MAKERS if each.names.match(model)), USUAL)
    return looks.low if picture.detail == "low" and looks.low is not None else looks.side
