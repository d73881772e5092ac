"""Which schemas are let through to an engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edge_models.engines.base import BadSchema
from edge_models.grammars.schema_check import MAX_BYTES, MAX_COUNTED, MAX_DEPTH, check

GOOD: list[Any] = [
    {},
    True,
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False},
    {"type": ["string", "null"], "title": "T", "description": "d", "default": 1, "examples": [1], "$schema": "x"},
    {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
    {"type": "array", "prefixItems": [{"type": "integer"}], "items": False},
    {"type": "string", "pattern": "^[a-z]+(-[a-z]{2,3})?$"},
    {"type": "string", "format": "date", "minLength": 1},
    {"type": "number", "minimum": -0.5, "exclusiveMaximum": 7},
    {"anyOf": [{"type": "string"}, {"const": 1}, {"enum": ["a", None]}]},
    {"allOf": [{"$ref": "#/$defs/a~1b"}], "$defs": {"a/b": {"type": "string"}}},
    {"type": "object", "properties": {"next": {"$ref": "#"}}},
    {"type": "object", "properties": {"not": {"type": "string"}, "if": {}}},
]
BAD: list[tuple[Any, str]] = [
    (False, "no answer"),
    ([], "no answer"),
    (3, "no answer"),
    ({"type": "foo"}, "`type`"),
    ({"type": []}, "`type`"),
    ({"properties": []}, "`properties`"),
    ({"properties": {"a": 1}}, "object"),
    ({"enum": []}, "`enum` is empty"),
    ({"anyOf": []}, "`anyOf` is empty"),
    ({"anyOf": {}}, "`anyOf` has to be a list"),
    ({"required": [1]}, "`required`"),
    ({"minLength": "x"}, "`minLength`"),
    ({"minLength": -1}, "`minLength`"),
    ({"minLength": True}, "`minLength`"),
    ({"minItems": 3, "maxItems": 1}, "minItems is greater"),
    ({"minimum": 7, "maximum": 5}, "minimum is greater"),
    ({"minimum": 1e300}, "`minimum`"),
    ({"maxLength": MAX_COUNTED + 1}, "together"),
    ({"properties": {"a": {"maxLength": MAX_COUNTED}, "b": {"maxLength": 1}}}, "together"),
    ({"pattern": "(("}, "`pattern`"),
    ({"pattern": "(?=a)b"}, "`pattern`"),
    ({"pattern": "(a)\\1"}, "`pattern`"),
    ({"pattern": "\\bword\\b"}, "`pattern`"),
    ({"pattern": "a{1,100000}"}, "repetition"),
    ({"$ref": "#/$defs/y", "$defs": {}}, "leads to nothing"),
    ({"$ref": "https://example.invalid/x"}, "in the schema itself"),
    ({"not": {}}, "`not`"),
    ({"if": {}, "then": {}}, "`if`"),
    ({"uniqueItems": True}, "`uniqueItems`"),
    ({"allOf": [{}, {}]}, "`allOf`"),
]


@pytest.mark.parametrize("schema", GOOD, ids=str)
def test_schemas_that_engines_understand_pass(schema: Any) -> None:
    """What can be enforced is let through, and so is what says nothing about the answer's form."""
    check(json.dumps(schema))


@pytest.mark.parametrize(("schema", "why"), BAD, ids=str)
def test_others_are_refused_with_the_keyword(schema: Any, why: str) -> None:
    """What would break an engine, or would not be enforced, is refused with a reason, at the root and deep inside."""
    for wrapped in (schema, {"type": "array", "items": {"anyOf": [schema, {}]}}):
        with pytest.raises(BadSchema) as caught:
            check(json.dumps({**wrapped, "$defs": {}} if isinstance(wrapped, dict) and "$ref" in wrapped else wrapped))
        assert why in str(caught.value) or wrapped is not schema


def test_texts_that_are_no_schema() -> None:
    """Nonsense, too long and too deep."""
    deep: Any = {}
    for _ in range(MAX_DEPTH + 2):
        deep = {"items": deep}
    for text in ("nonsense", "", " " * MAX_BYTES + "{}", json.dumps(deep), "[" * 100_000):
        with pytest.raises(BadSchema):
            check(text)


def test_no_words_of_the_client_are_repeated() -> None:
    """Names and patterns of a schema stand in no message."""
    for schema in ({"properties": {"canary": 1}}, {"pattern": "(canary"}, {"$ref": "#/canary"}, {"type": "canary"}):
        with pytest.raises(BadSchema) as caught:
            check(json.dumps(schema))
        assert "canary" not in str(caught.value)
