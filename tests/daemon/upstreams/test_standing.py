"""When a provider may be asked, by what it said and did before."""

from __future__ import annotations

import pytest

from daemon.upstreams.standing import LONGEST_S, NO_CREDIT_S, OPENS_AFTER, Rest, Standing
from providers.cleared import Place
from providers.contract import BadAnswer, KeyRejected, NoCredit, NotWitnessed, Overloaded, RateLimited, Unreachable
from tests.fakes.clock import HeldClock

GONE = Unreachable("gone")


class Told(Standing):
    """One whose changes are counted. Draws the middle."""

    def __init__(self, clock: HeldClock, place: Place = Place.CLOUD) -> None:
        self.changes = 0
        self.clock = clock
        super().__init__(place, clock.monotonic, lambda: 1.0, self._count)

    def _count(self) -> None:
        self.changes += 1

    def fail(self, times: int = OPENS_AFTER) -> None:
        for _ in range(times):
            self.clock.advance(0.3)
            self.begin()
            self.failed("big", GONE)


def test_a_limit_rests_the_model_until_its_time(clock: HeldClock) -> None:
    """A provider that says to come back in 40 s is not asked for that model before, and is after; others are."""
    standing = Told(clock)
    standing.failed("big", RateLimited("full", 40.0))

    assert standing.rest("big") == Rest("limited", clock.monotonic() + 40)
    assert standing.rest("small") is None
    assert standing.limited() == ("big",)
    assert standing.limited(more_than_s=41) == ()
    clock.advance(39.9)
    assert standing.rest("big") is not None
    clock.advance(0.2)
    assert standing.rest("big") is None
    assert standing.limited() == ()


def test_a_shorter_limit_does_not_replace_a_longer_one(clock: HeldClock) -> None:
    """The latest time that was told counts."""
    standing = Told(clock)
    standing.used_up("big", 40.0)
    standing.used_up("big", 1.0)

    clock.advance(30)
    assert standing.rest("big") is not None
    assert standing.changes == 1


def test_a_row_of_failures_opens_and_one_request_tries(clock: HeldClock) -> None:
    """After a row of failures it is left alone for a second; then one request is let through, and the others when that
    one's answer has begun.
    """
    standing = Told(clock)
    standing.fail(OPENS_AFTER - 1)
    assert standing.rest("big") is None
    standing.fail(1)

    assert standing.rest("any") == Rest("down", clock.monotonic() + 1.0)
    clock.advance(1.01)
    assert standing.rest("big") is None
    assert standing.begin()
    assert standing.rest("big") == Rest("down", None)
    standing.worked()
    assert standing.rest("big") is None
    assert standing.failures == 0
    assert standing.changes == 2


def test_a_moment_is_no_outage(clock: HeldClock) -> None:
    """Many requests that fail at once leave it in; the next failure after a second takes it out."""
    standing = Told(clock)
    for _ in range(50):
        standing.failed("big", GONE)
    assert standing.rest("big") is None
    clock.advance(1.01)
    standing.failed("big", GONE)

    assert standing.rest("big") is not None


@pytest.mark.parametrize("place", list(Place))
def test_each_failed_trial_doubles_the_time(clock: HeldClock, place: Place) -> None:
    """Up to what the place is worth."""
    standing = Told(clock, place)
    standing.fail()
    waited = []
    for _ in range(9):
        rest = standing.rest("big")
        assert rest is not None
        assert rest.ends is not None
        waited.append(rest.ends - clock.monotonic())
        clock.advance(waited[-1] + 0.01)
        standing.fail(1)

    assert waited[:2] == pytest.approx([1.0, 2.0])
    assert waited[-1] == pytest.approx(LONGEST_S[place])


def test_a_trial_that_nobody_waited_for_is_made_again(clock: HeldClock) -> None:
    """A client that hangs up during the trial doesn't keep all others out."""
    standing = Told(clock)
    standing.fail()
    clock.advance(1.01)
    standing.begin()
    standing.over()

    assert standing.rest("big") is None
    assert standing.begin()


@pytest.mark.parametrize("said", [RateLimited("full", 0.0), KeyRejected("no"), BadAnswer("what?")])
def test_who_says_anything_is_there(clock: HeldClock, said: Exception) -> None:
    """Failures count in a row: an answer of whatever kind between them breaks it, and ends the row of a trial."""
    standing = Told(clock)
    standing.fail(OPENS_AFTER - 1)
    standing.failed("big", said)  # type: ignore[arg-type]
    assert standing.failures == 0
    standing.fail()
    clock.advance(1.01)
    standing.begin()
    standing.failed("big", said)  # type: ignore[arg-type]

    assert standing.rest("other") is None


def test_what_is_ours_is_not_its_failure(clock: HeldClock) -> None:
    """A receipt that can't be written says nothing of the provider."""
    standing = Told(clock)
    for _ in range(OPENS_AFTER):
        standing.failed("big", NotWitnessed("disk"))

    assert standing.rest("big") is None


def test_no_room_counts_as_a_failure_and_rests_the_model(clock: HeldClock) -> None:
    """529 again and again is an outage."""
    standing = Told(clock)
    for _ in range(OPENS_AFTER):
        clock.advance(0.3)
        standing.failed("big", Overloaded("full", 3.0))

    assert standing.rest("small") == Rest("down", clock.monotonic() + 1.0)
    clock.advance(1.01)
    assert standing.rest("big") == Rest("limited", clock.monotonic() + 3.0 - 1.01)


def test_an_empty_account_stays_out_until_it_is_changed(clock: HeldClock) -> None:
    """A new key, or a test that answered, brings it back at once; else one request tries after a quarter of an hour."""
    standing = Told(clock)
    standing.failed("big", NoCredit("empty"))
    assert standing.rest("small") == Rest("no-credit", clock.monotonic() + NO_CREDIT_S)
    clock.advance(60)
    assert standing.rest("big") is not None
    standing.renew()
    assert standing.rest("big") is None

    standing.failed("big", NoCredit("empty"))
    clock.advance(NO_CREDIT_S + 1)
    assert standing.rest("big") is None
    assert standing.begin()
    standing.failed("big", NoCredit("empty"))
    assert standing.rest("big") == Rest("no-credit", clock.monotonic() + NO_CREDIT_S)


def test_another_network_is_another_try(clock: HeldClock) -> None:
    """What failed on one network is tried at once on the next; a limit stays, but for the time that the machine slept."""
    standing = Told(clock)
    standing.fail()
    standing.used_up("big", 40.0)
    standing.look_again()
    assert standing.rest("small") is None
    assert standing.rest("big") == Rest("limited", clock.monotonic() + 40)
    standing.look_again(slept_s=50.0)
    assert standing.rest("big") is None
