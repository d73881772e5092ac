"""Reasoning as OpenAI's Responses tell it: an item with a summary in parts, maybe its very words, and what is sealed.

A model goes on from it only if the item comes back as it was, so all of it but its seal is kept as the thought's note.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

import msgspec

from providers.contract import Thought

BETWEEN: Final = "\n\n"
"""What stands between two parts of a summary, which are paragraphs."""
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_LEFT_OUT: Final = frozenset({"encrypted_content", "status"})
"""The one has a place of its own, the other only answers have."""


def words_of(item: dict[str, Any]) -> str:
    """All words of an item, as they are told: its summary, or its very words where it has no summary."""
    return BETWEEN.join(_texts(item.get("summary")) or _texts(item.get("content")))


def _texts(parts: Any) -> list[str]:
    told = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return [text for text in told if isinstance(text, str) and text]


def note_of(item: dict[str, Any]) -> str:
    """What has to be kept of it beside its seal."""
    return _encode({name: value for name, value in item.items() if name not in _LEFT_OUT}).decode()


def item_of(thought: Thought, reads_thoughts: bool) -> list[dict[str, Any]]:
    """The item that it was, or its words as one; none if its server could make nothing of it.

    reads_thoughts: it takes reasoning that isn't sealed.
    """
    if thought.signature is not None and thought.note is not None:
        item = _decode(thought.note)
        # else of another protocol: the provider's row was changed meanwhile
        return [{**item, "encrypted_content": thought.signature}] if item.get("type") == "reasoning" else []
    if thought.text and reads_thoughts:
        # servers that read their items by OpenAI's own types want a name, and the same words have to be the same bytes
        id = "rs_" + blake2b(thought.text.encode(errors="surrogatepass"), digest_size=12).hexdigest()
        content = [{"type": "reasoning_text", "text": thought.text}]
        return [{"type": "reasoning", "id": id, "summary": [], "content": content}]
    return []
