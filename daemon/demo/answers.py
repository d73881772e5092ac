"""What the cloud model of the demonstration says: a recording that we wrote, with slots for what a model would quote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from daemon.errors import NearloopError


class RecordedCall(Struct, frozen=True, forbid_unknown_fields=True):
    """A call of a tool. Its arguments' texts may hold slots: `{customer}`."""

    tool: str
    arguments: dict[str, str]


class RecordedTurn(Struct, frozen=True, forbid_unknown_fields=True):
    """What is said, and called, in one turn."""

    words: str
    calls: tuple[RecordedCall, ...] = ()


class Answers(Struct, frozen=True, forbid_unknown_fields=True):
    """A session. slots: by name, the expression whose first group is what stands there in the request."""

    about: str
    slots: dict[str, str]
    turns: tuple[RecordedTurn, ...]

    def turn(self, messages: list[dict[str, Any]]) -> RecordedTurn:
        """The next one of a conversation, its slots filled with what the conversation holds. Raises NearloopError."""
        place = sum(message["role"] == "assistant" for message in messages)
        if place >= len(self.turns):
            raise NearloopError(f"the recording ends after {len(self.turns)} turns")
        turn = self.turns[place]
        heard = "\n".join(text_of(message) for message in messages if message["role"] != "assistant")
        filled = {name: found[1] for name, slot in self.slots.items() if (found := re.search(slot, heard))}
        return RecordedTurn(
            _fill(turn.words, filled),
            tuple(
                RecordedCall(call.tool, {name: _fill(text, filled) for name, text in call.arguments.items()})
                for call in turn.calls
            ),
        )


def read_answers(path: Path) -> Answers:
    """The recording of a file."""
    return msgspec.json.decode(path.read_bytes(), type=Answers)


def text_of(message: Mapping[str, Any]) -> str:
    """The words of a message, whether it is in parts or not."""
    content = message.get("content")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


def _fill(text: str, filled: Mapping[str, str]) -> str:
    """Slots without a value stay as they are, as do other braces."""
    return re.sub(r"\{(\w+)\}", lambda found: filled.get(found[1], found[0]), text)
