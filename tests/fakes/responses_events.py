"""What a server that speaks OpenAI's Responses sends, event by event."""

from __future__ import annotations

import json
from typing import Any, Final


def events(*values: dict[str, Any]) -> tuple[bytes, ...]:
    """A stream's events, numbered in their order."""
    return tuple(
        f"event: {value['type']}\ndata: {json.dumps({**value, 'sequence_number': number})}\n\n".encode()
        for number, value in enumerate(values)
    )


def new_text(text: str, item: int = 0) -> dict[str, Any]:
    """New words."""
    at = {"item_id": f"msg_{item}", "output_index": item, "content_index": 0, "logprobs": []}
    return {"type": "response.output_text.delta", **at, "delta": text}


USAGE: Final = {
    "input_tokens": 7,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 2,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 9,
}


def ended(status: str = "completed", **more: Any) -> dict[str, Any]:
    """The last event."""
    response = {"id": "resp_1", "object": "response", "status": status, "output": [], "usage": USAGE, **more}
    return {"type": f"response.{status}", "response": response}


COMPLETED: Final = ended()
