"""The one form of the recipe language."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.recipes.dsl_lowering import lower
from daemon.recipes.dsl_printer import print_statements
from daemon.recipes.dsl_reader import read_statements
from daemon.recipes.shaping import shape

UGLY = """
# A policy.


# Of two remarks.
SIGNAL keyword k{keywords:["a",   # first
  "b"] # last
  # below
  operator : "OR"
}
SIGNAL pii p {}  # nobody's
ROUTE "r" (description="d"){ PRIORITY 007
  # why
  WHEN ((keyword(k)) OR pii("p")) AND (NOT (pii("p"))) AND (pii("p") AND keyword("k")) # because
  MODEL big(effort="low"),
    # smaller
    small,
  PLUGIN tools{}
  # at the end
}
DECISION_TREE t {
 IF pii("p") { MODEL a }
 # instead
 ELSE IF keyword("k") { # here
 MODEL b } ELSE { MODEL c } }
TEST t { "q"->r
"w" → r }
RECIPE x { SIGNAL pii p {}
# inside
ROUTE y { MODEL z } }
# The end.
"""
FORMED = """\
# A policy.

# Of two remarks.
SIGNAL keyword k {  # first
  keywords: ["a", "b"]  # last
  # below
  operator: "OR"
}

SIGNAL pii p {}  # nobody's

ROUTE r (description = "d") {
  PRIORITY 7
  # why
  WHEN (keyword("k") OR pii("p")) AND NOT pii("p") AND (pii("p") AND keyword("k"))  # because
  MODEL "big" (effort = "low"),
  # smaller
        "small"
  PLUGIN tools {}
  # at the end
}

DECISION_TREE t {
  IF pii("p") {
    MODEL "a"
    # instead
  } ELSE IF keyword("k") {  # here
    MODEL "b"
  } ELSE {
    MODEL "c"
  }
}

TEST t {
  "q" -> r
  "w" -> r
}

RECIPE x {
  SIGNAL pii p {}

  # inside
  ROUTE y {
    MODEL "z"
  }
}

# The end.
"""


def form(text: str) -> str:
    return print_statements(*read_statements(text))


def test_the_form() -> None:
    """Blanks, brackets and order of remarks come out as shown."""
    assert form(UGLY) == FORMED


def test_the_form_has_the_form() -> None:
    """Formatting a second time changes nothing."""
    assert form(FORMED) == FORMED


def test_an_empty_file() -> None:
    """It stays empty, and remarks alone stay."""
    assert form("") == ""
    assert form("# only this") == "# only this\n"


PIECES = [
    'RECIPE w { DECISION_TREE t { IF pii("p") { MODEL "a" } ELSE IF keyword("k") { MODEL "b" } ELSE { MODEL "c" } } }',
    'SIGNAL keyword k { keywords: ["a", "b"] }',
    "SIGNAL pii p { threshold: 0.50 }",
    'ROUTE r1 (description = "d") { PRIORITY 3 WHEN pii("p") OR NOT keyword("k") MODEL "m", "n" }',
    'ROUTE r2 { MODEL "m" ALGORITHM static PLUGIN tools { mode: "none" } annotations: { a: [1, { b: "c" }] } }',
    'RECIPE x { SIGNAL pii q {} ROUTE y { WHEN pii("q") MODEL "m" } }',
    'TEST t { "a" -> r1 "b" -> r2 }',
]


@settings(max_examples=80, deadline=None)
@given(st.permutations(PIECES), st.randoms(use_true_random=False))
def test_formatting_changes_neither_recipe_nor_remarks(pieces: list[str], random: object) -> None:
    """Wherever lines break and remarks stand, the recipe stays the same, all remarks stay in order, and once is enough."""
    words = " ".join(pieces).split(" ")
    spaces = [random.choice([" ", "\n", "  ", f" # {n}\n", f"\n# {n}\n\n"]) for n in range(len(words))]  # type: ignore[attr-defined]
    text = "".join(word + space for word, space in zip(words, spaces, strict=True))

    formed = form(text)

    assert shape(lower(read_statements(formed)[0])) == shape(lower(read_statements(text)[0]))
    assert [each.text for each in read_statements(formed)[1]] == [each.text for each in read_statements(text)[1]]
    assert form(formed) == formed
