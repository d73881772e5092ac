"""Mistral's way: `[TOOL_CALLS][{"name": …, "arguments": {…}}]`, and since 2025 `[TOOL_CALLS]NAME[ARGS]{…}`, repeated.

Source: mistral-common's tokenizers v3 and v11, and the chat templates of Mistral 7B v0.3 and Ministral.
"""

from __future__ import annotations

from typing import Final

import msgspec

from edge_models.engines.base import Call
from edge_models.tool_calls.base import Family, from_json

_OPEN: Final = "[TOOL_CALLS]"
_ARGS: Final = "[ARGS]"


def _calls(block: str) -> list[Call] | None:
    calls: list[Call] = []
    for part in block.split(_OPEN)[1:]:
        name, found, arguments = part.partition(_ARGS)
        some = from_json(part) if not found else _named(name, arguments)
        if some is None:
            return None
        calls += some
    return calls or None


def _named(name: str, arguments: str) -> list[Call] | None:
    name = name.partition("[CALL_ID]")[0].strip()
    return from_json(f'{{"name": {msgspec.json.encode(name).decode()}, "arguments": {arguments.strip() or "{}"}}}')


MISTRAL: Final = Family("mistral", marks=(_OPEN,), opens=(_OPEN,), closes=("</s>",), calls=_calls)
