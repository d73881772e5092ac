"""Recipes in colours, and differences."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon import wire
from tests.fakes.told_recipes import FIRST, SECOND
from tui.tables.recipes import coloured, lines_apart, problems, standing, text

BUILT_IN = sorted((Path(__file__).resolve().parents[3] / "assets" / "recipes").glob("*.dsl"))


@pytest.mark.parametrize("path", BUILT_IN, ids=lambda path: path.stem)
def test_colours_change_no_letter(path: Path) -> None:
    """Every line of every built-in recipe stands as it was written."""
    for line in path.read_text(encoding="utf-8").splitlines():
        assert coloured(line).plain == line


@pytest.mark.parametrize(
    ("line", "words", "style"),
    [
        ("# a MODEL: 3", "# a MODEL: 3", "$muted"),
        ('  name: "SIGNAL # x"', '"SIGNAL # x"', "$success"),
        ("SIGNAL keyword x {", "SIGNAL", "bold"),
        ("  max_tokens: 40", "max_tokens", "$accent"),
        ("  max_tokens: 40", "40", "$warning"),
        ("- enabled: true", "true", "$warning"),
    ],
)
def test_what_has_which_colour(line: str, words: str, style: str) -> None:
    """Comments, strings, the language's words, fields, values; in strings and comments nothing else."""
    shown = coloured(line)

    assert (words, style) in {(line[span.start : span.end], str(span.style)) for span in shown.spans}


def test_what_is_different_line_by_line() -> None:
    """Marked by its sign, not by colour alone; without heads of files that nobody has."""
    told = [line.plain for line in lines_apart(FIRST, SECOND)]

    assert "-ROUTE first {" in told
    assert "+ROUTE second {" in told
    assert not any(line.startswith(("---", "+++")) for line in told)
    assert [line.plain for line in lines_apart(FIRST, FIRST)] == ["the same text"]


def test_lines_have_numbers_and_steer_nothing() -> None:
    """A control character is shown as its number."""
    assert [line.plain for line in text("a\n\x1b[2J\n")] == ["1  a", "2  \\x1b[2J"]


def test_how_it_stands() -> None:
    """No recipe, one that wasn't taken in, one with a warning."""
    assert "no recipe" in standing(wire.Recipes(None)).plain
    assert "not taken in: broken" in standing(wire.Recipes("x.dsl", failure="broken")).plain
    wrong = wire.RecipeProblem("c", "warning", "ROUTE", "odd", "mend it", 3)
    assert "1 warning" in standing(wire.Recipes("x.dsl", problems=(wrong,))).plain
    assert [line.plain for line in problems((wrong,), 80)] == ["warning, line 3: odd", "  mend it"]
