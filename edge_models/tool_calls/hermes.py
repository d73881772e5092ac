"""Hermes's way, which Qwen and many others write: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`.

Qwen3-Coder writes XML between the same marks: `<function=NAME><parameter=KEY>VALUE</parameter></function>`. Its values carry
no type: what reads as JSON is taken as that, all else as a string.
Source: the chat templates of Qwen2.5-Instruct, Qwen3 and Qwen3-Coder, NousResearch/Hermes-Function-Calling.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from edge_models.engines.base import Call
from edge_models.tool_calls.base import Family, from_json

_OPEN: Final = "<tool_call>"
_FUNCTION: Final = re.compile(r"<function=([^>\s]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER: Final = re.compile(r"<parameter=([^>\s]+)>\n?(.*?)\n?(?:</parameter>|\Z)", re.DOTALL)


def _calls(block: str) -> list[Call] | None:
    inside = block.removeprefix(_OPEN).strip()
    functions = [
        Call(name, msgspec.json.encode({key: _value(text) for key, text in _PARAMETER.findall(body)}).decode())
        for name, body in _FUNCTION.findall(inside)
    ]
    return functions or from_json(inside)


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


HERMES: Final = Family("hermes", marks=(_OPEN,), opens=(_OPEN,), closes=("</tool_call>",), calls=_calls)
