"""A text said with less: who could be guessed is gone, the question is not."""

from __future__ import annotations

import pytest

from daemon.boundary.reduction.rules import reduced
from daemon.signals.implicit.identity import told_of
from tests.fakes.described import ORDINARY, PUT_ASIDE, WORKED_WITH, Described
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


RUN = 4


def tells(case: Described, sent: str) -> bool:
    """Whether any four characters of a description arrive that aren't in the rest of the text too."""
    rest, at = "", 0
    for start, end in case.descriptions:
        rest += case.text[at:start] + " " * (end - start)
        at = end
    harmless = runs(rest + case.text[at:])
    return any((runs(case.text[start:end]) - harmless) & runs(sent) for start, end in case.descriptions)


def runs(text: str) -> set[str]:
    return {text[at : at + RUN] for at in range(len(text) - RUN + 1)}


@pytest.mark.parametrize(("cases", "told"), [(WORKED_WITH, 0.04), (PUT_ASIDE, 0.1)])
def test_of_descriptions_next_to_nothing_leaves(cases: tuple[Described, ...], told: float) -> None:
    """Not four characters that only they have, in all but a few of which most are sent, also of those put aside."""
    sent = [(case, made.text) for case in cases if (made := reduced(case.text))]

    assert sum(tells(case, text) for case, text in sent) <= told * len(cases)
    assert len(sent) >= 0.7 * len(cases)


def test_ordinary_requests_leave_as_they_are() -> None:
    """Questions about the world, code, arithmetic, fiction and errands: of 84 none tells of somebody."""
    assert [text for text in ORDINARY if told_of(text)] == []


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
            "The only female surgeon in Boise is asking for a schedule change after her leave.",
            "Someone is asking for a schedule change.",
        ),
        ("Please proofread: our glazier, a former monk, broke the mirror and paid.", None),
        (
            "My neighbor, a 62-year-old retired judge from Burlington, was diagnosed with leukemia. How can I help?",
            "It is about someone I know and a matter of work and health. How can I help?",
        ),
        (
            "Draft a farewell note for the only female VP of engineering in our Berlin office, who resigned last March.",
            "Draft a farewell note for someone.",
        ),
        ("Summarize: the principal of the largest school in Fresno was arrested in 2019.", None),
        ("The only surgeon in Tucson was fired in 2019.", None),
    ],
)
def test_doubt_gives_no_result(text: str, becomes: str | None) -> None:
    """Where the task is about the words themselves, or next to nothing is left, there is none."""
    made = reduced(text)

    assert (made.text if made else None) == becomes
