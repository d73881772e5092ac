"""What is asked again, and when."""

from __future__ import annotations

import pytest

from daemon.upstreams.patience import BACK_OFF_S, RETRIES, again_s
from providers.cleared import Place
from providers.contract import (
    BadAnswer,
    Intercepted,
    KeyRejected,
    NoCredit,
    Overloaded,
    ProviderError,
    RateLimited,
    Unreachable,
    Unsupported,
)


def half() -> float:
    return 0.5


def told(problem: ProviderError, again: bool) -> ProviderError:
    problem.again = again
    return problem


@pytest.mark.parametrize(
    ("problem", "waits"),
    [
        (RateLimited("x", 3.0), 3.0),
        (Overloaded("x", 2.0), 2.0),
        (Unreachable("x"), BACK_OFF_S[0]),
        (Unreachable("x", 7.0), 7.0),
        (told(RateLimited("x", 3.0), False), None),
        (told(Unreachable("x"), False), None),
        (Intercepted("x"), None),
        (NoCredit("x"), None),
        (told(NoCredit("x"), True), None),
        (KeyRejected("x"), None),
        (told(KeyRejected("x"), True), 0.0),
        (BadAnswer("x"), None),
        (Unsupported("n", "x"), None),
        (told(Unsupported("n", "x"), True), BACK_OFF_S[0]),
        (ValueError("x"), None),
    ],
)
def test_what_is_asked_again(problem: Exception, waits: float | None) -> None:
    """What passes by itself, at its own word, and what the provider says is of use; money never."""
    assert again_s(problem, 0, Place.CLOUD, half) == waits


def test_a_key_is_read_once_more_only() -> None:
    """A second rejection is the answer."""
    assert again_s(told(KeyRejected("x"), True), 1, Place.CLOUD, half) is None


def test_there_is_an_end() -> None:
    """After RETRIES nothing is asked again."""
    assert again_s(Unreachable("x"), RETRIES - 1, Place.CLOUD, half) == BACK_OFF_S[1]
    assert again_s(Unreachable("x"), RETRIES, Place.CLOUD, half) is None


def test_a_server_here_is_not_waited_for() -> None:
    """One on this machine that isn't there is not started within a second; one that is full may have room."""
    assert again_s(Unreachable("x"), 0, Place.DEVICE, half) is None
    assert again_s(Overloaded("x", 1.0), 0, Place.DEVICE, half) == 1.0


def test_waits_are_drawn_apart() -> None:
    """By a quarter less or more."""
    assert again_s(Unreachable("x"), 0, Place.CLOUD, lambda: 0.0) == BACK_OFF_S[0] * 0.75
    assert again_s(Unreachable("x"), 0, Place.CLOUD, lambda: 1.0) == BACK_OFF_S[0] * 1.25
