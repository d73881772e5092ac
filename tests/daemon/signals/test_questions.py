"""Typed questions."""

from __future__ import annotations

import pytest

from daemon.signals.opening import Unread
from daemon.signals.questions import affirm, choose, not_here, rate, which
from tests.fakes.signal_parts import with_models

STATE = "I was charged twice for my order, please refund the duplicate payment."


def test_a_choice() -> None:
    """The nearest description; its confidence is the lead over the second."""
    answer = choose(
        with_models().vectors,
        STATE,
        "Which team?",
        {"billing": "Charges and refunds", "hardware": "Broken devices", "hr": ""},
    )

    assert answer.chosen == "billing"
    assert sum(answer.chances.values()) == pytest.approx(1)
    lead = sorted(answer.chances.values())
    assert answer.confidence == pytest.approx(lead[-1] - lead[-2])


def test_yes_or_no() -> None:
    """By words for either, if they are there."""
    vectors = with_models().vectors
    yes = affirm(vectors, STATE, "", "The customer wants money back.", "The customer asks about the weather.")

    assert yes.value > 0.7
    assert sum(affirm(vectors, STATE, "Is it a refund?").chances.values()) == pytest.approx(1)


def test_a_level() -> None:
    """Expected, from 0 on; sure if all the weight is on one level."""
    answer = rate(with_models().vectors, STATE, "Urgency:", ("a greeting", "a refund for a duplicate payment"))

    assert 0.5 < answer.value <= 1
    assert 0 <= answer.confidence <= 1


def test_a_set() -> None:
    """Each label by itself."""
    answer = which(with_models().vectors, STATE, "Topics?", {"refund": "refund of a payment", "pets": "cats and dogs"})

    assert answer.chances["refund"] > answer.chances["pets"]


def test_what_nothing_here_answers() -> None:
    """Has a name."""
    with pytest.raises(Unread, match="NotHere"):
        raise not_here()


def test_no_words_are_kept() -> None:
    """Questions and states are a client's own: no bank is made of them."""
    vectors = with_models().vectors
    before = set(vectors._banks)
    choose(vectors, "canary state", "x", {"a": "canary one", "b": "canary two"})
    affirm(vectors, "canary state", "canary?", "canary yes", "canary no")
    rate(vectors, "canary state", "canary", ("one", "two"))
    which(vectors, "canary state", "x", {"a": "canary"})

    assert set(vectors._banks) == before
