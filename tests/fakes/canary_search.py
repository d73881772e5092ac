"""Looks for a value in bytes that arrived, in every writing that can be undone."""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

from tests.fakes.canary_values import LOOKALIKES
from tests.fakes.upstream import Received

_BACK: Final = {ord(other): letter for letter, other in LOOKALIKES.items()}
_PACKED: Final = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2}){4,}")
_JSON_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


def core(text: str) -> str:
    """What all writings of a text share: letters and digits, in small letters, of one form each."""
    plain = unicodedata.normalize("NFKC", text.translate(_BACK)).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def arrived(received: Received) -> str:
    """All that a request brought, undone as far as it goes, as `core` has it; texts that were apart stand together."""
    texts = [received.path, *received.headers.values()]
    said: list[str] = []
    if received.body[:1] == b"{":
        body = json.loads(received.body)
        texts += _strings(body)
        said += (text for text in _strings(body, keys=False) if text not in _STRUCTURE)
    else:
        texts.append(received.body.decode("utf-8", "replace"))
    found = [core("".join(texts)), core("".join(said))]
    for text in texts:
        found += map(core, _undone(text))
    return "\n".join(found)


_STRUCTURE: Final = frozenset(
    (
        "user",
        "assistant",
        "system",
        "tool",
        "developer",
        "text",
        "input_text",
        "output_text",
        "function",
        "object",
        "string",
    )
)
"""What stands between the texts of two messages or parts."""


def _strings(value: Any, *, keys: bool = True) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            with suppress(ValueError):
                yield from _strings(json.loads(value), keys=keys)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if keys:
                yield str(key)
            yield from _strings(inner, keys=keys)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, keys=keys)
    elif value is not None:
        yield str(value)


def _undone(text: str) -> Iterator[str]:
    yield html.unescape(text)
    yield unquote(text)
    yield _JSON_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    tight = re.sub(r"\s", "", text)
    for whole in dict.fromkeys((text, tight)):
        for run in _PACKED.findall(whole):
            for start in range(4):  # nobody says where it began
                part = run[start:].replace("-", "+").replace("_", "/")
                part = part[: len(part) // 4 * 4] if len(part) % 4 == 1 else part
                with suppress(ValueError):
                    yield base64.b64decode(part + "=" * (-len(part) % 4)).decode("utf-8", "ignore")
        for run in _HEX.findall(whole):
            yield bytes.fromhex(run).decode("utf-8", "ignore")
