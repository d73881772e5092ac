"""What calls do, by the user's word, by known tools, and by words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from daemon.tools.effects import effect_of, effect_of_calls
from daemon.tools.known import known_effect
from daemon.tools.wording import effect_by_words, words_of
from providers.contract import Hints, Tool, ToolCall


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall("1", name, msgspec.json.encode(arguments).decode())


def tool(name: str, description: str = "", *fields: str, hints: Hints | None = None) -> Tool:
    return Tool(name, description, {"properties": {field: {} for field in fields}}, hints=hints)


def test_the_users_word_comes_first() -> None:
    """The first pattern that fits, in any case, whatever the command says."""
    own = {"BASH": "read", "mcp__notes__*": "write", "mcp__*": "irreversible"}

    assert effect_of(call("Bash", command="rm -rf /"), None, own) == "read"  # type: ignore[arg-type]
    assert effect_of(call("mcp__notes__get"), None, own) == "write"  # type: ignore[arg-type]
    assert effect_of(call("mcp__other__get"), None, own) == "irreversible"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "arguments", "effect"),
    [
        ("Bash", {"command": "git status", "description": "rm"}, "read"),
        ("shell", {"command": ["bash", "-lc", "rm a"]}, "irreversible"),
        ("exec_command", {"cmd": "npm test"}, "execute"),
        ("run_in_terminal", {"command": "ls", "explanation": "x"}, "read"),
        ("bash", {"restart": True}, "execute"),
    ],
)
def test_a_shell_is_what_its_command_is(name: str, arguments: dict[str, Any], effect: str) -> None:
    """Wherever the agent puts the command."""
    assert effect_of(call(name, **arguments), None, {}) == effect


def test_arguments_that_are_none_run_anything() -> None:
    """A shell is not harmless because its call can't be read."""
    assert effect_of(ToolCall("1", "Bash", "["), None, {}) == "execute"
    assert effect_of(ToolCall("1", "Bash", "[]"), None, {}) == "execute"


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("Read", "read"),
        ("read_file", "read"),
        ("TodoWrite", "read"),
        ("MultiEdit", "write"),
        ("apply_patch", "write"),
        ("Task", "execute"),
        ("WebFetch", "network"),
        ("delete_file", "irreversible"),
        ("mcp__files__read", None),
        ("frobnicate", None),
    ],
)
def test_coding_agents_tools_are_known(name: str, effect: str | None) -> None:
    """In whatever way they are written; a server's tool of the same name is another one."""
    assert known_effect(name) == effect


@pytest.mark.parametrize(
    ("described", "effect"),
    [
        (tool("get_weather", "Get the weather of a city.", "city"), "read"),
        (tool("getOrderStatus", "Status of an order.", "order_id"), "read"),
        (tool("search_posts", "Search for posts by words.", "query"), "read"),
        (tool("mcp__notes__list-notes", "All notes."), "read"),
        (tool("convert_currency", "Convert an amount.", "amount", "currency"), "read"),
        (tool("create_event", "Create an event.", "title"), "write"),
        (tool("get_page", "Load a page.", "url"), "network"),
        (tool("query_database", "Query it.", "sql"), "execute"),
        (tool("evaluate", "Runs Python code and gives its output.", "text"), "execute"),
        (tool("send_email", "Send a mail.", "recipient"), "irreversible"),
        (tool("get_and_delete", "Take one."), "irreversible"),
        (tool("read_queue", "Read the first message and delete it."), "irreversible"),
        (tool("transaction", "Move money.", "amount"), "irreversible"),
        (tool("frobnicate", "Looks harmless.", "city"), "unknown"),
        (tool("frobnicate", "Deletes everything."), "irreversible"),
        (tool("", ""), "unknown"),
    ],
)
def test_other_tools_are_told_by_their_words(described: Tool, effect: str) -> None:
    """The name's words, the first sentence, the parameters; what tells nothing is unknown."""
    assert effect_by_words(described) == effect


@pytest.mark.parametrize(
    ("described", "effect"),
    [
        (tool("frobnicate", hints=Hints(read_only=True)), "read"),
        (tool("frobnicate", hints=Hints(read_only=True, open_world=True)), "network"),
        (tool("delete_all", hints=Hints(read_only=True)), "irreversible"),
        (tool("get_it", hints=Hints(read_only=False, destructive=True)), "irreversible"),
        (tool("get_it", hints=Hints(open_world=True)), "network"),
        (tool("frobnicate", hints=Hints(read_only=False, destructive=False)), "unknown"),
    ],
)
def test_hints_make_worse_and_seldom_better(described: Tool, effect: str) -> None:
    """A tool's maker is believed about harm; about harmlessness only where nothing else is known."""
    assert effect_of(call(described.name), described, {}) == effect


def test_the_worst_of_several_calls_counts() -> None:
    """And a tool that nobody offered is unknown."""
    tools = {"get_it": tool("get_it")}

    assert effect_of_calls([call("get_it"), call("Edit")], tools, {}) == "write"
    assert effect_of_calls([call("get_it"), call("other")], tools, {}) == "unknown"
    assert effect_of_calls([], tools, {}) == "read"


def test_names_are_words_in_any_writing() -> None:
    """Camel case, snake case, and a server's prefix left out."""
    assert words_of("getHTTPStatus2") == ("get", "http", "status", "2")
    assert words_of("mcp__send__list-notes") == ("list", "notes")
