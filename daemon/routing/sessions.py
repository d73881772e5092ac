"""What conversations were answered by, so that the next turn doesn't change its model for nothing.

A model that has read a conversation has it in its cache, and in the middle of a tool loop another one would have to guess
what its forerunner was up to. So a conversation stays where it is unless somebody else is clearly better; in a tool loop it
stays anyway.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from secrets import token_bytes
from typing import Final

from msgspec import Struct

from daemon.clock import Clock
from providers.contract import Request, Text, ToolResult

IDLE_S: Final = 300.0
"""After so long a cache is cold anyway; upstream's idle_timeout."""
MARGIN: Final = 0.05 + 0.10
"""By how much another one's score has to be better: upstream's switch_margin and stay_bias."""
KEPT: Final = 4096


class Turn(Struct, frozen=True):
    """How a conversation was answered last. decision: of which recipe's edition, too. candidate: `PROVIDER/MODEL`."""

    edition: int
    decision: str
    candidate: str
    at: float


class Sessions:
    """By a keyed hash; no words are kept, and nothing outlives the process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._key = token_bytes(32)
        self._turns: OrderedDict[bytes, Turn] = OrderedDict()

    def last(self, request: Request) -> Turn | None:
        """The turn before this one; None if there is none, or it was long ago."""
        turn = self._turns.get(self._of(request))
        return turn if turn is not None and self._clock.monotonic() - turn.at <= IDLE_S else None

    def keep(self, request: Request, edition: int, decision: str, candidate: str) -> None:
        """This is how it is answered."""
        key = self._of(request)
        self._turns[key] = Turn(edition, decision, candidate, self._clock.monotonic())
        self._turns.move_to_end(key)
        while len(self._turns) > KEPT:
            self._turns.popitem(last=False)

    def _of(self, request: Request) -> bytes:
        """By the session that the client names, else by how the conversation began, which each turn repeats."""
        hashed = blake2b(digest_size=16, key=self._key)
        for word in (request.client or "", request.model, request.session or f"\0{_beginning(request)}"):
            hashed.update(word.encode("utf-8", "surrogatepass") + b"\0")
        return hashed.digest()


def _beginning(request: Request) -> str:
    for message in request.messages:
        if message.role == "user":
            return " ".join(part.text for part in message.parts if isinstance(part, Text))
    return ""


def in_tool_loop(request: Request) -> bool:
    """Whether the model is waiting for what its tools gave back."""
    return bool(request.messages) and any(isinstance(part, ToolResult) for part in request.messages[-1].parts)
