"""JSON as editors have it, with comments and trailing commas: read with places, and added to without touching the rest.

The two libraries that keep comments were looked at: json-five is of 2024, splits the work over a parser generator, and
leaves indentation to its caller; jsonc-edit has no author to be found. What is needed is this one page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from daemon.connecting.merging import Entry, Items, Leaf, Node, Table, Unreadable, indent_of, line_of, splice

_DEEPEST: Final = 100
_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE: Final = re.compile(r"(?:[ \t]+|/\*.*?\*/)*(?://[^\r\n]*)?", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.])")
_WORD: Final = re.compile(r"(?:true|false|null)(?!\w)")
_INDENTED: Final = re.compile(r'^([ \t]+)["{\[]', re.MULTILINE)


class Json:
    """The language."""

    def read(self, text: str) -> Node | None:
        """Raises Unreadable."""
        at = _skip(text, 0)
        if at == len(text):
            return None
        node = _value(text, at, 0)
        if (end := _skip(text, node.end)) != len(text):
            raise Unreadable(line_of(text, end), "there is something behind the end")
        return node

    def whole(self, text: str, value: Any) -> str:
        """A first value, behind comments if there are any."""
        between = "" if text.endswith("\n") or not text else "\n"
        return splice(text, len(text), len(text), between + _written(value, _unit(text), "") + "\n")

    def with_entry(self, text: str, table: Table, key: str, value: Any) -> str:
        """One more key."""
        name = json.dumps(key, ensure_ascii=False)
        at = [entry.at for entry in table.entries]
        return _added(text, table, at, [entry.node for entry in table.entries], value, lambda said: f"{name}: {said}")

    def with_item(self, text: str, items: Items, value: Any) -> str:
        """One more item."""
        return _added(text, items, [item.start for item in items.items], list(items.items), value, str)

    def with_value(self, text: str, leaf: Leaf, value: Any) -> str:
        """Another value."""
        return splice(text, leaf.start, leaf.end, _written(value, _unit(text), indent_of(text, leaf.start)))


def _added(
    text: str, node: Table | Items, starts: list[int], nodes: list[Node], value: Any, dress: Callable[[str], str]
) -> str:
    unit, outer = _unit(text), indent_of(text, node.start)
    if not nodes:
        inside = text[node.start + 1 : node.end - 1]
        kept = node.start + 1 + len(inside.rstrip())
        said = f"\n{outer}{unit}{dress(_written(value, unit, outer + unit))}\n{outer}"
        return splice(text, kept, node.end - 1, said)
    last = nodes[-1].end
    comma = _skip(text, last)
    tail = comma + 1 if text[comma] == "," else None
    if "\n" not in text[node.start : starts[0]]:
        said = dress(json.dumps(value, ensure_ascii=False))
        return splice(text, last, last, f", {said}") if tail is None else splice(text, tail, tail, f" {said},")
    inner = indent_of(text, starts[-1])
    said = dress(_written(value, unit, inner))
    rest = _REST_OF_LINE.match(text, tail or last)
    assert rest
    end = rest.end()
    closing = f"\n{outer}" if text[end : end + 1] not in ("\r", "\n") else ""
    if tail is not None:
        return splice(text, end, end, f"\n{inner}{said},{closing}")
    return splice(text[:last] + "," + text[last:], end + 1, end + 1, f"\n{inner}{said}{closing}")


def _written(value: Any, unit: str, indent: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"\n{indent}")


def _unit(text: str) -> str:
    """By what the text indents."""
    found = _INDENTED.search(text)
    return found[1] if found else "  "


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found
    if text.startswith("/*", found.end()):
        raise Unreadable(line_of(text, found.end()), "a comment has no end")
    return found.end()


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise Unreadable(line_of(text, at), "it nests too deep")
    match text[at : at + 1]:
        case "{":
            return _table(text, at, depth)
        case "[":
            return _items(text, at, depth)
        case _:
            found = _STRING.match(text, at) or _NUMBER.match(text, at) or _WORD.match(text, at)
            if found is None:
                what = text[at : at + 1]
                raise Unreadable(line_of(text, at), "a value is missing" if what else "it ends too early")
            try:
                return Leaf(at, found.end(), json.loads(found[0]))
            except ValueError as error:
                raise Unreadable(line_of(text, at), "a number is too long") from error


def _table(text: str, start: int, depth: int) -> Table:
    entries: list[Entry] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        found = _STRING.match(text, at)
        if found is None:
            raise Unreadable(line_of(text, at), "a key in double quotes, or the table's end, is missing")
        colon = _skip(text, found.end())
        if text[colon : colon + 1] != ":":
            raise Unreadable(line_of(text, colon), "a colon is missing behind a key")
        node = _value(text, _skip(text, colon + 1), depth + 1)
        entries.append(Entry(json.loads(found[0]), at, node))
        at = _behind(text, node.end, "}")
    return Table(start, at + 1, tuple(entries))


def _items(text: str, start: int, depth: int) -> Items:
    items: list[Node] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        items.append(_value(text, at, depth + 1))
        at = _behind(text, items[-1].end, "]")
    return Items(start, at + 1, tuple(items))


def _behind(text: str, end: int, closing: str) -> int:
    """Where the next part begins, or the closing bracket is."""
    at = _skip(text, end)
    match text[at : at + 1]:
        case ",":
            return _skip(text, at + 1)
        case mark if mark == closing:
            return at
        case _:
            raise Unreadable(line_of(text, at), f"a comma or {closing} is missing")
