"""What MCP clients say of their tools' effects is read in every protocol that brings it, and refused in none."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from daemon.protocols import anthropic, openai_chat, openai_responses
from daemon.protocols.base import Envelope
from daemon.protocols.tool_hints import hints_of
from providers.contract import Hints

SAID: dict[str, Any] = {"title": "x", "readOnlyHint": True, "openWorldHint": False}
READ = Hints(read_only=True, open_world=False)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ((SAID,), READ),
        ((None, SAID), READ),
        (({"destructiveHint": True}, SAID), Hints(destructive=True)),
        (({"readOnlyHint": "yes", "openWorldHint": 1},), None),
        (({"title": "x"},), None),
        (("read only", ["x"], None), None),
        ((), None),
    ],
)
def test_what_is_no_hint_is_passed_over(given: tuple[Any, ...], read: Hints | None) -> None:
    """It is in no protocol's own form, so nobody is refused for it."""
    assert hints_of(*given) == read


CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
SCHEMA = {"type": "object"}


@pytest.mark.parametrize(
    ("codec", "body"),
    [
        (openai_chat, {**CHAT, "tools": [{"type": "function", "function": {"name": "look"}, "annotations": SAID}]}),
        (openai_chat, {**CHAT, "tools": [{"type": "function", "function": {"name": "look", "annotations": SAID}}]}),
        (
            anthropic,
            {**CHAT, "max_tokens": 9, "tools": [{"name": "look", "input_schema": SCHEMA, "annotations": SAID}]},
        ),
        (
            openai_responses,
            {"model": "m", "input": "hi", "tools": [{"type": "function", "name": "look", "annotations": SAID}]},
        ),
    ],
    ids=["chat", "chat, in the function", "anthropic", "responses"],
)
def test_hints_come_through(codec: Any, body: dict[str, Any]) -> None:
    """Beside the tool's schema."""
    request = codec.read(msgspec.json.encode(body), Envelope("0" * 16, None, None, None, "any", 1))

    assert [tool.hints for tool in request.tools] == [READ]
