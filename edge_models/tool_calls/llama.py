"""Llama 3's ways: one bare JSON object as the whole answer, or a Python list of calls.

Llama 3.1 writes `{"name": …, "parameters": {…}}`, maybe behind `<|python_tag|>`, and several with semicolons between.
Llama 3.2 writes `[f(a=1), g(b="x")]` where its prompt shows that form: a list that is read as Python's syntax and never run.
Source: Meta's prompt-format pages for Llama 3.1 and 3.2, and the models' chat templates.
"""

from __future__ import annotations

import ast
from typing import Any, Final

import msgspec

from edge_models.engines.base import Call
from edge_models.tool_calls.base import Family, from_json

_TAG: Final = "<|python_tag|>"
_NOTHING: Final = object()


def _calls(block: str) -> list[Call] | None:
    inside = block.strip().removeprefix(_TAG).strip()
    if inside.startswith("["):
        return from_json(inside) or _pythonic(inside)
    calls: list[Call] = []
    for part in _parts(inside):
        found = from_json(part)
        if found is None:
            return None
        calls += found
    return calls or None


def _parts(text: str) -> list[str]:
    """JSON objects with semicolons between: cut where what is before a semicolon is whole."""
    parts: list[str] = []
    start = 0
    for place, letter in enumerate(text):
        if letter == ";" and from_json(text[start:place]) is not None:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]] if text[start:].strip() else parts


def _pythonic(text: str) -> list[Call] | None:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(tree, ast.List) or not tree.elts:
        return None
    calls = [_python_call(each) for each in tree.elts]
    return [call for call in calls if call] if all(calls) else None


def _python_call(node: ast.expr) -> Call | None:
    if not isinstance(node, ast.Call) or node.args:
        return None
    name = _dotted(node.func)
    arguments: dict[str, Any] = {}
    for keyword in node.keywords:
        value = _literal(keyword.value)
        if keyword.arg is None or value is _NOTHING:
            return None
        arguments[keyword.arg] = value
    return Call(name, msgspec.json.encode(arguments).decode()) if name else None


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return f"{before}.{node.attr}"
    return None


def _literal(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
        msgspec.json.encode(value)
    except (ValueError, TypeError, RecursionError, msgspec.MsgspecError):
        return _NOTHING
    return value


LLAMA: Final = Family(
    "llama",
    marks=(_TAG, "Environment: ipython"),
    opens=(_TAG, '{"', "{ ", "{\n", "["),
    closes=("<|eom_id|>", "<|eot_id|>"),
    calls=_calls,
    first=True,
)
