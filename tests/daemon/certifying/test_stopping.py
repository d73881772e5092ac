"""What stopping early saves and costs."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.certifying.fit import fitted
from daemon.certifying.stopping import stopped
from tests.fakes.recordings import drawn_rows


def test_most_of_what_would_be_wasted_is_saved() -> None:
    """Where sureness shows early, answers that fail are given up early, and those that pass are not."""
    profile = fitted(drawn_rows(3000, longest=40))
    alone = replace(profile, agreement=None)  # further answers may still lift some of those that fail
    fresh = drawn_rows(2000, seed=4, longest=40)

    found = stopped(fresh, alone, 0.6)

    assert found.passing + found.failing == len(fresh)
    assert found.saved > 0.4 * found.tokens
    assert found.wrong <= 0.02 * found.passing


def test_without_rises_nothing_is_stopped() -> None:
    """A profile that tells nothing of beginnings stops nothing."""
    profile = replace(fitted(drawn_rows(600, longest=40)), rises=())

    assert stopped(drawn_rows(100, seed=4, longest=40), profile, 0.9).saved == 0
