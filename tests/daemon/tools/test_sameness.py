"""Calls that do the same have one form, and those that don't have two."""

from __future__ import annotations

import pytest

from daemon.tools.sameness import calls_form
from providers.contract import Tool, ToolCall

SEARCH = Tool("search", "", {"properties": {"limit": {"default": 10}, "deep": {"default": True}}})


def form(*calls: tuple[str, str]) -> str | None:
    return calls_form([ToolCall(str(n), *call) for n, call in enumerate(calls)], {"search": SEARCH})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("get", '{"a": 1, "b": [2.0]}'), ("get", '{"b":[2],"a":1.0}')),
        (("search", '{"q": "x", "limit": 10}'), ("search", '{"q": "x "}')),
        (("search", '{"q": "x", "page": null}'), ("search", '{"q": "x"}')),
        (("get", ""), ("get", "{}")),
        (("Read", '{"file_path": "./src//a.py"}'), ("Read", '{"file_path": "src/a.py"}')),
        (("Bash", '{"command": "ls  -l", "description": "List"}'), ("Bash", '{"command": "ls -l"}')),
    ],
)
def test_ways_of_writing_make_no_difference(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Order, numbers, defaults, what says nothing, paths, spaces, and remarks for the user."""
    assert form(one) == form(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("get", '{"a": 1}'), ("put", '{"a": 1}')),
        (("get", '{"a": 1}'), ("get", '{"a": "1"}')),
        (("get", '{"a": true}'), ("get", '{"a": 1}')),
        (("search", '{"limit": 9}'), ("search", "{}")),
        (("search", '{"deep": 1}'), ("search", "{}")),
        (("Bash", '{"command": "rm \'a  b\'"}'), ("Bash", '{"command": "rm \'a b\'"}')),
        (("create_issue", '{"description": "a"}'), ("create_issue", '{"description": "b"}')),
        (("Write", '{"content": "a\\n  b"}'), ("Write", '{"content": "a\\n b"}')),
    ],
)
def test_what_does_something_else_differs(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Names, values and their types, quoted spaces, what a file holds."""
    assert form(one) != form(other)


def test_several_calls_may_come_in_any_order() -> None:
    """And one more is another answer."""
    first, second = ("get", '{"a": 1}'), ("get", '{"a": 2}')

    assert form(first, second) == form(second, first)
    assert form(first, second) != form(first)
    assert form(first, first) != form(first)


def test_what_is_no_call_agrees_with_nothing() -> None:
    """Neither no calls, nor calls that can't be read."""
    assert form() is None
    assert form(("get", "{"), ("get", "{}")) is None
    assert form(("get", "[]")) is None
