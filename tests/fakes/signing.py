"""A provider that signs what it thought and refuses what comes back otherwise: HMAC-SHA256 over the very words."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any, Final

from tests.fakes.upstream import USAGE, Answer, Received, Upstream, as_json, frames

_KEY: Final = b"the provider's own"
_BESIDE: Final = {"format": "anthropic-claude-v1", "id": "think_1"}
_MAIL: Final = re.compile(r"[\w.+-]+@[\w.-]+\w")


def signature(text: str) -> str:
    """Of words. Base64-like characters that JSON may escape stand in it."""
    return "Er/+" + hmac.new(_KEY, text.encode(), hashlib.sha256).hexdigest() + "=="


def sealed(text: str) -> str:
    """Words that only their maker can read, as a stand-in: it knows them again by their digest."""
    return "gAAA+/" + hmac.new(_KEY, b"sealed" + text.encode(), hashlib.sha256).hexdigest() + "="


class SigningUpstream(Upstream):
    """Thinks aloud about the last mail address that it is told, cut at every character, and answers with it.

    returned: the details that came back, by request. faults: what was wrong with them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.returned: list[list[dict[str, Any]]] = []
        self.faults: list[str] = []

    def choose(self, request: Received) -> Answer:
        details = [detail for message in request.json["messages"] for detail in message.get("reasoning_details") or ()]
        self.returned.append(details)
        if faults := [fault for detail in details if (fault := self._fault(detail)) is not None]:
            self.faults += faults
            return as_json({"error": {"message": "Invalid signature in thinking block"}}, 400)
        said = _MAIL.findall(json.dumps(request.json["messages"]))
        words = f"They wrote {said[-1] if said else 'nothing'}; falcon ledger?"
        number = len(self.requests)
        whole = [
            {"type": "reasoning.encrypted", "data": sealed(f"{number}"), **_BESIDE, "index": 0},
            {"type": "reasoning.text", "text": words, "signature": signature(words), **_BESIDE, "index": 1},
        ]
        answer = f"Hello {words}"
        if not request.json.get("stream"):
            message = {"role": "assistant", "content": answer, "reasoning": words, "reasoning_details": whole}
            return as_json({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], **_usage()})
        pieces: list[dict[str, Any]] = [{"reasoning_details": [whole[0]]}]
        pieces += [
            {
                "reasoning": letter,
                "reasoning_details": [{"type": "reasoning.text", "text": letter, **_BESIDE, "index": 1}],
            }
            for letter in words
        ]
        pieces.append({"reasoning_details": [{**whole[1], "text": ""}]})
        pieces += [{"content": letter} for letter in answer]
        chunks = [{"choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in pieces]
        return Answer(frames(*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, USAGE))

    def _fault(self, detail: dict[str, Any]) -> str | None:
        """What is wrong with a detail that came back."""
        beside = {name: value for name, value in detail.items() if name in _BESIDE}
        if beside != _BESIDE:
            return f"beside: {beside}"
        if detail["type"] == "reasoning.encrypted":
            known = [sealed(f"{number}") for number in range(len(self.requests) + 1)]
            return None if detail["data"] in known else "sealed"
        return None if detail["signature"] == signature(detail["text"]) else "signature"


def _usage() -> dict[str, Any]:
    return {"usage": USAGE["usage"]}
