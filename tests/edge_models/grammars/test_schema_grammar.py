"""Which answers a schema's grammar lets through, as llama.cpp's own matcher sees it."""

from __future__ import annotations

import re
from collections.abc import Callable

import fastjsonschema
import msgspec
import numpy as np
import pytest

from edge_models.engines.base import BadSchema
from edge_models.engines.llama_cpp import LlamaCpp
from edge_models.grammars.schema_check import check
from edge_models.grammars.schema_grammar import grammar

Reads = Callable[[str, str], bool]


@pytest.fixture
def reads(llama: LlamaCpp) -> Reads:
    """Whether a schema's grammar takes a text from its first token to an end."""

    def whole(schema: str, text: str) -> bool:
        check(schema)
        constraint = llama._constraint(schema)
        try:
            for token in llama._vocabulary.tokens(text, special=False):
                if not constraint.allows(token):
                    return False
                constraint.took(token)
            return constraint.allows(llama._context.lib.llama_vocab_eos(llama._context.vocab))
        finally:
            constraint.close()

    return whole


def of(schema: object) -> str:
    return msgspec.json.encode(schema).decode()


CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "boolean"}},
    "required": ["b"],
}
LIST = {"$defs": {"node": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}, "required": ["v"]}}, "$ref": "#/$defs/node"}  # fmt: skip
CASES: list[tuple[object, tuple[str, ...], tuple[str, ...]]] = [
    ({}, ("1", '"x"', "null", '{"a": [1, {}]}', "[]"), ("", "x", "{", '{"a"}', "01", "[1,]")),
    (True, ("1.5e10",), ("1.",)),
    ({"type": "null"}, ("null",), ("0",)),
    ({"type": ["integer", "null"]}, ("3", "null", "-1"), ("3.5", '"3"')),
    ({"type": "string"}, ('""', '"é😀\\n\\u00e9"'), ('"a\nb"', '"\\x"', '"\\ud800"', "a")),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ('"ab"', '"é😀ü"', '"a\\n\\""'), ('"a"', '"abcd"')),
    ({"minLength": 2}, ('"ab"',), ('"a"',)),
    ({"enum": ["it's \"so\"", "back\\slash", "ä\n", 1, None, [1, "x"]]},
     ('"it\'s \\"so\\""', '"back\\\\slash"', '"ä\\n"', "1", "null", '[1, "x"]'), ('"so"', "2", "[1]")),
    ({"type": "string", "enum": ["a", 1]}, ('"a"',), ("1",)),
    ({"const": {"a": [1]}}, ('{"a": [1]}',), ('{"a": [2]}',)),
    (CLOSED, ('{"b": ""}', '{"a":1,"b":"x","c":true}', '{"b": "x", "c": false}', '{\n  "a": 1,\n  "b": "x"\n}'),
     ("{}", '{"a": 1}', '{"a": 1, "c": true}', '{"b": 1}', '{"b": "x", "d": 1}', '{"b": "x",}', '{, "b": "x"}')),
    ({"type": "object", "properties": {"a": {}, "b": {}}}, ("{}", '{"a": 1}', '{"b": 1}', '{"a": 1, "b": 2}'), ('{"a": 1,}',)),
    ({"type": "object", "properties": {"a": {}}, "required": ["a", "z"]}, ('{"a": 1, "z": 2}',), ('{"a": 1}',)),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, ("{}", '{"x": 1, "y": 2}'), ('{"x": "1"}',)),
    ({"type": "object", "minProperties": 1, "maxProperties": 2}, ('{"x": 1}', '{"x": 1, "y": {}}'), ("{}", '{"x":1,"y":1,"z":1}')),
    ({"type": "object", "additionalProperties": False}, ("{}",), ('{"a": 1}',)),
    ({"type": "object", "patternProperties": {"^x\\d$": {"type": "null"}}}, ('{"x1": null}', "{}"), ('{"y1": null}', '{"x1": 1}')),
    ({"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
     ("[true]", "[true, false,true]"), ("[]", "[true,true,true,true]", "[1]")),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, ('[1, "a"]',), ('[1, "a", 2]', '["a", 1]')),
    ({"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "null"}, "minItems": 2}, ("[1, null]", "[1,null,null]"), ("[1]",)),
    ({"type": "array", "items": False}, ("[]",), ("[1]",)),
    ({"type": "integer", "minimum": -5, "exclusiveMaximum": 12}, ("-5", "0", "11"), ("-6", "12", "1.0", "007")),
    ({"type": "number", "minimum": 0.5, "maximum": 0.6}, ("0.5", "0.55", "0.6"), ("0", "0.4", "0.61", "0\n5")),
    ({"type": "number", "minimum": 0, "maximum": 1}, ("0", "0.25", "1", "1.0"), ("1.1", "-0.5", "2", "1e3")),
    ({"maximum": 10}, ("10", "-99.5"), ("10.5", '"x"')),
    ({"type": "string", "pattern": "^[A-Z]{2}-\\d+$"}, ('"AB-1"', '"XY-1234"'), ('"ab-1"', '"AB-"', '"xAB-1"')),
    ({"type": "string", "pattern": "b+"}, ('"b"', '"abbc"'), ('"ac"', '""')),
    ({"type": "string", "pattern": "^(yes|no)|maybe$"}, ('"yes!"', '"no"', '"or maybe"'), ('"oh yes"', '"maybe not"')),
    ({"type": "string", "pattern": '^[^"a]"\\\\$'}, ('"b\\"\\\\"',), ('"a\\"\\\\"', '"b\\""')),
    ({"type": "string", "pattern": "^a.c\\s?$"}, ('"abc"', '"a😀c "', '"abc\\t"'), ('"ac"', '"a\\nc"')),
    ({"type": "string", "format": "date"}, ('"2024-02-28"',), ('"2024-13-01"', '"x"')),
    ({"type": "string", "format": "uuid"}, ('"123e4567-e89b-12d3-a456-426614174000"',), ('"123"',)),
    ({"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"x": {"type": "null"}}, "required": ["x"]}]}, ("1", '{"x": null}'), ('"x"', "{}")),
    ({"type": "object", "properties": {"k": {}}, "required": ["k"], "anyOf": [{"required": ["m"], "properties": {"m": {"type": "null"}}}, {"required": ["n"]}]},
     ('{"k": 1, "m": null}', '{"k": 1, "n": 2}'), ('{"k": 1}', '{"m": null}')),
    ({"allOf": [{"type": "integer"}], "minimum": 3}, ("3",), ("2",)),
    (LIST, ('{"v": 1}', '{"v": 1, "next": {"v": 2, "next": {"v": 3}}}'), ('{"next": {"v": 1}}', '{"v": 1, "next": 2}')),
    ({"$defs": {"a": {"b": {"type": "integer"}}, "b": {"type": "string"}}, "type": "object",
      "properties": {"x": {"$ref": "#/$defs/a/b"}, "y": {"$ref": "#/$defs/b"}}, "required": ["x", "y"]}, ('{"x": 1, "y": "s"}',), ('{"x": "s", "y": 1}', '{"x": 1, "y": 1}')),
    ({"type": "object", "title": "T", "description": "d", "default": {}, "examples": [1]}, ('{"q": 1}',), ("1",)),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "fits", "others"), CASES, ids=lambda each: of(each)[:60])
def test_what_a_grammar_lets_through(
    schema: object, fits: tuple[str, ...], others: tuple[str, ...], reads: Reads
) -> None:
    """Texts that fit pass to their end, others don't."""
    assert {text: reads(of(schema), text) for text in fits} == dict.fromkeys(fits, True)
    assert {text: reads(of(schema), text) for text in others} == dict.fromkeys(others, False)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 4.2, "maximum": 4.8},
        {"type": "object", "minProperties": 2},
        {"type": "object", "properties": {"a": {}}, "minProperties": 1},
        {"type": "object", "properties": {"a": {}}, "required": ["b"], "additionalProperties": False},
        {"type": "object", "properties": {"ab": {}}, "patternProperties": {"^a": {"type": "null"}}},
        {"type": "object", "patternProperties": {"^a": {}, "^b": {}}},
        {"type": "string", "pattern": "^a+$", "maxLength": 3},
        {"type": "string", "pattern": "a$b"},
        {"enum": [1], "type": "string"},
        {"enum": [1], "minimum": 3},
        {"properties": {"a": {}}, "additionalProperties": False, "anyOf": [{"properties": {"b": {}}}]},
        {"type": "string", "anyOf": [{"type": "integer"}]},
        {"type": "array", "items": False, "minItems": 1},
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"$defs": {"a": {"type": "object", "anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"},
    ],
    ids=lambda each: of(each)[:60],
)
def test_what_could_not_be_kept_is_refused(schema: object, llama: LlamaCpp) -> None:
    """Schemas that pass the common check and have no grammar are BadSchema, without a word of theirs."""
    check(of(schema))
    with pytest.raises(BadSchema) as caught:
        llama._constraint(of(schema))
    assert "#/" not in str(caught.value)


