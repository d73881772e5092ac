"""DeepSeek's way: calls between full-width marks, each with its name behind a separator and its arguments fenced.

Source: the chat templates of DeepSeek-V3 and DeepSeek-R1; V3.1 leaves out the word `function` and the fence.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from edge_models.engines.base import Call
from edge_models.tool_calls.base import Family, from_json

_OPEN: Final = "<｜tool▁calls▁begin｜>"
_CALL: Final = re.compile("<｜tool▁call▁begin｜>(.*?)<｜tool▁sep｜>(.*?)(?:<｜tool▁call▁end｜>|\\Z)", re.DOTALL)
_FENCED: Final = re.compile(r"^\s*(\S+)\s*```(?:json)?\s*(.*?)\s*```\s*$", re.DOTALL)


def _calls(block: str) -> list[Call] | None:
    calls: list[Call] = []
    for first, second in _CALL.findall(block):
        fenced = _FENCED.match(second)
        name, arguments = (fenced[1], fenced[2]) if fenced else (first.strip(), second.strip())
        some = from_json(f'{{"name": {msgspec.json.encode(name).decode()}, "arguments": {arguments or "{}"}}}')
        if some is None:
            return None
        calls += some
    return calls or None


DEEPSEEK: Final = Family("deepseek", marks=(_OPEN,), opens=(_OPEN,), closes=("<｜tool▁calls▁end｜>",), calls=_calls)
