"""GBNF, a notation for grammars: names, literals and classes of characters, and the rules of JSON's own parts.

llama.cpp reads it, and xgrammar, which OpenVINO GenAI holds answers with. Written is only what both take alike.
"""

from __future__ import annotations

import json
from typing import Any, Final

from edge_models.engines.base import BadSchema

Range = tuple[int, int]
"""Code points, both ends included."""

_PRINTABLE: Final = range(0x20, 0x7F)
_DIGITS: Final = "[0-9]"

SPACE: Final = "space"
COLON: Final = '":" " "?'
STRING: Final = "string"
ANY: Final = "any"
BASE: Final[dict[str, str]] = {
    # as much white space as printed JSON has, so that a weak model can't fill its length with it
    SPACE: r'( " " | "\n" ( " "{0,20} | "\t"{0,6} ) )?',
    "hex": "[0-9a-fA-F]",
    # one code point, as JSON writes it; lone surrogates are left out, since readers refuse them
    "char": r'[^"\\\u0000-\u001F\u007F] | "\\" ( ["\\/bfnrt] | "u" ( [0-9a-cA-CefEF] hex hex hex | [dD] [0-7] hex hex ) )',
    STRING: r'"\"" char* "\""',
    "natural": '"0" | [1-9] [0-9]{0,15}',  # a double tells whole numbers apart up to 2^53, which has 16 digits
    "integer": '"-"? natural',
    "number": '"-"? natural ( "." [0-9]{1,16} )? ( [eE] [-+]? [0-9]{1,2} )?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "member": f"{STRING} {COLON} {ANY}",
    "object": f'"{{" {SPACE} ( member {SPACE} ( "," {SPACE} member {SPACE} )* )? "}}"',
    "array": f'"[" {SPACE} ( {ANY} {SPACE} ( "," {SPACE} {ANY} {SPACE} )* )? "]"',
    ANY: "object | array | string | number | boolean | null",
}


class Rules:
    """The rules of one grammar, by name. What is the same has one name."""

    def __init__(self) -> None:
        self._bodies: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def add(self, body: str) -> str:
        """Returns the name of a rule with this body."""
        if body not in self._names:
            self.define(self.reserve(), body)
        return self._names[body]

    def reserve(self) -> str:
        """A name for a rule that is defined later, so that it can refer to itself."""
        name = f"r{len(self._bodies)}"
        self._bodies[name] = ""
        return name

    def define(self, name: str, body: str) -> None:
        """Give a reserved name its body."""
        self._bodies[name] = body
        self._names.setdefault(body, name)

    def text(self, root: str) -> str:
        """The whole grammar."""
        rules = {"root": root} | BASE | self._bodies
        return "\n".join(f"{name} ::= {body}" for name, body in rules.items())


def literal(text: str) -> str:
    """Exactly this text."""
    return '"' + "".join(map(_in_quotes, text)) + '"'


def value(given: Any) -> str:
    """Exactly this JSON value."""
    return literal(json.dumps(given, ensure_ascii=False))


def choice(options: list[str]) -> str:
    """Any of these, as one symbol."""
    return options[0] if len(options) == 1 else f"( {' | '.join(options)} )"


def times(symbol: str, low: int, high: int | None) -> str:
    """A symbol so many times; high None: without an end. Raises BadSchema if it is never."""
    if high is not None and high < low:
        raise BadSchema("a schema's lengths or numbers of items allow no answer")
    if high == 0:
        return ""
    if (low, high) == (1, 1):
        return symbol
    return f"{symbol}{{{low},{'' if high is None else high}}}" if low or high is not None else f"{symbol}*"


def digits(low: int, high: int) -> str:
    """So many digits."""
    return times(_DIGITS, low, high)


def ranges(of: list[Range]) -> str:
    """A class of the characters in any of these ranges."""
    return "[" + "".join(_code(low) if low == high else f"{_code(low)}-{_code(high)}" for low, high in of) + "]"


def _in_quotes(char: str) -> str:
    return char if char not in '"\\' and ord(char) in _PRINTABLE else _code(ord(char))


def _code(point: int) -> str:
    return f"\\u{point:04X}" if point < 0x10000 else f"\\U{point:08X}"  # xgrammar reads on after two digits of \\x
