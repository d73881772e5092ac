"""A JSON schema as a grammar that allows only answers which fit it.

What is allowed may be less than the schema says, and never more: members come in the order in which they are declared,
an object with declared members has no others, and `oneOf` is read as `anyOf`. What could not be kept is refused.

Both engines are given this grammar and not the schema. What their libraries make of a schema was tried and put aside:
- llama-cpp-python lets go of ranges, of required names that have no schema, of everything beside `anyOf`, breaks on quotes
  in an `enum`, and takes `{}` for an object.
- OpenVINO GenAI's xgrammar writes names and patterns as they are, so that a quote in one throws in the middle of a step and
  takes all other answers along; it takes the dot of 0.5 for any character and 1.2 for a number up to 1, and lets go of what
  stands beside `anyOf`, `enum` and `const`.

`edge_models.grammars.schema_check.check` has looked at the schema before, so its shape can be relied on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from edge_models.engines.base import BadSchema
from edge_models.grammars import number_grammar
from edge_models.grammars.grammar_text import ANY, COLON, SPACE, STRING, Rules, choice, times, value
from edge_models.grammars.pattern_grammar import found_in, string
from edge_models.grammars.schema_merge import merged

_MAX_RULES: Final = 20_000
"""A schema whose parts refer to each other can be small and mean a grammar without end."""
_MAX_DEPTH: Final = 64
_FORMATS: Final[dict[str, str]] = {
    "date": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$",  # a day that each month has
    "time": r"^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$",
    "date-time": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?"
    r"(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$",
    "uuid": r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
}
_OF_TYPE: Final[dict[str, frozenset[str]]] = {
    "object": frozenset(
        {"properties", "required", "additionalProperties", "patternProperties", "unevaluatedProperties"}
        | {"minProperties", "maxProperties"}
    ),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"pattern", "format", "minLength", "maxLength"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
}
_COMBINED: Final = ("$ref", "allOf", "anyOf", "oneOf")
_MATTERS: Final = frozenset({"type", "enum", "const", *_COMBINED}).union(*_OF_TYPE.values())
"""Keywords that change what fits; `title`, `description`, `default` and the like don't."""
_PYTHON: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def grammar(schema: str) -> str:
    """GBNF with the rule `root`. Raises BadSchema for what an answer can't be held to."""
    root = msgspec.json.decode(schema)
    rules = Rules()
    return rules.text(_Grammar(root, rules).symbol(root, 0))


