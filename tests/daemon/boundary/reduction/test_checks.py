"""Which rewritings of a model are believed."""

from __future__ import annotations

import pytest

from daemon.boundary.reduction.checks import LIKENESS, Fault, fault_of
from tests.fakes.implicit import CASES

TEXT = (
    "Summarize for me: the principal of the largest high school in Fresno, Dana Whitfield's successor, was arrested in 2019 "
    "and owes $48,000. What happens next in step 2?"
)


@pytest.mark.parametrize(
    ("made", "likeness", "fault"),
    [
        ("Summarize: someone was in trouble with the law and has debts. What happens next in step 2?", 0.9, None),
        ("Ok.", 0.9, "length"),
        (TEXT + TEXT, 0.9, "length"),
        (TEXT, 0.9, "tells"),
        ("Summarize: the principal of a school in Reno was arrested. What happens next?", 0.9, "tells"),
        ("Summarize: someone in charge was arrested. What happens next in this case?", 0.9, "tells"),
        ("Summarize: it is the largest high one and it has debts. What happens next?", 0.9, "run"),
        ("Summarize: someone owes 48 thousand and is in trouble. What happens next?", 0.9, "new"),
        ("Summarize: someone owes 7 people and is in trouble with them. What happens next?", 0.9, "new"),
        ("Summarize: they are in trouble, maybe Robert is, and have debts. What happens next?", 0.9, "new"),
        ("Someone was in trouble with the law and has debts, so courts will decide on it.", 0.9, "task"),
        ("Summarize: someone was in trouble with the law and has debts. What happens next?", LIKENESS - 0.01, "unlike"),
    ],
)
def test_doubt_is_a_fault(made: str, likeness: float, fault: Fault | None) -> None:
    """What still tells, keeps words of a fact, brings something new, or asks something else isn't believed."""
    assert fault_of(TEXT, made, likeness) == fault


def test_no_text_is_a_rewriting_of_itself() -> None:
    """However like it is."""
    assert all(fault_of(case.text, case.text, 1.0) is not None for case in CASES[:60])
