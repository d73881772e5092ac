"""YAML with places, and added to without touching the rest.

PyYAML's events say where each part begins; its ends of block collections lie behind blank lines and comments, so an end is
taken from the last scalar inside. No library that writes YAML anew keeps indentation and quotes as they were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from daemon.connecting.merging import Entry, Items, Leaf, Node, Table, Unreadable, indent_of, line_of, splice
from daemon.recipes.yaml_reader import resolve

_DEEPEST: Final = 100
_REST_OF_LINE: Final = re.compile(r"[ \t]*(?:#[^\r\n]*)?")
_PLAIN: Final = re.compile(r"[A-Za-z_/][\w./-]*(?::[\w./-]+)*")
_OLD_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off"})
"""Which YAML 1.1 takes for truth values."""


class Yaml:
    """The language."""

    def read(self, text: str) -> Node | None:
        """Raises Unreadable."""
        try:
            return _Reader(text).root()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise Unreadable(mark.line + 1 if mark else 1, str(error.problem or error.context)) from error
        except yaml.reader.ReaderError as error:
            raise Unreadable(line_of(text, error.position), "a character that YAML does not allow") from error

    def whole(self, text: str, value: Any) -> str:
        """A first value, behind comments if there are any."""
        between = "" if text.endswith("\n") or not text else "\n"
        return splice(text, len(text), len(text), between + "\n".join(_lines(value)) + "\n")

    def with_entry(self, text: str, table: Table, key: str, value: Any) -> str:
        """One more key."""
        if table.flow:
            return _in_brackets(
                text, table, [entry.node for entry in table.entries], f"{json.dumps(key)}: {_flow(value)}"
            )
        column = _column(text, table.entries[0].at)
        return _below(text, table, column, _lines({key: value}))

    def with_item(self, text: str, items: Items, value: Any) -> str:
        """One more item."""
        if items.flow:
            return _in_brackets(text, items, list(items.items), _flow(value))
        return _below(text, items, _column(text, items.start), _lines([value]))

    def with_value(self, text: str, leaf: Leaf, value: Any) -> str:
        """Another value."""
        if leaf.start != leaf.end:
            return splice(text, leaf.start, leaf.end, _flow(value))
        if not isinstance(value, dict | list):
            return splice(text, leaf.start, leaf.end, f" {_scalar(value)}")
        indent = indent_of(text, leaf.start) + "  "
        end = _line_end(text, leaf.end)
        return splice(text, end, end, "".join(f"\n{indent}{line}" for line in _lines(value)))


def _below(text: str, node: Node, column: int, lines: list[str]) -> str:
    """Lines behind the last one of a block."""
    end = _content_end(text, node)
    said = [" " * column + line for line in lines]
    if end and text[end - 1] == "\n":  # behind a block scalar, whose end is the next line's begin
        return splice(text, end, end, "".join(f"{line}\n" for line in said))
    end = _line_end(text, end)
    return splice(text, end, end, "".join(f"\n{line}" for line in said))


def _in_brackets(text: str, node: Table | Items, nodes: list[Node], said: str) -> str:
    last = nodes[-1].end if nodes else node.start + 1  # a comma behind the last one then stands behind ours
    return splice(text, last, last, f", {said}" if nodes else said)


def _content_end(text: str, node: Node) -> int:
    match node:
        case Table(flow=False, entries=entries) if entries:
            return _content_end(text, entries[-1].node)
        case Items(flow=False, items=items) if items:
            return _content_end(text, items[-1])
        case _:
            return node.end


def _line_end(text: str, at: int) -> int:
    found = _REST_OF_LINE.match(text, at)
    assert found
    return found.end()


def _column(text: str, at: int) -> int:
    return at - (text.rfind("\n", 0, at) + 1)


def _lines(value: Any) -> list[str]:
    """A value as a block."""
    if isinstance(value, dict) and value:
        return [line for key, inner in value.items() for line in _under(f"{_scalar(key)}:", inner)]
    if isinstance(value, list) and value:
        return [line for inner in value for line in _item(inner)]
    return [_flow(value)]


def _under(head: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        yield head
        yield from (f"  {line}" for line in _lines(value))
    else:
        yield f"{head} {_flow(value)}"


def _item(value: Any) -> Iterator[str]:
    first, *rest = _lines(value)
    yield f"- {first}"
    yield from (f"  {line}" for line in rest)


def _flow(value: Any) -> str:
    """A value on one line; JSON is YAML."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else _scalar(value)


def _scalar(value: Any) -> str:
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and resolve(value) == value
    return str(value) if plain and value.lower() not in _OLD_WORDS else json.dumps(value, ensure_ascii=False)


class _Reader:
    """Nodes of events."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._events = iter(yaml.parse(text, Loader=yaml.SafeLoader))

    def root(self) -> Node | None:
        node: Node | None = None
        documents = 0
        for event in self._events:
            match event:
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise Unreadable(_line(event), "a second document begins here")
                case yaml.StreamStartEvent() | yaml.StreamEndEvent() | yaml.DocumentEndEvent():
                    pass
                case _:
                    node = self._node(event, 0)
        return None if isinstance(node, Leaf) and node.start == node.end else node

    def _next(self) -> yaml.Event:
        return next(self._events)

    def _node(self, event: yaml.Event, depth: int) -> Node:
        if depth > _DEEPEST:
            raise Unreadable(_line(event), "it nests too deep")
        start, end = _span(event)
        match event:
            case yaml.ScalarEvent(value=value, implicit=(plain, _), tag=tag):
                meant = resolve(value) if plain else value
                return Leaf(start, end, meant, fixed=tag is not None or event.anchor is not None)
            case yaml.AliasEvent(anchor=anchor):
                return Leaf(start, end, ("alias", anchor), fixed=True)
            case yaml.SequenceStartEvent(flow_style=flow):
                return self._items(start, bool(flow), depth)
            case yaml.MappingStartEvent(flow_style=flow):
                return self._table(start, bool(flow), depth)
            case _:
                raise Unreadable(_line(event), "it can't be read")

    def _items(self, start: int, flow: bool, depth: int) -> Items:
        items: list[Node] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return Items(start, _span(event)[1], tuple(items), flow)

    def _table(self, start: int, flow: bool, depth: int) -> Table:
        entries: list[Entry] = []
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise Unreadable(_line(event), "a key that is no plain word")
            at = _span(event)[0]
            entries.append(Entry(event.value, at, self._node(self._next(), depth + 1)))
        return Table(start, _span(event)[1], tuple(entries), flow)


def _span(event: yaml.Event) -> tuple[int, int]:
    """Where it begins and ends, in characters."""
    assert event.start_mark is not None
    assert event.end_mark is not None
    return event.start_mark.index, event.end_mark.index


def _line(event: yaml.Event) -> int:
    assert event.start_mark is not None
    return event.start_mark.line + 1
