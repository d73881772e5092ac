"""Bringing what is wanted into a text that somebody else wrote: one small splice after the other, nothing else is touched.

A language reads its text as nodes with places. The walk looks for the first thing that is wanted and not there, has the
language write it, and reads anew, until nothing is missing. In the end the text has to mean exactly what was there before
with what was wanted brought in; a text for which that is not so is refused, and so a mistake of ours can't reach a file.
"""

from __future__ import annotations

import re
from typing import Any, Final, Protocol

from msgspec import Struct

_IDENTITY: Final = ("id", "model_id", "name")
"""By which of these keys an entry of a list is known again."""
_ROUNDS: Final = 100


class Unreadable(Exception):
    """A text that can't be changed safely. line: from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")


class Leaf(Struct, frozen=True):
    """A value without parts. fixed: an alias or the like, which is kept and never replaced."""

    start: int
    end: int
    value: Any
    fixed: bool = False


class Entry(Struct, frozen=True):
    """One key of a table. at: where the key begins."""

    key: str
    at: int
    node: Node


class Table(Struct, frozen=True):
    """Keys with values. flow: written in brackets."""

    start: int
    end: int
    entries: tuple[Entry, ...]
    flow: bool = True


class Items(Struct, frozen=True):
    """A list. flow: written in brackets."""

    start: int
    end: int
    items: tuple[Node, ...]
    flow: bool = True


Node = Leaf | Table | Items


class Language(Protocol):
    """How a format is read and written. All places are in characters. `read` raises Unreadable; None: nothing is said."""

    def read(self, text: str) -> Node | None: ...

    def whole(self, text: str, value: Any) -> str: ...

    def with_entry(self, text: str, table: Table, key: str, value: Any) -> str: ...

    def with_item(self, text: str, items: Items, value: Any) -> str: ...

    def with_value(self, text: str, leaf: Leaf, value: Any) -> str: ...


def merge(text: str, wanted: Any, language: Language) -> str:
    """The text with what is wanted in it. Raises Unreadable."""
    root = language.read(text)
    expected = wanted if root is None else brought_in(plain(root), wanted)
    for _ in range(_ROUNDS):
        before, text = text, _closer(text, language.read(text), wanted, language)
        if text == before:
            break
    root = language.read(text)
    if root is None or plain(root) != expected:
        raise Unreadable(1, "it is written in a way that this command can't add to safely: do it by hand")
    return text


def plain(node: Node) -> Any:
    """What a node means. Of a key that is there twice, the last one counts, as for most readers."""
    match node:
        case Table(entries=entries):
            return {entry.key: plain(entry.node) for entry in entries}
        case Items(items=items):
            return [plain(item) for item in items]
        case Leaf(value=value):
            return value


def brought_in(before: Any, wanted: Any) -> Any:
    """The same on plain values: what has to come out."""
    match before, wanted:
        case dict(), dict():
            more = {key: brought_in(before[key], value) if key in before else value for key, value in wanted.items()}
            return {**before, **more}
        case list(), list():
            after = list(before)
            for value in wanted:
                at = _same(after, value)
                if at is None:
                    after.append(value)
                else:
                    after[at] = brought_in(after[at], value)
            return after
        case _:
            return wanted


def splice(text: str, start: int, end: int, said: str) -> str:
    """Put words into a text in its own line ends."""
    return text[:start] + said.replace("\n", line_end(text)) + text[end:]


def line_end(text: str) -> str:
    """What most of the text's lines end with."""
    windows = text.count("\r\n")
    return "\r\n" if windows > text.count("\n") - windows else "\n"


def line_of(text: str, at: int) -> int:
    """The number of the line, from 1."""
    return text.count("\n", 0, at) + 1


def indent_of(text: str, at: int) -> str:
    """The blanks that the line of a place begins with."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, begin)
    assert found
    return found[0]


def _closer(text: str, node: Node | None, wanted: Any, language: Language) -> str:
    """The text after one more splice, or as it was if nothing is missing."""
    match node, wanted:
        case None, _:
            return language.whole(text, wanted)
        case Table(), dict():
            there = {entry.key: entry.node for entry in node.entries}
            for key, value in wanted.items():
                if key not in there:
                    return language.with_entry(text, node, key, value)
                if (after := _closer(text, there[key], value, language)) != text:
                    return after
            return text
        case Items(), list():
            for value in wanted:
                at = _same([plain(item) for item in node.items], value)
                if at is None:
                    return language.with_item(text, node, value)
                if (after := _closer(text, node.items[at], value, language)) != text:
                    return after
            return text
        case Leaf(), _ if not node.fixed and (node.value is None or not isinstance(wanted, dict | list)):
            same = node.value == wanted and type(node.value) is type(wanted)
            return text if same else language.with_value(text, node, wanted)
        case _:
            kind = "a table" if isinstance(wanted, dict) else "a list" if isinstance(wanted, list) else "a plain value"
            raise Unreadable(
                line_of(text, node.start) if node else 1, f"{kind} has to be here, and there is something else"
            )


def _same(items: list[Any], wanted: Any) -> int | None:
    """Where in a list the entry is that is meant."""
    key = next((key for key in _IDENTITY if key in wanted), None) if isinstance(wanted, dict) else None
    for at, item in enumerate(items):
        if key is not None and isinstance(item, dict) and key in item:
            if item[key] == wanted[key]:
                return at
        elif item == wanted and type(item) is type(wanted):
            return at
    return None
