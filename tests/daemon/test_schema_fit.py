"""Whether a value fits a schema, held against a validator by others."""

from __future__ import annotations

from typing import Any

import fastjsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from daemon.schema_fit import DEEPEST, misfit
from tests.fakes.talk import json_values, object_schemas, values

PLACE = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"enum": ["c", "f"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "near": {"$ref": "#/$defs/spot"},
    },
    "required": ["city"],
    "$defs": {"spot": {"type": "object", "required": ["x"], "properties": {"x": {"type": ["number", "null"]}}}},
}


@pytest.mark.parametrize(
    ("value", "keyword"),
    [
        ({"city": "Bern"}, None),
        ({"city": "Bern", "days": 3, "unit": "c", "tags": [], "near": {"x": None}}, None),
        ({"city": "Bern", "days": 3.0}, None),
        ({"city": "Bern", "more": 1}, None),
        ({}, "required"),
        ({"city": 3}, "type"),
        ({"city": "Bern", "days": "3"}, "type"),
        ({"city": "Bern", "days": True}, "type"),
        ({"city": "Bern", "days": 3.5}, "type"),
        ({"city": "Bern", "unit": "k"}, "enum"),
        ({"city": "Bern", "tags": ["a", 1]}, "type"),
        ({"city": "Bern", "tags": "a"}, "type"),
        ({"city": "Bern", "near": {}}, "required"),
        ({"city": "Bern", "near": {"x": "1"}}, "type"),
        ({"city": None}, "type"),
        ({"city": "Bern", "days": None}, None),
    ],
)
def test_what_fits(value: Any, keyword: str | None) -> None:
    """The keyword at fault is named, wherever in the value it is; a null that nobody requires says nothing."""
    assert misfit(value, PLACE) == keyword


@pytest.mark.parametrize(
    ("value", "keyword"), [({"a": 1}, None), ({"a": 1, "b": 2}, "additionalProperties"), ({"a": None}, "type")]
)
def test_a_strict_tool_is_taken_at_its_word(value: Any, keyword: str | None) -> None:
    """Names that it doesn't know and nulls that it doesn't allow are judged where the client said so."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}

    assert misfit(value, schema, strict=True) == keyword
    assert misfit(value, schema) is None


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "OBJECT"},
        {"type": ["object", "any"]},
        {"type": "object", "required": True},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": "string"}},
        {"type": "object", "properties": {"a": {"$ref": "https://example.invalid/a"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}},
        {"$ref": "#"},
        {"anyOf": []},
        {"enum": {}},
        {"not": {}, "if": {}, "x-order": 1},
        {"properties": {"a": {"items": [{"type": "string"}], "minimum": 5, "format": "date"}}},
        {"properties": {"a": {"type": "string", "nullable": False, "pattern": "("}, "b": {}}, "patternProperties": {}},
    ],
)
def test_what_cant_be_judged_speaks_for_the_value(schema: Any) -> None:
    """Odd schemas, unknown keywords and words of other dialects never fail a call."""
    assert misfit({"a": "1"} if "patternProperties" in schema else {"a": [1]}, schema) is None


def test_alternatives() -> None:
    """One that fits is enough; all of `allOf` are needed; a constant is that and nothing like it."""
    either = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["a"]}]}

    assert misfit("x", either) is None
    assert misfit({"a": 1}, either) is None
    assert misfit({}, either) == "anyOf"
    assert misfit(1, {"oneOf": either["anyOf"]}) == "oneOf"
    assert misfit({}, {"allOf": [{}, {"required": ["a"]}]}) == "required"
    assert misfit(True, {"const": 1}) == "const"
    assert misfit(1, {"enum": [True]}) == "enum"
    assert misfit(None, {"type": "string", "nullable": True}) is None


def test_depth_is_bounded() -> None:
    """A schema that refers to itself, and a value without end, are looked into so far and no farther."""
    value: Any = 1
    for _ in range(DEEPEST * 4):
        value = {"a": value}

    assert misfit(value, {"type": "object", "properties": {"a": {"$ref": "#"}}}) is None
    assert misfit(value, {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}) is None


@given(data=st.data())
def test_what_fits_is_never_a_misfit(data: st.DataObject) -> None:
    """Values that were made from a schema fit it, strictly too."""
    schema = data.draw(object_schemas)
    value = data.draw(values(schema))

    assert misfit(value, schema, strict=True) is None
    assert misfit(value, schema) is None


@given(schema=object_schemas, value=st.dictionaries(st.text(max_size=8), json_values, max_size=3))
def test_a_misfit_is_one_for_others_too(schema: dict[str, Any], value: dict[str, Any]) -> None:
    """Nothing is called a misfit that a validator of the whole of JSON Schema lets through."""
    assume(misfit(value, schema, strict=True) is not None)

    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        fastjsonschema.compile(schema)(value)
