"""Regular expressions as grammars over the characters of a JSON string.

A schema's `pattern` is found anywhere in a string unless anchors hold it. Digits, word characters and blanks are ASCII's,
as in the JavaScript that JSON Schema refers to. Characters that JSON has to escape are written escaped.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, Final

from edge_models.engines.base import BadSchema
from edge_models.grammars.grammar_text import Range, Rules, choice, literal, ranges, times

_parser: Final[Any] = import_module("re._parser")  # Python's own reading; 3.11 to 3.13 agree, and the tests run on each
_LAST: Final = 0x10FFFF
_SURROGATES: Final = (0xD800, 0xDFFF)
_CLASSES: Final[dict[str, list[Range]]] = {
    "DIGIT": [(0x30, 0x39)],
    "SPACE": [(0x09, 0x0D), (0x20, 0x20)],
    "WORD": [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)],
}
_ESCAPED: Final = {0x22: '\\"', 0x5C: "\\\\", 0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r"}
_NOT_PLAIN: Final[list[Range]] = [(0x00, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x7F, 0x7F), _SURROGATES]
_ANYTHING: Final = "char*"


def string(pattern: str, rules: Rules) -> str:
    """A JSON string in which `pattern` is found. Raises BadSchema for what has no form here."""
    return f'"\\"" {_Pattern(rules).alternatives(_parser.parse(pattern))} "\\""'


class _Pattern:
    """Goes through what Python's parser makes of one expression."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def alternatives(self, parsed: Any) -> str:
        """The outermost level, where anchors may stand. A single group around everything counts as that too."""
        nodes = list(parsed)
        if len(nodes) == 1 and _name(nodes[0]) == "BRANCH":
            return choice([self._anchored(list(branch)) for branch in nodes[0][1][1]])
        return self._anchored(nodes)

    def _anchored(self, nodes: list[Any]) -> str:
        begins = bool(nodes) and _is_anchor(nodes[0], "AT_BEGINNING")
        ends = len(nodes) > begins and _is_anchor(nodes[-1], "AT_END")
        inner = self._sequence(nodes[begins : len(nodes) - ends])
        return self._rules.add(
            " ".join(filter(None, ("" if begins else _ANYTHING, inner, "" if ends else _ANYTHING))) or '""'
        )

    def _sequence(self, nodes: list[Any]) -> str:
        return " ".join(filter(None, map(self._node, nodes)))

    def _node(self, node: Any) -> str:
        value = node[1]
        match _name(node):
            case "LITERAL":
                return _characters([(value, value)])
            case "NOT_LITERAL":
                return _characters(_without([(0, _LAST)], [(value, value)]))
            case "ANY":
                return _characters(_without([(0, _LAST)], [(0x0A, 0x0A), (0x0D, 0x0D)]))
            case "IN":
                return _characters(_members(value))
            case "BRANCH":
                return choice([self._group(branch) for branch in value[1]])
            case "SUBPATTERN":
                return self._group(value[3])
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, inner = value
                return times(self._group(inner), low, None if high == _parser.MAXREPEAT else high)
            case _:
                raise BadSchema(
                    "an answer can't be held to this `pattern`: use classes, groups, choices and repetitions, and anchors at"
                    " its ends alone"
                )

    def _group(self, nodes: Any) -> str:
        return self._rules.add(self._sequence(list(nodes)) or '""')


def _name(node: Any) -> str:
    return str(node[0])


def _is_anchor(node: Any, which: str) -> bool:
    return _name(node) == "AT" and str(node[1]) == which


def _members(nodes: list[Any]) -> list[Range]:
    """What a class holds."""
    found: list[Range] = []
    negated = False
    for node in nodes:
        match _name(node):
            case "NEGATE":
                negated = True
            case "LITERAL":
                found.append((node[1], node[1]))
            case "RANGE":
                found.append(node[1])
            case _:
                kind = str(node[1]).removeprefix("CATEGORY_")
                of = _CLASSES[kind.removeprefix("NOT_")]
                found += _without([(0, _LAST)], of) if kind.startswith("NOT_") else of
    return _without([(0, _LAST)], found) if negated else found


def _characters(of: list[Range]) -> str:
    """One character, as a JSON string writes it. Control characters without a short escape are left out."""
    plain = _without(of, _NOT_PLAIN)
    options = [ranges(plain)] if plain else []
    options += [
        literal(written) for point, written in _ESCAPED.items() if any(low <= point <= high for low, high in of)
    ]
    if not options:
        raise BadSchema("a `pattern` asks for characters that an answer can't hold")
    return choice(options)


def _without(of: list[Range], taken: list[Range]) -> list[Range]:
    """Ranges less others."""
    for low, high in taken:
        of = [
            part
            for first, last in of
            for part in ((first, min(last, low - 1)), (max(first, high + 1), last))
            if part[0] <= part[1]
        ]
    return sorted(set(of))


def found_in(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text."""
    return re.search(pattern, text, re.ASCII) is not None
