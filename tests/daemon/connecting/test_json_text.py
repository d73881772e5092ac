"""JSON with comments: read with places, added to, and refused with the line."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.connecting.json_text import Json
from daemon.connecting.merging import Unreadable, brought_in, merge, plain
from tests.fakes.texts import PATIENT, in_order

SETTINGS = """// Editor settings
{
  "theme": "One Dark", // mine
  /* fonts */
  "buffer_font_size": 15,
  "language_models": {
    "ollama": { "api_url": "http://localhost:11434" }, // keep
  },
  // the end
}
"""
KEYS = st.text(st.sampled_from('ab"é/*, :{}[]\\'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**6) | st.floats(allow_nan=False, allow_infinity=False) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)


class Writer:
    """A person who writes JSON as editors allow it: comments, blanks and commas wherever they may be."""

    def __init__(self, seed: int, end: str) -> None:
        self._random = random.Random(seed)
        self._end = end

    def blank(self) -> str:
        choices = ["", " ", "\t", self._end, self._end + "    ", f" // say: {{'\"{self._end}", "/* , ] } */"]
        return "".join(self._random.choices(choices, k=2))

    def write(self, value: Any) -> str:
        match value:
            case dict():
                parts = [f"{json.dumps(key)}{self.blank()}:{self.blank()}{self.write(v)}" for key, v in value.items()]
                return self._bracketed("{", parts, "}")
            case list():
                return self._bracketed("[", [self.write(item) for item in value], "]")
            case _:
                return json.dumps(value, ensure_ascii=self._random.random() < 0.5)

    def _bracketed(self, opening: str, parts: list[str], closing: str) -> str:
        inside = ",".join(self.blank() + part + self.blank() for part in parts)
        comma = "," if parts and self._random.random() < 0.3 else ""
        return opening + inside + comma + self.blank() + closing


@PATIENT
@given(VALUES, st.integers(0, 10**6), st.sampled_from(["\n", "\r\n"]))
def test_what_was_written_is_read(value: Any, seed: int, end: str) -> None:
    """Whatever the blanks, comments and commas."""
    node = Json().read(Writer(seed, end).write(value))

    assert node is not None
    assert plain(node) == value


@PATIENT
@given(
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.dictionaries(st.sampled_from(["new", "more"]), VALUES, min_size=1),
    st.integers(0, 10**6),
    st.sampled_from(["\n", "\r\n"]),
)
def test_adding_keeps_every_character(before: Any, wanted: Any, seed: int, end: str) -> None:
    """What is new is there, the rest means what it did and stands in its order, and doing it twice changes nothing."""
    writer = Writer(seed, end)
    text = writer.blank() + writer.write(before) + writer.blank()

    after = merge(text, wanted, Json())

    node = Json().read(after)
    assert node is not None
    assert plain(node) == brought_in(before, wanted)
    assert in_order("".join(text.split()), after)  # blanks in empty brackets make room
    assert merge(after, wanted, Json()) == after


@PATIENT
@given(st.lists(VALUES, max_size=4), VALUES, st.integers(0, 10**6))
def test_adding_to_a_list(before: Any, item: Any, seed: int) -> None:
    """The same for lists."""
    text = Writer(seed, "\n").write(before)

    after = merge(text, [item], Json())

    node = Json().read(after)
    assert node is not None
    assert plain(node) == brought_in(before, [item])


@PATIENT
@given(st.text(st.sampled_from('{}[]",:/*a1\\ \n'), max_size=30))
def test_nonsense_is_refused_or_read_as_json_does(text: str) -> None:
    """No text breaks the reader, and what json reads it reads as well."""
    try:
        node = Json().read(text)
    except Unreadable:
        with pytest.raises(ValueError):
            json.loads(text)
        return
    if node is not None and not any(mark in text for mark in ("//", "/*", ",")):
        assert plain(node) == json.loads(text)


def test_an_editors_settings() -> None:
    """A key is added in the file's own hand: its indentation, its trailing commas, in front of the last comment."""
    wanted = {"language_models": {"openai_compatible": {"Nearloop": {"api_url": "http://127.0.0.1:6327/v1"}}}}

    after = merge(SETTINGS, wanted, Json())

    assert after == SETTINGS.replace(
        ", // keep\n",
        """, // keep
    "openai_compatible": {
      "Nearloop": {
        "api_url": "http://127.0.0.1:6327/v1"
      }
    },
""",
    )


def test_a_comma_goes_behind_the_value_and_not_behind_its_comment() -> None:
    """A last entry without a comma gets one where it ends."""
    text = '{\n\t"a": 1 // one\n\t// two\n}\n'

    assert merge(text, {"b": [1]}, Json()) == '{\n\t"a": 1, // one\n\t"b": [\n\t\t1\n\t]\n\t// two\n}\n'


@pytest.mark.parametrize(
    ("text", "wanted", "after"),
    [
        ("", {"a": 1}, '{\n  "a": 1\n}\n'),
        ("// mine\n", {"a": 1}, '// mine\n{\n  "a": 1\n}\n'),
        ("{}", {"a": 1}, '{\n  "a": 1\n}'),
        ("{ /* none */ }\n", {"a": 1}, '{ /* none */\n  "a": 1\n}\n'),
        ('{"a": 1}', {"b": {"c": [2]}}, '{"a": 1, "b": {"c": [2]}}'),
        ('{"a": 1, }', {"b": 2}, '{"a": 1, "b": 2, }'),
        ('{"a": 1}', {"a": 2}, '{"a": 2}'),
        ('{"a": null}', {"a": {"b": 1}}, '{"a": {\n  "b": 1\n}}'),
        ('{"a": true}', {"a": 1}, '{"a": 1}'),
        ('{"a": 1, "a": 2}', {"a": 3}, '{"a": 1, "a": 3}'),
        ('{\r\n  "a": 1\r\n}\r\n', {"b": 2}, '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n'),
        ('{\n "a": 1}', {"b": 2}, '{\n "a": 1,\n "b": 2\n}'),
        ('[{"name": "x", "n": 1}]', [{"name": "x", "n": 2}], '[{"name": "x", "n": 2}]'),
    ],
)
def test_places(text: str, wanted: Any, after: str) -> None:
    """Empty, short, on one line, in Windows' line ends, twice the same key."""
    assert merge(text, wanted, Json()) == after


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n"a": 1\n"b": 2}', "line 3: a comma or } is missing"),
        ("{\n'a': 1}", "line 2: a key in double quotes"),
        ('{"a":\n', "line 2: it ends too early"),
        ('{"a": 01}', "line 1: a value is missing"),
        ('{"a" 1}', "line 1: a colon is missing"),
        ("{}\n\n{}", "line 3: there is something behind the end"),
        ("/* \n", "line 1: a comment has no end"),
        ("[" * 200, "line 1: it nests too deep"),
        ('{"a": [1]}', "line 1: a table has to be here"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    """Each with its line, and nothing is made of it."""
    with pytest.raises(Unreadable, match=message):
        merge(text, {"a": {"b": 1}}, Json())
