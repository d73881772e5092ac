"""Which tools a request may keep."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.recipes.plugins import Tools
from daemon.routing.plugins.tools import tools
from providers.contract import Message, Text, Tool, ToolCall, ToolResult
from tests.fakes.asking import asking

OFFERED = tuple(Tool(name, "", {}) for name in ("search", "read", "write"))
REQUEST = replace(asking("hello"), tools=OFFERED)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (Tools(mode="none"), ()),
        (Tools(mode="passthrough", allow_tools=("search",)), ("search", "read", "write")),
        (Tools(), ("search", "read", "write")),
        (Tools(mode="filtered", allow_tools=("search", "read")), ("search", "read")),
        (Tools(mode="filtered", block_tools=("write",)), ("search", "read")),
        (Tools(mode="filtered", allow_tools=("search", "read"), block_tools=("read",)), ("search",)),
        (Tools(mode="filtered", allow_tools=("unheard",)), ()),
    ],
)
def test_which_stay(options: Tools, kept: tuple[str, ...]) -> None:
    """By mode and names; what is taken is said."""
    changed = tools(REQUEST, options)

    assert tuple(tool.name for tool in changed.request.tools) == kept
    assert changed.aside == (() if len(kept) == 3 else ("tools",))


@pytest.mark.parametrize(("choice", "left"), [("write", "auto"), ("required", "required"), ("search", "search")])
def test_a_choice_that_is_gone(choice: str, left: str) -> None:
    """A tool that was taken can't be asked for any more."""
    changed = tools(replace(REQUEST, tool_choice=choice), Tools(mode="filtered", block_tools=("write",)))

    assert changed.request.tool_choice == left


def test_required_of_none() -> None:
    """Nobody can be made to call what isn't there."""
    assert tools(replace(REQUEST, tool_choice="required"), Tools(mode="none")).request.tool_choice == "auto"


def test_history() -> None:
    """Calls and results go if the recipe wants that, and words stay."""
    called = Message("assistant", (Text("I look."), ToolCall("1", "search", "{}")))
    messages = (*asking("hello").messages, called, Message("tool", (ToolResult("1", (Text("found"),)),)))
    request = replace(REQUEST, messages=messages)

    kept = tools(request, Tools(mode="none")).request.messages
    stripped = tools(request, Tools(mode="none", strip_tool_history=True)).request.messages

    assert kept == messages
    assert stripped == (messages[0], Message("assistant", (Text("I look."),)))
