"""Whether any of the tools on offer fits what was asked, as far as that can be told before anybody answers.

Small models call a tool where none fits. The gate speaks only where it has been shown to know: of a request that begins a
conversation, in a few words of English, with tools that do one thing each. Of anything else it says nothing: within an
agent's work the user's last words are not what the next call is for, and beside a shell there is always a tool that fits.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from daemon.signals.opening import Unread
from daemon.signals.shipped import folder
from daemon.signals.vectors import Vectors
from daemon.tools.known import ANYTHING, plain_name
from daemon.tools.wording import effect_by_words
from edge_models.tool_fit import Gate, Offered, decode_gate, features
from providers.contract import Request, Text, Tool

FEWEST_WORDS: Final = 3
MOST_CHARS: Final = 1000
"""Of a request; MetaTool's, on which it was fitted, are shorter."""
MOST_TOOLS: Final = 64


class ToolGate:
    """The service; it reads tools once, as the vectors keep what they read. wanted: whether it may say anything."""

    def __init__(self, vectors: Vectors, wanted: bool = True, file: Path | None = None) -> None:
        self._vectors = vectors
        self._wanted = wanted
        self._file = file or folder() / "tool-gate" / "gate.json"

    @cached_property
    def _gate(self) -> Gate | None:
        try:
            return decode_gate(self._file.read_bytes())
        except (OSError, msgspec.MsgspecError):
            return None

    def none_fits(self, request: Request) -> float | None:
        """The probability that no tool does; None: it can't say. Takes milliseconds, so call it off the event loop."""
        asked = asked_of(request) if self._wanted else None
        if asked is None or self._gate is None:
            return None
        tools = tuple(map(offered, request.tools))
        try:
            if self._vectors.model(asked) is not None:
                return None  # in a language that it was never tried on
            likenesses = [self._vectors.likeness(asked, tool.said) for tool in tools]
        except Unread:
            return None
        return self._gate.none_fits(features(asked, likenesses, tools))

    def sure(self, none_fits: float | None) -> bool:
        """Whether that is enough to say that none does."""
        return none_fits is not None and self._gate is not None and none_fits >= self._gate.threshold


def asked_of(request: Request) -> str | None:
    """The words that a tool would have to fit; None where it can't be told by them."""
    users = [message for message in request.messages if message.role == "user"]
    if request.tool_choice != "auto" or not 0 < len(request.tools) <= MOST_TOOLS or len(users) != 1:
        return None
    if (
        any(message.role in ("assistant", "tool") for message in request.messages)
        or request.messages[-1] is not users[0]
    ):
        return None
    if not all(isinstance(part, Text) for part in users[0].parts) or any(map(_takes_anything, request.tools)):
        return None
    said = "\n".join(part.text for part in users[0].parts if isinstance(part, Text)).strip()
    return said if len(said) <= MOST_CHARS and len(said.split()) >= FEWEST_WORDS else None


def offered(tool: Tool) -> Offered:
    """A tool, as it was in training."""
    properties = tool.parameters.get("properties")
    return Offered(tool.name, tool.description, tuple(properties) if isinstance(properties, dict) else ())


def _takes_anything(tool: Tool) -> bool:
    return plain_name(tool.name) in ANYTHING or effect_by_words(tool) == "execute"
