"""Whether a JSON schema is one, and of a size and with keywords that an answer can be held to.

An answer is promised to fit, so what could not be enforced is refused. What the rest means is `schema_grammar`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from edge_models.engines.base import BadSchema

MAX_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 32
MAX_COUNTED: Final = 2_000
"""The sum of all lengths and numbers of items, each of which becomes a part of the grammar: 5,000 took 6 s to read."""
_MAX_INTEGER: Final = 2**53
_TYPES: Final = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_SCHEMAS: Final = frozenset({"items", "additionalProperties", "unevaluatedProperties"})
_LISTS: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_MAPS: Final = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_COUNTS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})
_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_RANGES: Final = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minimum", "maximum"))
_NOT_ENFORCED: Final = frozenset(
    {"not", "if", "then", "else", "contains", "uniqueItems", "multipleOf", "propertyNames", "dependentSchemas"}
    | {"dependentRequired", "dependencies", "unevaluatedItems", "minContains", "maxContains", "$dynamicRef"}
)
_NOT_IN_PATTERNS: Final = re.compile(r"\(\?|\\[bBAZzpPkgG0-9]|[*+?}]\+")
"""Look-around, groups with flags, boundaries, properties, references and possessive repetitions."""


def check(text: str) -> None:
    """Raises BadSchema, with the keyword at fault and none of the client's words."""
    if len(text) > MAX_BYTES:
        raise BadSchema(f"the schema is longer than {MAX_BYTES >> 10} kB: send a shorter one")
    try:
        root = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadSchema("the schema is not valid JSON") from error
    _Walk(root).schema(root, 0)


class _Walk:
    """Goes through one schema."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._counted = 0

    def schema(self, schema: Any, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise BadSchema(f"the schema nests deeper than {MAX_DEPTH} levels")
        if schema is True:
            return
        if not isinstance(schema, dict):
            raise BadSchema("a schema has to be an object: what is false or a list allows no answer")
        for keyword, value in schema.items():
            self._keyword(keyword, value, depth)
        for low, high in _RANGES:
            if low in schema and high in schema and schema[low] > schema[high]:
                raise BadSchema(f"{low} is greater than {high}")

    def _keyword(self, keyword: str, value: Any, depth: int) -> None:
        if keyword in _NOT_ENFORCED:
            raise BadSchema(f"an answer can't be held to `{keyword}`: leave it out")
        if keyword in _MAPS:
            for each in _expect(keyword, value, dict).values():
                self.schema(each, depth + 1)
        elif keyword in _LISTS:
            self._list(keyword, value, depth)
        elif keyword in _SCHEMAS:
            if value is not False:
                self.schema(value, depth + 1)
        elif keyword in _COUNTS:
            self._count(keyword, value)
        elif keyword in _BOUNDS:
            if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _MAX_INTEGER:
                raise BadSchema(f"`{keyword}` has to be a number of at most 2 to the 53rd")
        elif check := _CHECKS.get(keyword):
            check(keyword, value)
        elif keyword == "$ref":
            self._reference(value)

    def _list(self, keyword: str, value: Any, depth: int) -> None:
        if not _expect(keyword, value, list):
            raise BadSchema(f"`{keyword}` is empty: it allows no answer")
        if keyword == "allOf" and len(value) > 1:
            raise BadSchema("an answer can't be held to `allOf` with more than one schema: write them as one")
        for each in value:
            self.schema(each, depth + 1)

    def _count(self, keyword: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadSchema(f"`{keyword}` has to be a whole number of 0 or more")
        self._counted += value
        if self._counted > MAX_COUNTED:
            raise BadSchema(f"the schema's lengths and numbers of items are more than {MAX_COUNTED} together")

    def _reference(self, value: Any) -> None:
        target: Any = self._root
        if not isinstance(value, str) or (value != "#" and not value.startswith("#/")):
            raise BadSchema("`$ref` has to lead to a place in the schema itself, as `#/$defs/NAME` does")
        for key in value.split("/")[1:]:
            target = target.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        if not isinstance(target, dict):
            raise BadSchema("a `$ref` leads to nothing in the schema")


def _expect(keyword: str, value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise BadSchema(f"`{keyword}` has to be {'an object' if kind is dict else 'a list'}")
    return value


def _type(keyword: str, value: Any) -> None:
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) and name in _TYPES for name in names):
        raise BadSchema(f"`type` has to be one of {', '.join(sorted(_TYPES))}, or a list of them")


def _enum(keyword: str, value: Any) -> None:
    if not _expect(keyword, value, list):
        raise BadSchema("`enum` is empty: it allows no answer")


def _required(keyword: str, value: Any) -> None:
    if not all(isinstance(name, str) for name in _expect(keyword, value, list)):
        raise BadSchema("`required` has to be a list of names")


def _pattern(keyword: str, value: Any) -> None:
    if not isinstance(value, str) or _NOT_IN_PATTERNS.search(value) or not _compiles(value):
        raise BadSchema("an answer can't be held to this `pattern`: use classes, groups, choices and repetitions alone")
    if any(int(number) > MAX_COUNTED for number in re.findall(r"[{,](\d+)", value)):
        raise BadSchema("a repetition in a `pattern` is too long")


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


_CHECKS: Final[dict[str, Callable[[str, Any], None]]] = {
    "type": _type,
    "enum": _enum,
    "required": _required,
    "pattern": _pattern,
}
