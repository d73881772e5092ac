"""The form of a conversation."""

from __future__ import annotations

import pytest

from daemon.recipes.files import read_recipe, text_of
from daemon.recipes.signals import TurnSource
from daemon.signals.conversation import ConversationRules, count
from providers.contract import Image, Message, Text, Tool, ToolCall, ToolResult
from tests.daemon.signals.test_knowledge import CONFIG
from tests.fakes.asking import asked, asking, without_models

SYSTEM = Message("system", (Text("s"),))
USER = Message("user", (Text("u"),))
CALLS = Message("assistant", (ToolCall("1", "look", "{}"), ToolCall("2", "look", "{}")))
RESULT = Message("tool", (ToolResult("1", (Text("r"), Image("data:image/png;base64,AA"))),))
OTHER = Message("tool", (ToolResult("2", (Text("r"),)),))
ANSWER = Message("assistant", (Text("a"),))
PICTURE = Message("user", (Text("u"), Image("https://example.invalid/x.png")))


@pytest.mark.parametrize(
    ("type", "role", "messages", "expected"),
    [
        ("message", None, (SYSTEM, USER, ANSWER), 3),
        ("message", "user", (SYSTEM, USER, ANSWER, USER), 2),
        ("message", "non_user", (SYSTEM, USER, ANSWER), 2),
        ("message", "developer", (SYSTEM, USER), 1),
        ("message", "tool", (USER, CALLS, RESULT, OTHER), 2),
        ("assistant_tool_call", None, (USER, CALLS), 2),
        ("assistant_tool_cycle", None, (USER, CALLS, RESULT, OTHER), 2),
        ("image_content", None, (PICTURE, CALLS, RESULT), 2),
        ("active_tool_loop", None, (USER, CALLS, RESULT, OTHER), 1),
        ("active_tool_loop", None, (USER, CALLS, RESULT, OTHER, USER), 1),
        ("active_tool_loop", None, (USER, CALLS, RESULT, ANSWER, USER), 1),
        ("active_tool_loop", None, (USER, CALLS, RESULT, OTHER, ANSWER, USER), 0),
        ("active_tool_loop", None, (USER,), 0),
    ],
)
def test_what_is_counted(type: str, role: str | None, messages: tuple[Message, ...], expected: int) -> None:
    """By upstream's words; a loop is active while a result was just given, or a call waits for one."""
    source = TurnSource(type=type, role=role)  # type: ignore[arg-type]

    assert count(source, asking(messages=messages)) == expected


def test_upstreams_reference_rules() -> None:
    """An agent's turn sets off those that are about agents."""
    recipe = read_recipe(text_of(CONFIG / "config.yaml").replace("method: fuzzy", "method: regex"), "yaml")
    request = asking(messages=(SYSTEM, USER, CALLS, RESULT, OTHER), tools=(Tool("look", "", {}),))
    seen = ConversationRules(recipe.routing.signals, without_models()).look(asked(request))

    assert {each.name: each.value for each in seen if each.matched} == {
        "has_tools": 1.0,
        "active_tool_use": 1.0,
        "has_developer_msg": 1.0,
        "has_images": 1.0,
    }
    assert {each.name for each in seen if not each.matched} == {"multi_turn_user", "heavy_non_user"}
