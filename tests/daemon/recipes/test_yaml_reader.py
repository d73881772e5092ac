"""YAML from nobody knows whom."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.recipes.nodes import MAX_DEPTH, Items, Node, Scalar, Table
from daemon.recipes.problems import BadRecipe, Place
from daemon.recipes.yaml_reader import MAX_NODES, read_yaml, resolve


def values(node: Node) -> object:
    match node:
        case Scalar():
            return node.value
        case Items():
            return [values(each) for each in node.values]
        case Table():
            return {key: values(each) for key, each in node.values.items()}


def refusal(text: str) -> tuple[str, int | None]:
    with pytest.raises(BadRecipe) as caught:
        read_yaml(text)
    (problem,) = caught.value.problems
    assert problem.remedy
    return problem.code, problem.place and problem.place.line


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("a:\n\tb: 1", "syntax", 2),
        ("a: 1\nb: 2\na: 3", "duplicate-key", 3),
        ("a: &x 1\nb: *x", "anchor", 1),
        ("a: *x", "alias", 1),
        ("a: &a [*a]", "anchor", 1),
        ("a: !!python/object/apply:os.system ['true']", "tag", 1),
        ("a: !x 1", "tag", 1),
        ("base: 1\n<<: {a: 1}", "merge", 2),
        ("? [a, b]\n: 1", "bad-key", 1),
        ("a: 1\n---\nb: 1", "two-documents", 2),
        ("", "empty", None),
        ("# nothing", "empty", None),
        ("a: 'b", "syntax", 1),
        ("a: [1, 2", "syntax", 1),
        ("a: 1\x07", "unreadable", 1),
        ("[" * (MAX_DEPTH + 1), "too-deep", 1),
        ("? " * (MAX_DEPTH + 1), "bad-key", 1),
        ("- " * (MAX_DEPTH + 1), "too-deep", 1),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_refusals(text: str, code: str, line: int | None) -> None:
    """Each is refused with its line, before anything is built of it."""
    assert refusal(text) == (code, line)


def test_tabs_are_named() -> None:
    """The commonest fault has a sentence of its own."""
    with pytest.raises(BadRecipe, match="a tab stands where YAML wants blanks: indent with blanks"):
        read_yaml("routing:\n\tstrategy: priority\n")


def test_nine_lines_that_make_a_billion() -> None:
    """Aliases of aliases are refused at once."""
    bomb = "a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{f'*{chr(97 + n)},' * 9}]\n" for n in range(9))
    began = time.process_time()

    assert refusal(bomb)[0] == "anchor"
    assert time.process_time() - began < 1


def test_too_many_values() -> None:
    """Their number is bounded, however small the file."""
    assert refusal("[" + "0," * MAX_NODES + "0]")[0] == "too-large"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("yes", "yes"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        ("1_000", "1_000"),
        ("true", True),
        ("~", None),
        ("012", 12),
        ("0o17", 15),
        ("0x1f", 31),
        ("-3", -3),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("-.inf", float("inf")),
    ],
)
def test_plain_words_are_read_as_yaml_1_2_reads_them(written: str, value: object) -> None:
    """`no` is Norwegian, and no truth; numbers are those of the core schema. (Infinity is refused later, whatever its sign.)"""
    assert resolve(written) == value
    assert type(resolve(written)) is type(value)


def test_quoted_words_are_words() -> None:
    """A number in quotes is text."""
    assert values(read_yaml("a: '12'\nb: \"true\"\nc: 12")) == {"a": "12", "b": "true", "c": 12}


def test_a_number_of_many_digits_takes_no_time() -> None:
    """Python's int() takes quadratic time, or refuses; such a number is infinite here, and refused as too large."""
    began = time.process_time()

    assert resolve("9" * 400_000) == float("inf")
    assert time.process_time() - began < 0.5


def test_places() -> None:
    """Keys and values know where they stand."""
    tree = read_yaml("routing:\n  signals: {pii: 5}\n")

    assert isinstance(tree, Table)
    inner = tree.values["routing"]
    assert isinstance(inner, Table)
    assert tree.places["routing"] == Place(1, 1)
    assert inner.places["signals"] == Place(2, 3)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=100))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else can happen."""
    try:
        read_yaml(text)
    except BadRecipe as error:
        assert error.problems