class _Grammar:
    """Goes through one schema."""

    def __init__(self, root: Any, rules: Rules) -> None:
        self._root = root
        self._rules = rules
        self._referred: dict[str, str] = {}
        self._leading: set[str] = set()  # references in which nothing has been read yet
        self._made = 0

    def symbol(self, schema: Any, depth: int) -> str:
        """The name of a rule for what fits a schema."""
        self._made += 1
        if depth > _MAX_DEPTH or self._made > _MAX_RULES:
            raise BadSchema("the schema's parts refer to each other too often: write it with fewer `$ref`")
        if schema is True:
            return ANY
        given = {key: schema[key] for key in schema if key in _MATTERS}
        if set(given) == {"$ref"}:
            return self._reference(given["$ref"], depth)
        return self._rules.add(self._body(given, depth))

    def _reference(self, path: str, depth: int) -> str:
        if path in self._leading:
            raise BadSchema("a `$ref` leads back to itself: no answer would ever end it")
        if path not in self._referred:
            name = self._referred[path] = self._rules.reserve()
            self._leading.add(path)
            self._rules.define(name, self.symbol(self._target(path), depth + 1))
            self._leading.discard(path)
        return self._referred[path]

    def _target(self, path: str) -> Any:
        target = self._root
        for key in path.split("/")[1:]:
            target = target[key.replace("~1", "/").replace("~0", "~")]
        return target

    def _body(self, schema: dict[str, Any], depth: int) -> str:
        if not schema:
            return ANY
        for keyword in _COMBINED:
            if keyword in schema:
                rest = {key: each for key, each in schema.items() if key != keyword}
                parts = [self._target(schema[keyword])] if keyword == "$ref" else schema[keyword]
                return choice([self.symbol(merged(rest, part, _MATTERS), depth + 1) for part in parts])
        if "enum" in schema or "const" in schema:
            return _values(schema)
        kinds = schema.get("type") or [_implied(schema)]
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return choice([self._rules.add(self._of_kind(kind, schema, depth)) for kind in kinds])

    def _of_kind(self, kind: str, schema: dict[str, Any], depth: int) -> str:
        outside, self._leading = self._leading, set()  # a bracket, a quote or a digit is read before what is inside
        try:
            return _KINDS[kind](self, schema, depth)
        finally:
            self._leading = outside

    def _object(self, schema: dict[str, Any], depth: int) -> str:
        members, required = schema.get("properties", {}), schema.get("required", [])
        extra = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
        if not members and not required:
            return self._map(schema, extra, depth)
        missing = [name for name in required if name not in members]
        if missing and extra is False:
            raise BadSchema("`required` names what `additionalProperties` forbids")
        members = members | dict.fromkeys(missing, extra)
        for pattern in schema.get("patternProperties", {}):
            if any(found_in(pattern, name) for name in members):
                raise BadSchema("an answer can't be held to `patternProperties` that match declared properties too")
        if schema.get("minProperties", 0) > len(set(required)) or schema.get("maxProperties", len(members)) < len(
            members
        ):
            raise BadSchema("an answer can't be held to `minProperties` or `maxProperties` beside declared properties")
        pairs = [
            (
                self._rules.add(f"{value(name)} {COLON} {self.symbol(each, depth + 1)} {SPACE}"),
                name in required,
            )
            for name, each in members.items()
        ]
        return f'"{{" {SPACE} {self._members(pairs)} "}}"'

    def _members(self, pairs: list[tuple[str, bool]]) -> str:
        """Members in their order, of which some have to be there. Built from the last one, as first one or as a later."""
        first = later = ""
        for pair, needed in reversed(pairs):
            next_one = self._rules.add(f'"," {SPACE} {pair} {later}')
            alone = f"{pair} {later}"
            first = alone if needed else choice([alone, first or '""'])
            later = next_one if needed else self._rules.add(choice([next_one, later or '""']))
            first = self._rules.add(first)
        return first

    def _map(self, schema: dict[str, Any], extra: Any, depth: int) -> str:
        """An object without declared members."""
        if schema.get("minProperties", 0) > 1:
            raise BadSchema("an answer can't be held to `minProperties` above 1: names could come twice")
        patterns = schema.get("patternProperties", {})
        if len(patterns) > 1:
            raise BadSchema("an answer can't be held to several `patternProperties`")
        key = STRING
        for pattern, each in patterns.items():
            key, extra = string(pattern, self._rules), each
        low, high = schema.get("minProperties", 0), schema.get("maxProperties")
        if extra is False:
            high = 0
        pair = "" if high == 0 else f"{key} {COLON} {self.symbol(extra, depth + 1)} {SPACE}"
        return f'"{{" {SPACE} {self._several(pair, low, high)} "}}"'

    def _array(self, schema: dict[str, Any], depth: int) -> str:
        fixed = [f"{self.symbol(each, depth + 1)} {SPACE}" for each in schema.get("prefixItems", [])]
        items, low, high = schema.get("items", True), schema.get("minItems", 0), schema.get("maxItems")
        if items is False:
            high = len(fixed) if high is None else min(high, len(fixed))
        if high is not None and low > high:
            raise BadSchema("`minItems` asks for more than `items` allows")
        fixed = fixed if high is None else fixed[:high]
        low, high = max(0, low - len(fixed)), None if high is None else high - len(fixed)
        item = "" if high == 0 else f"{self.symbol(items, depth + 1)} {SPACE}"
        if not fixed:
            return f'"[" {SPACE} {self._several(item, low, high)} "]"'
        more = times(self._rules.add(f'"," {SPACE} {item}'), low, high) if item else ""
        comma = f' "," {SPACE} '
        return f'"[" {SPACE} {comma.join(fixed)} {more} "]"'

    def _several(self, item: str, low: int, high: int | None) -> str:
        """So many of one thing, with commas between them."""
        if high == 0:
            return ""
        more = times(self._rules.add(f'"," {SPACE} {item}'), max(0, low - 1), None if high is None else high - 1)
        return f"{item} {more}" if low else f"( {item} {more} )?"

    def _string(self, schema: dict[str, Any], depth: int) -> str:
        low, high = schema.get("minLength", 0), schema.get("maxLength")
        if "pattern" in schema:
            if low or high is not None:
                raise BadSchema(
                    "an answer can't be held to `pattern` and lengths at once: put the length into the pattern"
                )
            return string(schema["pattern"], self._rules)
        if low or high is not None:
            return f'"\\"" {times("char", low, high)} "\\""'
        return string(_FORMATS[schema["format"]], self._rules) if schema.get("format") in _FORMATS else STRING

    def _number(self, schema: dict[str, Any], depth: int) -> str:
        return _bounded(schema, number_grammar.number) or "number"

    def _integer(self, schema: dict[str, Any], depth: int) -> str:
        return _bounded(schema, number_grammar.integer) or "integer"

    def _boolean(self, schema: dict[str, Any], depth: int) -> str:
        return "boolean"

    def _null(self, schema: dict[str, Any], depth: int) -> str:
        return "null"


_KINDS: Final[dict[str, Callable[[_Grammar, dict[str, Any], int], str]]] = {
    "object": _Grammar._object,
    "array": _Grammar._array,
    "string": _Grammar._string,
    "number": _Grammar._number,
    "integer": _Grammar._integer,
    "boolean": _Grammar._boolean,
    "null": _Grammar._null,
}


def _implied(schema: dict[str, Any]) -> str:
    """The type that a schema without one speaks of. Others would fit too, and are left out."""
    return next(kind for kind, keywords in _OF_TYPE.items() if keywords & set(schema))


def _values(schema: dict[str, Any]) -> str:
    """The values of `enum` or `const` that are of the type."""
    rest = set(schema) - {"type", "enum", "const"}
    if rest or ("enum" in schema and "const" in schema):
        raise BadSchema("an answer can't be held to `enum` or `const` and more at once: leave the rest out")
    kinds = schema.get("type", list(_PYTHON))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    given = schema.get("enum", [schema.get("const")])
    fitting = [each for each in given if any(_is(each, kind) for kind in kinds)]
    if not fitting:
        raise BadSchema("no value of `enum` or `const` is of the `type` beside it")
    return choice([value(each) for each in fitting])


def _is(given: Any, kind: str) -> bool:
    if isinstance(given, bool):
        return kind == "boolean"
    return isinstance(given, _PYTHON[kind]) or (kind == "integer" and isinstance(given, float) and given.is_integer())


def _bounded(schema: dict[str, Any], make: Callable[..., str]) -> str | None:
    low, high = schema.get("minimum"), schema.get("maximum")
    more_than, less_than = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is high is more_than is less_than is None:
        return None
    above = more_than is not None and (low is None or more_than >= low)
    below = less_than is not None and (high is None or less_than <= high)
    return make(more_than if above else low, less_than if below else high, above=above, below=below)
