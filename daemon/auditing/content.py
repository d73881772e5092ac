"""The texts in a message's content, in whichever vendor's shape it is: a string, a block, or a list of blocks."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

_TEXT: Final = frozenset({"text", "input_text", "output_text", "summary_text"})
_OPAQUE: Final = frozenset(
    {"image", "input_image", "image_url", "imageUrl", "input_file", "file", "input_audio", "audio", "document"}
)
_MODELS_OWN: Final = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "tool_use", "server_tool_use", "function_call", "tool_call"}
)
"""What the model made and its provider knows already."""
_DEPTH: Final = 32
"""Deeper nested blocks are left out: no program writes them."""


class Said(Struct, frozen=True):
    """texts: all that can be read. opaque: parts that can't. results: whether a tool's result is among them."""

    texts: tuple[str, ...] = ()
    opaque: int = 0
    results: bool = False


def said(content: Any) -> Said:
    """What a message says, beside what the model itself has made."""
    found = _Found()
    found.take(content, 0)
    return Said(tuple(found.texts), found.opaque, found.results)


def strings(value: Any) -> tuple[str, ...]:
    """Every string in a JSON value, keys left out."""
    found: list[str] = []
    _strings(value, found, 0)
    return tuple(found)


class _Found:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.opaque = 0
        self.results = False

    def take(self, content: Any, depth: int) -> None:
        if depth > _DEPTH:
            return
        if isinstance(content, str):
            if content:
                self.texts.append(content)
        elif isinstance(content, list):
            for block in content:
                self.take(block, depth + 1)
        elif isinstance(content, dict):
            self._block(content, depth)

    def _block(self, block: dict[Any, Any], depth: int) -> None:
        told = block.get("type")
        kind = told if isinstance(told, str) else ""
        source = block.get("source")
        if kind in _MODELS_OWN:
            return
        if kind in _TEXT:
            self.take(block.get("text"), depth + 1)
        elif kind == "tool_result":
            self.results = True
            self.take(block.get("content"), depth + 1)
        elif kind == "document" and isinstance(source, dict) and source.get("type") == "text":
            self.take(source.get("data"), depth + 1)
        elif kind in _OPAQUE:
            self.opaque += 1
        elif isinstance(block.get("content"), str | list | dict):
            self.take(block["content"], depth + 1)
        else:
            _strings({key: value for key, value in block.items() if key != "type"}, self.texts, depth + 1)


def _strings(value: Any, found: list[str], depth: int) -> None:
    if depth > _DEPTH:
        return
    if isinstance(value, str):
        if value:
            found.append(value)
    elif isinstance(value, list):
        for inner in value:
            _strings(inner, found, depth + 1)
    elif isinstance(value, dict):
        for inner in value.values():
            _strings(inner, found, depth + 1)
