"""A workflow that waits for the client's tool: what has to be known to go on, and the ids by which it is found again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from daemon.loopers.flow_plan import Plan
from providers.contract import Request, Text, Thought, ToolCall, ToolResult

_ID: Final = re.compile(r"flow_([0-9a-f]{16})_\d{1,4}")


class Result(Struct, frozen=True):
    """What one model made of one step. model: the recipe's name."""

    model: str
    text: str


class FlowState(Struct, frozen=True):
    """results: by step; a step that failed has none. step, model: whose call is waiting. partial: what other models made
    of that step already. pauses: how often it waited.
    """

    plan: Plan
    results: Mapping[str, tuple[Result, ...]]
    step: str
    model: str
    partial: tuple[Result, ...]
    pauses: int


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(FlowState).decode


def packed(state: FlowState) -> bytes:
    """For whoever holds it."""
    return _encode(state)


def unpacked(state: bytes | None) -> FlowState | None:
    """None also for what can't be read."""
    if state is None:
        return None
    try:
        return _decode(state)
    except msgspec.DecodeError:
        return None


def renamed(parts: Sequence[Text | Thought | ToolCall], key: str) -> tuple[Text | Thought | ToolCall, ...]:
    """An answer whose calls bear ids that lead back to the work."""
    calls = [part for part in parts if isinstance(part, ToolCall)]
    return tuple(
        ToolCall(f"flow_{key}_{calls.index(part)}", part.name, part.arguments) if isinstance(part, ToolCall) else part
        for part in parts
    )


def goes_on_with(request: Request) -> str | None:
    """The key of the work whose call the request's last turns answer; None: of none."""
    for message in reversed(request.messages):
        if message.role == "assistant":
            return None
        for part in message.parts:
            if isinstance(part, ToolResult) and (found := _ID.fullmatch(part.call_id)):
                return found[1]
    return None
