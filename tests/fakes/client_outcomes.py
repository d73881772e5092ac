"""What a client makes of an answer: one that is whole, or one clear error in its own protocol; anything else fails."""

from __future__ import annotations

import json
from typing import Any, Literal

import httpx
from openai._streaming import SSEDecoder

from tests.fakes.client_dialects import CLIENTS, Heard

Outcome = Heard | Literal["error"]


def outcome(protocol: str, answer: httpx.Response, stream: bool) -> Outcome:
    """What it was. Raises AssertionError for half an answer, or an error that is none of the protocol's."""
    if answer.status_code != 200:
        assert 400 <= answer.status_code < 600, answer.status_code
        _require_error(protocol, answer.json())
        return "error"
    if not stream:
        assert not _is_error(answer.json())
        return CLIENTS[protocol].whole(answer.json())
    events = _events(answer)
    errors = [event for event in events if _is_error(event)]
    if not errors:
        return CLIENTS[protocol].streamed(events)
    assert not any(_ends_well(event) for event in events), "an error, and an end as if there were none"
    for error in errors:
        if error.get("type") != "response.failed":
            _require_error(protocol, error)
    return "error"


def _events(answer: httpx.Response) -> list[Any]:
    if answer.headers["content-type"].startswith("application/x-ndjson"):
        return [json.loads(line) for line in answer.text.split("\n") if line]
    told = [event.data for event in SSEDecoder().iter_bytes(iter([answer.content]))]
    return ["[DONE]" if data == "[DONE]" else json.loads(data) for data in told]


def _is_error(event: Any) -> bool:
    return isinstance(event, dict) and (event.get("type") in ("error", "response.failed") or bool(event.get("error")))


def _ends_well(event: Any) -> bool:
    if not isinstance(event, dict):
        return False
    finished = any(choice.get("finish_reason") for choice in event.get("choices", ()))
    ended = event.get("type") in ("message_stop", "response.completed", "response.incomplete")
    return finished or ended or event.get("done") is True


def _require_error(protocol: str, body: Any) -> None:
    """In the words of its protocol, and with a sentence for the user."""
    if protocol == "anthropic":
        assert body["type"] == "error"
        assert isinstance(body["error"]["type"], str)
        said = body["error"]["message"]
    elif protocol.startswith("ollama"):
        said = body["error"]
    elif body.get("type") == "error":  # an event of Responses
        assert isinstance(body["code"], str)
        said = body["message"]
    else:
        assert isinstance(body["error"]["type"], str)
        said = body["error"]["message"]
    assert isinstance(said, str)
    assert len(said) > 10
