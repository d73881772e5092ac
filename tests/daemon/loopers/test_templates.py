"""Recipes' own prompts, filled."""

from __future__ import annotations

import pytest

from daemon.loopers.templates import filled, filled_for_each, is_template

ONE = {"Model": "a", "Content": "four {{.Model}}", "Reasoning": ""}
TWO = {"Model": "b", "Content": "five", "Reasoning": "counted"}


def test_places_are_filled_once() -> None:
    """What is put in is not read for places again."""
    assert (
        filled("Q: {{original}}\n{{ responses }}", {"original": "{{responses}}", "responses": "R"})
        == "Q: {{responses}}\nR"
    )


@pytest.mark.parametrize(
    "body",
    [
        "{{.Model}}: {{.Content}}{{if .Reasoning}} ({{.Reasoning}}){{end}}\n",
        "{{ $r.Model }}: {{- $r.Content -}}{{if $r.Reasoning}} ({{$r.Reasoning}}){{end}}\n",
    ],
)
def test_a_loop_over_the_answers(body: str) -> None:
    """Each answer once, and what hangs on reasoning only where there is some."""
    loop = "{{range $i, $r := .ReferenceResponses}}" if "$r" in body else "{{range .ReferenceResponses}}"
    template = f"To: {{{{.OriginalContent}}}}\n{loop}{body}{{{{end}}}}Now answer."

    assert (
        filled_for_each(template, "2 + 2?", [ONE, TWO])
        == "To: 2 + 2?\na: four {{.Model}}\nb: five (counted)\nNow answer."
    )


@pytest.mark.parametrize(
    "template", ["{{.Secret}}", "{{range .Others}}{{.X}}{{end}}", '{{printf "%s" .OriginalContent}}', "{{"]
)
def test_what_asks_for_more(template: str) -> None:
    """Another action is no template that can be filled."""
    assert filled_for_each(template, "q", [ONE]) is None


def test_an_instruction_has_no_places() -> None:
    """Then it stands in front of the answers."""
    assert not is_template("Fuse the strongest findings into a final answer.")
    assert is_template("{{original}}")
