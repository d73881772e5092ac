"""A text said with less: who could be guessed is gone, the question is not."""

from __future__ import annotations

import pytest

from daemon.boundary.reduction.rules import reduced
from daemon.signals.implicit.identity import told_of
from tests.fakes.implicit import CASES, HARMLESS


def test_what_pointed_at_somebody_is_gone_and_the_question_stands() -> None:
    """Of our own cases: of those that were seen, at most one pointer in a hundred is left, and every needed word."""
    points = left = 0
    for case in CASES:
        made = reduced(case.text)
        if made is None or not told_of(case.text):
            continue
        assert made.changes
        assert not told_of(made.text)
        assert all(need in made.text for need in case.needs), made.text
        points += len(case.points)
        left += sum(point in made.text for point in case.points)
    assert points > 150
    assert left <= points / 100


def test_most_are_sent() -> None:
    """At least half of what is seen can be said with less."""
    seen = [case.text for case in CASES if told_of(case.text)]

    assert sum(reduced(text) is not None for text in seen) >= len(seen) / 2


def test_a_text_that_points_at_nobody_stays_as_it_is() -> None:
    """To the letter."""
    for text in HARMLESS:
        if not told_of(text):
            made = reduced(text)
            assert made is not None
            assert (made.text, made.changes) == (text, {})


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        (
            "My neighbor, a 62-year-old retired judge from Burlington, was diagnosed with leukemia. How can I help?",
            "It is about someone I know and a matter of work and health. How can I help?",
        ),
        (
            "Draft a farewell note for the only female VP of engineering in our Berlin office, who resigned last March.",
            "Draft a farewell note for someone in charge.",
        ),
        ("Summarize: the principal of the largest school in Fresno was arrested in 2019.", None),
        ("The only surgeon in Tucson was fired in 2019.", None),
    ],
)
def test_doubt_gives_no_result(text: str, becomes: str | None) -> None:
    """Where an event stands beside somebody in the sentence that asks, or next to nothing is left, there is none."""
    made = reduced(text)

    assert (made.text if made else None) == becomes
