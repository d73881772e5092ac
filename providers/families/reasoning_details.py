"""Reasoning as `reasoning_details` tell it: the OpenAI-compatible form in which OpenRouter and others carry signed words.

A list of objects of three types: `reasoning.text` (words, and at their end a signature), `reasoning.summary` (words) and
`reasoning.encrypted` (data that only its maker can read). In a stream the pieces of one of them have the same type and
index. A model goes on from its reasoning only if what was signed comes back as it was, so what stands beside words,
signature and data is kept as their note, and written back with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from providers.contract import Thought, ThoughtDelta

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_TEXT: Final = "reasoning.text"
_ENCRYPTED: Final = "reasoning.encrypted"
_WORDS: Final = {_TEXT: "text", "reasoning.summary": "summary"}
"""Where the words of a type stand."""
_OWN: Final = frozenset({"text", "summary", "signature", "data"})
"""What isn't kept in a note, since it has a place."""


class _Open:
    """One of them while it comes in."""

    def __init__(self, key: tuple[str, Any]) -> None:
        self.key = key
        self.beside: dict[str, Any] = {}
        self.data: list[str] = []

    def take(self, detail: dict[str, Any]) -> None:
        self.beside |= {name: value for name, value in detail.items() if name not in _OWN}
        if self.key[0] == _ENCRYPTED and isinstance(data := detail.get("data"), str):
            self.data.append(data)

    @property
    def note(self) -> str:
        return _encode(self.beside).decode()


class Details:
    """Those of one choice. spoke: words came in them, which the frame's other fields only say again."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self.spoke = False

    def read(self, details: Iterable[Any], choice: int) -> list[ThoughtDelta]:
        """What one frame's list says. What has no known type is left out."""
        deltas: list[ThoughtDelta] = []
        for detail in details:
            kind = detail.get("type") if isinstance(detail, dict) else None
            if kind != _ENCRYPTED and kind not in _WORDS:
                continue
            key = (kind, detail.get("index"))
            if self._open is None or self._open.key != key:
                deltas += self.end(choice)
                self._open = _Open(key)
            self._open.take(detail)
            deltas += self._said(self._open, detail, choice)
        return deltas

    def end(self, choice: int) -> list[ThoughtDelta]:
        """What was held back until it is known to be whole: data. Whatever comes now is another one."""
        held, self._open = self._open, None
        if held is None or not held.data:
            return []
        return [ThoughtDelta("", "".join(held.data), choice, redacted=True, note=held.note)]

    def _said(self, held: _Open, detail: dict[str, Any], choice: int) -> list[ThoughtDelta]:
        kind = held.key[0]
        if kind == _ENCRYPTED:
            return []
        words, signature = detail.get(_WORDS[kind]), detail.get("signature")
        text = words if isinstance(words, str) else ""
        self.spoke = self.spoke or bool(text)
        if kind == _TEXT and isinstance(signature, str) and signature:
            self._open = None
            return [ThoughtDelta(text, signature, choice, note=held.note)]
        return [ThoughtDelta(text, choice=choice)] if text else []


def given_back(thoughts: Iterable[Thought]) -> list[dict[str, Any]]:
    """Those that were signed here, as they were told."""
    return [
        {
            **_decode(thought.note),
            **(
                {"data": thought.signature}
                if thought.redacted
                else {"text": thought.text, "signature": thought.signature}
            ),
        }
        for thought in thoughts
        if thought.signature is not None and thought.note is not None
    ]
