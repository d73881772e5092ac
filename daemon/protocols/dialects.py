"""Whose shape an error takes at an address where no codec has read anything yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.protocols import openai_chat
from daemon.protocols.base import Codec, Problem
from daemon.protocols.registry import PROTOCOLS

_EVERYWHERE: Final = 1
"""The length of `/`: an area that has no protocol of its own."""


def dialect(path: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> Codec:
    """The codec whose area the address lies in, the narrowest first; else the one whose clients' sign is among the headers,
    else OpenAI's.
    """
    found = [(len(area), codec) for codec in PROTOCOLS.values() for area in codec.AREAS if path.startswith(area)]
    length, nearest = max(found, key=lambda each: each[0], default=(0, PROTOCOLS[openai_chat.NAME]))
    return nearest if length > _EVERYWHERE else _by_sign(headers) or nearest


def _by_sign(headers: Iterable[tuple[bytes, bytes]]) -> Codec | None:
    names = {name.lower().decode("latin-1") for name, _ in headers}
    return next((codec for codec in PROTOCOLS.values() if codec.HABITS.sign in names), None)


def status(codec: Codec, problem: Problem) -> int:
    """The HTTP status of an error, as the protocol has it."""
    return codec.HABITS.statuses.get(problem.code, problem.status)