@pytest.mark.parametrize(
    "schema",
    [
        schema
        for schema, _, _ in CASES
        if isinstance(schema, dict) and not {"prefixItems", "maybe"} & set(re.findall(r"\w+", of(schema)))
    ],
    ids=lambda each: of(each)[:60],
)  # the validator knows draft 7, which has no prefixItems; chance doesn't spell out a word
def test_whatever_is_written_fits(schema: dict[str, object], llama: LlamaCpp) -> None:
    """Random tokens, held to the grammar, make texts that an independent validator accepts."""
    validate = fastjsonschema.compile(schema)
    random = np.random.default_rng(5)
    ends = [
        token
        for token in range(llama._context.vocabulary_size)
        if llama._vocabulary.piece(token) in (b'"', b"}", b"]", b'"}', b'",')
    ]
    finished = 0
    for _ in range(2):
        constraint = llama._constraint(of(schema))
        written = b""
        for _ in range(60):
            logits = random.normal(size=llama._context.vocabulary_size).astype(np.float32) * 3
            logits[ends] += 6  # or strings never end
            token = int(constraint.masked(logits).argmax())
            if llama._vocabulary.ends(token):
                validate(msgspec.json.decode(written))
                finished += 1
                break
            constraint.took(token)
            written += llama._vocabulary.piece(token)
        constraint.close()
    assert finished, written


def test_a_large_schema_is_read_in_time() -> None:
    """300 members of several kinds make a grammar in well under a second of CPU."""
    import time

    kinds = [{"type": "string", "maxLength": 5}, {"type": "integer", "minimum": 1}, {"enum": ["a", "b"]}]
    schema = {"type": "object", "properties": {f"m{n}": kinds[n % 3] for n in range(300)}}
    began = time.process_time()
    text = grammar(of(schema))

    assert time.process_time() - began < 1
    assert text.count("::=") > 300
