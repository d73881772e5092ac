"""Arguments of a call, to and from protocols that carry an object where others carry its text."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def object_of(arguments: str) -> Raw | dict[str, str]:
    """The object that a text says, to the byte. What a model wrote that is none stands in one, so that it isn't lost."""
    if not arguments.strip():
        return Raw(b"{}")
    try:
        _decode(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {"arguments": arguments}
    return Raw(arguments.encode())


def text_of(arguments: Raw) -> str:
    """The text of an object, as it came; of none at all, and of those who give the text itself. Raises UnicodeDecodeError,
    msgspec.DecodeError for what is no JSON after all: a Raw was skipped, not read.
    """
    text = bytes(arguments).decode()
    if text == "null":
        return "{}"
    return msgspec.json.decode(text, type=str) if text.startswith('"') else text
