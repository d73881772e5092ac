"""What an answer would take."""

from __future__ import annotations

import pytest

from daemon.rates import BELIEVED_S, Rates, Speeds
from providers.contract import Usage
from tests.fakes.clock import HeldClock


@pytest.fixture
def rates(clock: HeldClock) -> Rates:
    return Rates(clock.monotonic)


def test_nothing_measured_predicts_nothing(rates: Rates) -> None:
    """Without an answer there is no prediction, and short ones measure none."""
    rates.read(3, 0.1)
    rates.wrote(Usage(3, 3), 0.1)

    assert rates.predict_s(1000, 100) is None
    assert not rates.changed


def test_prediction_is_reading_and_writing(rates: Rates) -> None:
    """The prompt at the reading speed, and the answer at the writing speed."""
    rates.read(1000, 2.0)
    rates.wrote(Usage(1000, 100), 4.0)

    assert rates.first_word_s(30_000) == pytest.approx(60)
    assert rates.predict_s(30_000, 200) == pytest.approx(60 + 8)


def test_newer_answers_count_more(rates: Rates) -> None:
    """A machine that became slow is noticed within a few answers."""
    for took_s in (1.0, *[10.0] * 10):
        rates.read(1000, took_s)
        rates.wrote(Usage(1000, 100), took_s)

    assert rates.predict_s(1000, 100) == pytest.approx(1000 / 196.6 + 100 / 19.66, rel=0.02)


def test_a_few_words_say_nothing_of_a_long_prompt(rates: Rates) -> None:
    """They take as long as the first step does, however fast the machine reads."""
    rates.read(12, 0.1)

    assert rates.first_word_s(14) == pytest.approx(14 / 120)
    assert rates.first_word_s(8000) is None


def test_a_long_prompt_speaks_for_shorter_ones(rates: Rates) -> None:
    """It is read no faster than they are, so a prediction from it is on the safe side."""
    rates.read(8000, 4.0)

    assert rates.first_word_s(400) == pytest.approx(0.2)


def test_a_try_that_was_given_up_teaches(rates: Rates) -> None:
    """No first word after two seconds: it reads so fast at most. What was measured as slower already stays."""
    rates.given_up(8000, 2.0)
    assert rates.first_word_s(8000) == pytest.approx(2.0)

    rates.read(8000, 40.0)
    slow = rates.first_word_s(8000)
    rates.given_up(8000, 0.6)
    assert rates.first_word_s(8000) == slow


def test_a_client_that_hangs_up_at_once_teaches_nothing(rates: Rates) -> None:
    """A tenth of a second is not enough to tell."""
    rates.given_up(8000, 0.1)

    assert rates.first_word_s(8000) is None


def test_nothing_is_believed_for_ever(rates: Rates, clock: HeldClock) -> None:
    """Who is not asked because it was slow once is asked again after a while."""
    rates.given_up(8000, 2.0)
    clock.advance(BELIEVED_S)

    assert rates.first_word_s(8000) is None


def test_what_was_kept_is_known_at_once(rates: Rates, clock: HeldClock) -> None:
    """After a restart nothing has to be found out again."""
    rates.read(1000, 2.0)
    rates.wrote(Usage(1000, 100), 4.0)

    again = Rates(clock.monotonic, rates.speeds)

    assert again.predict_s(1000, 100) == rates.predict_s(1000, 100)
    assert Rates(clock.monotonic, Speeds()).first_word_s(1000) is None
