"""What comes out when something wanted is brought into what is there."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.connecting.json_text import Json
from daemon.connecting.merging import Items, Leaf, Table, Unreadable, brought_in, line_end, merge


def test_tables_are_filled_and_lists_get_what_they_lack() -> None:
    """What the user added stays; entries of lists are known again by id or name."""
    before = {"keep": 1, "models": [{"id": "auto", "mine": True}, {"id": "other"}], "port": 1}
    wanted = {"models": [{"id": "auto", "url": "x"}, {"id": "local"}], "port": 2}

    assert brought_in(before, wanted) == {
        "keep": 1,
        "models": [{"id": "auto", "mine": True, "url": "x"}, {"id": "other"}, {"id": "local"}],
        "port": 2,
    }


def test_line_ends_are_the_majority() -> None:
    """A text with both kinds gets what most of its lines have."""
    assert line_end("a\r\nb\r\nc\n") == "\r\n"
    assert line_end("a\r\nb\nc\n") == "\n"
    assert line_end("") == "\n"


class Forgetful(Json):
    """A language that loses what it should write."""

    def with_entry(self, text: str, table: Table, key: str, value: Any) -> str:
        return text.replace("1", "2")


class Endless(Json):
    """A language that never comes to an end."""

    def with_item(self, text: str, items: Items, value: Any) -> str:
        return text.replace("]", ",0]")

    def with_value(self, text: str, leaf: Leaf, value: Any) -> str:
        return text


@pytest.mark.parametrize("language", [Forgetful(), Endless()])
def test_a_mistake_of_ours_is_caught(language: Json) -> None:
    """A text that would come to mean something else is not made."""
    with pytest.raises(Unreadable, match="by hand"):
        merge('{"a": 1, "l": [3]}', {"l": [5], "b": 2}, language)
