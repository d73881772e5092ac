"""Whose shape an error takes at an address where no codec has read anything yet."""

from __future__ import annotations

from daemon.protocols import openai_chat
from daemon.protocols.base import Codec
from daemon.protocols.registry import PROTOCOLS


def dialect(path: str) -> Codec:
    """The codec whose area the address lies in, the narrowest first; OpenAI's for all others."""
    found = [(len(area), codec) for codec in PROTOCOLS.values() for area in codec.AREAS if path.startswith(area)]
    return max(found, key=lambda each: each[0], default=(0, PROTOCOLS[openai_chat.NAME]))[1]
