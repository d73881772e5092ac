"""Granite's and Phi-4-mini's way: a JSON list behind a tag, `<|tool_call|>[{"name": …, "arguments": {…}}]`.

Source: the chat templates of granite-3.x-instruct and Phi-4-mini-instruct.
"""

from __future__ import annotations

from typing import Final

from edge_models.engines.base import Call
from edge_models.tool_calls.base import Family, from_json

_OPENS: Final = ("<|tool_call|>", "functools")


def _calls(block: str) -> list[Call] | None:
    inside = block
    for opening in _OPENS:
        inside = inside.removeprefix(opening)
    return from_json(inside)


TAGGED_LIST: Final = Family(
    "tagged-list",
    marks=_OPENS,
    opens=_OPENS,
    closes=("<|/tool_call|>", "<|end_of_text|>", "<|end|>"),
    calls=_calls,
)
