"""A draft is tried where it can be judged in time."""

from __future__ import annotations

from daemon.confidence.recovery import HOLD_S
from daemon.decision.worth_trying import Trial


def test_what_nobody_measured_is_tried() -> None:
    """Who never tries never learns."""
    trial = Trial(64_000)

    assert trial.fits
    assert not trial.late(1.5)
    assert not trial.slow(20.0)


def test_what_is_held_back_counts_and_the_rest_does_not() -> None:
    """Who reads along waits for the first words alone, however long the answer will be."""
    trial = Trial(2000, first_word_s=1.0, answer_s=30.0)

    assert not trial.late(1.0 + HOLD_S)
    assert trial.late(1.0 + HOLD_S - 0.1)
    assert trial.slow(20.0)


def test_the_line_counts() -> None:
    """Whoever stands in it waits there as well."""
    trial = Trial(20, queue_s=1.2, first_word_s=0.1, answer_s=1.0)

    assert trial.late(1.5)
    assert trial.slow(2.0)


def test_a_prompt_that_may_fit_is_tried() -> None:
    """Lengths are estimates: only what is too long beyond doubt is not asked."""
    assert Trial(9000, window=8192).fits
    assert not Trial(12_000, window=8192).fits
