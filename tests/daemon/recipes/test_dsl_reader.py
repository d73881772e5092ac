"""The recipe language, and what is wrong in it."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.recipes.dsl_reader import read_statements
from daemon.recipes.nodes import MAX_DEPTH
from daemon.recipes.problems import BadRecipe, Place, Problem, shown


def refusal(text: str) -> Problem:
    with pytest.raises(BadRecipe) as caught:
        read_statements(text)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("ROUTE r { PRIORITY high }", "syntax", (1, 20)),
        ("ROUTE r {\n  WHEN pii(p) OR\n}", "syntax", (3, 1)),
        ("ROUTE r {", "syntax", (1, 10)),
        ("SIGNAL pii p { threshold 0.5 }", "syntax", (1, 26)),
        ('SIGNAL keyword k { keywords: ["a" "b"] }', "syntax", (1, 35)),
        ('SIGNAL keyword k { keywords: ["a] }', "syntax", (1, 31)),
        ("FROUTE r {}", "syntax", (1, 1)),
        ("ROUTE r { PRIORITY 1e5 }", "syntax", (1, 24)),
        ('SIGNAL pii p { a: "\\q" }', "bad-string", (1, 19)),
        ('SIGNAL pii p { a: "\\ud800" }', "bad-string", (1, 19)),
        ("SIGNAL pii p {\n a: 1\n a: 2 }", "duplicate-key", (3, 2)),
        ("SIGNAL pii p { a: " + "[" * MAX_DEPTH, "too-deep", (1, 82)),
        ("ROUTE r { WHEN " + "(" * MAX_DEPTH, "too-deep", (1, 79)),
        ("ROUTE r { WHEN " + "NOT " * (MAX_DEPTH + 1) + "pii(p) }", "too-deep", (1, 272)),
        ("TEST t { words -> r }", "syntax", (1, 10)),
        ("\u0000", "syntax", (1, 1)),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_refusals(text: str, code: str, place: tuple[int, int]) -> None:
    """Each fault is told with its line and column, and with what could stand there."""
    problem = refusal(text)

    assert (problem.code, problem.place) == (code, Place(*place))
    assert problem.remedy


def test_a_caret_stands_below_the_fault() -> None:
    """On a terminal the line is shown, with a caret."""
    text = "SIGNAL pii p {}\nROUTE r { PRIORITY high }\n"

    lines = shown(refusal(text), "x.dsl", text.splitlines()).splitlines()

    assert lines[0] == "x.dsl:2:20: error: this is not expected here [syntax]"
    assert lines[1] == "    here may stand: a whole number"
    assert lines[3].index("^") - len("    | ") == 19
    assert lines[2][lines[3].index("^") :] == "high }"


def test_words_that_are_keywords_elsewhere() -> None:
    """A keyword is one only where it can stand."""
    text = 'SIGNAL keyword IN { MODEL: "x" }\nROUTE PRIORITY { MODEL NAME }'

    signal, route = read_statements(text)[0]

    assert signal.words == ("keyword", "IN")
    assert route.words == ("PRIORITY",)


def test_precedence() -> None:
    """NOT binds tighter than AND, AND tighter than OR, as upstream's grammar has it."""
    text = 'ROUTE r { WHEN a("1") OR NOT b("2") AND c("3") OR (d("4") OR e("5")) }'
    other = 'ROUTE r { WHEN a("1") OR ((NOT (b("2"))) AND c("3")) OR (d("4") OR e("5")) }'

    def tree(text: str) -> object:
        (route,) = read_statements(text)[0]
        assert route.body
        return values(route.body[0].condition)

    assert tree(text) == tree(other)


def values(node: object) -> object:
    inner = getattr(node, "values", getattr(node, "value", None))
    if isinstance(inner, dict):
        return {key: values(each) for key, each in inner.items()}
    return [values(each) for each in inner] if isinstance(inner, list) else inner


def test_remarks_are_kept_with_their_places() -> None:
    """A `#` in text is no remark; a remark behind code is known as such."""
    text = '# one\nSIGNAL pii p { a: "# no" }  # two\n'

    _, comments = read_statements(text)

    assert [(each.text, each.place.line, each.after_code) for each in comments] == [
        ("# one", 1, False),
        ("# two", 2, True),
    ]


@pytest.mark.parametrize("unit", ['"', "{", "a ", "# ", "\\", '"\\', "ROUTE r {} ", "NOT ", "1"])
def test_hostile_text_takes_no_more_than_its_share(unit: str) -> None:
    """Reading or refusing takes time in proportion to the length: never its square."""
    read_statements("")

    def cpu_s(size: int) -> float:
        began = time.process_time()
        with suppress(BadRecipe):
            read_statements((unit * size)[:size])
        return time.process_time() - began

    assert cpu_s(40_000) < 30 * max(cpu_s(10_000), 0.01)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60) | st.text('ROUTE r{}()[]:,"->WHEN a1.#\n', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else can happen."""
    try:
        read_statements(text)
    except BadRecipe as error:
        assert error.problems[0].place
