"""How faults are told."""

from __future__ import annotations

from daemon.recipes.problems import BadRecipe, Place, Problem, shown


def problem(line: int | None, column: int = 1) -> Problem:
    place = Place(line, column) if line else None
    return Problem(code="c", message="it is wrong", remedy="mend it", key="a.b", place=place)


def test_one_sentence_for_all() -> None:
    """As an error, the first fault of the file stands for all, with line, key and remedy."""
    error = BadRecipe((problem(None), problem(9), problem(3)))

    assert str(error) == "line 3, `a.b`: it is wrong: mend it (and 2 more)"
    assert [each.place and each.place.line for each in error.problems] == [3, 9, None]


def test_a_long_line_is_shown_around_the_fault() -> None:
    """Of a line of thousands of characters, those around the caret are shown."""
    text = f"{'a' * 3000}X{'b' * 3000}"

    line, caret = shown(problem(1, 3001), "f", [text]).splitlines()[2:]

    assert len(line) < 120
    assert line[caret.index("^")] == "X"


def test_without_a_place() -> None:
    """A fault of the file as a whole has no line."""
    assert shown(problem(None), "f", ["text"]) == "f: error: `a.b`: it is wrong [c]\n    mend it"
