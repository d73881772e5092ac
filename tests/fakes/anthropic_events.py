"""Anthropic's events as its servers send them, written by hand from its documentation."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.fakes.upstream import Answer

USAGE: Final = {"input_tokens": 7, "output_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}


def event(kind: str, **fields: Any) -> bytes:
    """One event."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()


def start(**usage: Any) -> bytes:
    """What opens a stream."""
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "big",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**USAGE, **usage},
    }
    return event("message_start", message=message)


def block(index: int, opening: dict[str, Any], *pieces: dict[str, Any]) -> tuple[bytes, ...]:
    """A block, with its pieces between its ends."""
    return (
        event("content_block_start", index=index, content_block=opening),
        *(event("content_block_delta", index=index, delta=piece) for piece in pieces),
        event("content_block_stop", index=index),
    )


def words(index: int, *pieces: str) -> tuple[bytes, ...]:
    """A block of text."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def ending(reason: str | None = "end_turn", stop: str | None = None, **usage: Any) -> tuple[bytes, bytes]:
    """What closes a stream."""
    delta = {"stop_reason": reason, "stop_sequence": stop}
    return event("message_delta", delta=delta, usage={"output_tokens": 2, **usage}), event("message_stop")


HELLO: Final = Answer((start(), event("ping"), *words(0, "Hel", "lo"), *ending()))
BEGUN: Final = (start(), *words(0, "Hel")[:-1])


def message(*content: dict[str, Any], reason: str = "end_turn", **usage: Any) -> dict[str, Any]:
    """A whole one."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "big",
        "content": list(content),
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {**USAGE, "output_tokens": 2, **usage},
    }
