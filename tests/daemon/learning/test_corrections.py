"""Follow-ups that reject the answer before them."""

from __future__ import annotations

import pytest

from daemon.learning.corrections import LONGEST_CHARS, Corrections
from daemon.signals.parts import Parts
from tests.fakes.asking import without_models

REJECTIONS = (
    "That's incorrect, water boils at 100 degrees at sea level.",
    "No, I said the blue one.",
    "You are mistaken about the date.",
    "This is false.",
    "I ran it and it crashes.",
    "wrong answer",
    "Nope, it's Neptune.",
    "That did not work, same exception as before.",
    "There is a mistake in your second sentence.",
    "You've mixed up the two brothers.",
    "The result should be 12, not 14.",
    "Your solution returns None.",
    "That's not the right author.",
    "doesn't work",
    "No, read it again, the table has four rows.",
    "This query gives me a syntax error.",
    "You didn't answer my question.",
    "It's not a verb.",
    "Actually, that is not how it works.",
    "Check your math, this is off by ten.",
)
OTHERS = (
    "Now add a docstring.",
    "What is the second largest city?",
    "Thank you very much, that helps.",
    "Say it in Spanish.",
    "Could you elaborate on the last point?",
    "And in Austria?",
    "Summarise that in one sentence.",
    "Also handle timeouts.",
    "When was she born?",
    "Perfect. Next: the settings page.",
    "Sort the list by name.",
    "How come?",
    "Why does my query return the wrong rows?",
    "There is an error in main.py line 3, can you correct it?",
    "Suggest other names.",
    "How can I run this on Windows?",
    "Is 7 a prime number?",
    "Mark the incorrect statements in the following list.",
    "What if there are no users?",
    "Write a story about a man who was wrong.",
    "Use async instead.",
    "go on",
    "ok",
    "Show me a sample output.",
    "The build breaks after the upgrade, find out why.",
    "no need for comments",
    "No, thanks, that was all.",
    "Not now, first write the tests.",
    "Do not use regular expressions.",
    "What did he do wrong?",
)


def test_few_others_are_taken_for_rejections(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts on sentences of ours on which nothing was chosen; printed. Long ones are none, and unless somebody has the
    models open no sentence is.
    """
    parts = Parts()
    corrections = Corrections(parts)
    try:
        assert not corrections.reject(REJECTIONS[5])
        parts.vectors.of("open")

        found, taken = sum(map(corrections.reject, REJECTIONS)), sum(map(corrections.reject, OTHERS))

        with capsys.disabled():
            print(f"\n{found} of {len(REJECTIONS)} rejections found, {taken} of {len(OTHERS)} others taken for one")
        assert found >= 8
        assert taken <= 1
        assert not corrections.reject("wrong answer " * LONGEST_CHARS)
    finally:
        parts.close()


def test_without_models_nothing_is_one() -> None:
    """Where none is installed."""
    assert not Corrections(without_models()).reject("wrong answer")
