"""Aliases in JSON, and in JSON within it, become values in the writing that their place asks for."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.boundary.aliases.base import Alias
from daemon.boundary.in_json import DEEPEST, Answer, arguments_restored
from daemon.boundary.masker import Masker
from daemon.boundary.restorer import Index

VALUE: Final = 'Ada "the\\first"\n Byron'
MASKER: Final = Masker(b"k" * 32, [])
MAIL, NAME = MASKER.alias("EMAIL_ADDRESS", "ada@lovelace.dev").text, MASKER.alias("PERSON", VALUE).text
INDEX: Final = Index(MASKER.aliases)
WANTED: Final = {MAIL: "ada@lovelace.dev", NAME: VALUE}


def escaped(text: str) -> str:
    """Each character as `\\uXXXX`, in a JSON string."""
    return '"' + "".join(f"\\u{ord(character):04x}" for character in text) + '"'


@pytest.mark.parametrize("alias", WANTED)
@pytest.mark.parametrize("depth", range(1, 6))
@pytest.mark.parametrize("write", [json.dumps, escaped], ids=["plain", "escaped"])
def test_json_within_json(alias: str, depth: int, write: Any) -> None:
    """However deep, however it is escaped: what a program reads there at last is the value."""
    text = write(f"to {alias}!")
    for _ in range(depth):
        text = json.dumps(f'{{"at": [1, {text}]}}')
    back = arguments_restored(f'{{"x": {text}}}', INDEX)

    value = json.loads(back)["x"]
    for _ in range(depth):
        value = json.loads(value)["at"][1]
    assert value == f"to {WANTED[alias]}!"


def test_what_only_looks_like_json_is_a_text() -> None:
    """Quotes in a sentence, a shell's brackets and half an object ask for no second escaping."""
    for around in ('he said "{}"', '[ -f "{}" ] && echo', '{{"a": "{}"', "{{ {} }}"):
        text = around.format(NAME)
        assert json.loads(arguments_restored(json.dumps({"c": text}), INDEX)) == {"c": around.format(VALUE)}


def test_what_has_no_alias_stays_to_the_byte() -> None:
    """Blanks, numbers, doubled names, escapes, and the strings beside one that changes."""
    same = '{ "n": 1.50, "big": 123456789012345678901234567890, "a":"\\u0041\\/", "a" :"\\ud83d", "t":"{\\"x\\": 1.0}"'
    assert arguments_restored(same + "}", INDEX) == same + "}"
    assert arguments_restored(f'{same}, "z": "{MAIL}"}}', INDEX) == f'{same}, "z": "ada@lovelace.dev"}}'


def test_numbers_outside_of_strings() -> None:
    """A number of ours is turned back where a number stays a number."""
    index = Index(
        [Alias("5550123456", "4917012345", "PHONE_NUMBER", "digits"), Alias("77001", "+7 (9) 1", "ID", "digits")]
    )
    assert arguments_restored('{"call": 5550123456, "id": 77001}', index) == '{"call": 4917012345, "id": 77001}'


@pytest.mark.parametrize("text", ["", "{", '{"a', '{"a": "\\', '"' * 5, "[" * 5000 + '"x"', '{"a": "\\x"}', "\ud83d"])
def test_what_is_no_json_is_returned(text: str) -> None:
    """Nothing is raised and nothing lost; an alias in it is still found."""
    assert arguments_restored(text, INDEX) == text
    assert "ada@lovelace.dev" in arguments_restored(f"{text} {MAIL}", INDEX)


def test_hostile_depth_has_an_end() -> None:
    """JSON within JSON beyond what anybody writes is one text."""
    text = '"x"'
    for _ in range(DEEPEST + 4):
        text = json.dumps(f"[{text}]")
        if len(text) > 1 << 20:
            break
    assert arguments_restored(f"[{text}]", INDEX) == f"[{text}]"


@given(
    st.recursive(st.none() | st.integers() | st.text() | st.sampled_from([MAIL, NAME]), lambda inner: st.lists(inner))
)
def test_reading_what_was_turned_back(value: Any) -> None:
    """For any value: as if each of its strings had been turned back by itself."""

    def turned(value: Any) -> Any:
        return [turned(each) for each in value] if isinstance(value, list) else WANTED.get(value, value)

    value = [value]
    for ascii_only in (True, False):
        assert json.loads(arguments_restored(json.dumps(value, ensure_ascii=ascii_only), INDEX)) == turned(value)


def test_answers_in_json() -> None:
    """They stay JSON, wherever they are cut, and escapes hide nothing."""
    wanted = {"mail": "ada@lovelace.dev", "who": f"«{VALUE}»", "path": "C:\\"}
    for write in (json.dumps, escaped):
        text = f'{{"mail": {write(MAIL)}, "who": {write(f"«{NAME}»")}, "path": "C:\\\\"}}'
        for cut in range(len(text) + 1):
            answer = Answer(INDEX)
            assert json.loads(answer.feed(text[:cut]) + answer.feed(text[cut:]) + answer.finish()) == wanted


def test_nothing_that_stands_in_a_string_sets_it_apart() -> None:
    """Strings are looked through together: not even a zero character in one of them, or in a value, mixes them up."""
    index = Index([Alias("fadzuk", "a\0b", "TERM", "exact"), Alias("hegzin", "plain", "TERM", "exact")])
    for first, wanted in (("x\0y", "x\0y"), ("fadzuk", "a\0b"), ("\0fadzuk\0", "\0a\0b\0"), ("fad\0zuk", "fad\0zuk")):
        sent = {"a": first, "b": ["hegzin", "fad", "zuk", 3], "c": json.dumps({"d": first})}
        back = json.loads(arguments_restored(json.dumps(sent), index))
        assert json.loads(back["c"]) == {"d": wanted}
        assert (back["a"], back["b"]) == (wanted, ["plain", "fad", "zuk", 3])
