"""Arguments of a call as protocols want them that carry objects where others carry their text."""

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
