"""Tests of how fast and how busy those who answer are."""

from __future__ import annotations

from daemon.routing.speeds import KEPT, Speeds
from daemon.wire import Attempt


def attempt(first_ms: float | None = 100.0, tokens: int = 11, model: str = "big", outcome: str = "answered") -> Attempt:
    return Attempt("work", model, outcome, 300.0, first_ms, completion_tokens=tokens)  # type: ignore[arg-type]


def test_answers_are_measured() -> None:
    """Time to the first token, and between the others."""
    speeds = Speeds()

    speeds.learn([attempt()])

    assert speeds.of("work/big").ttft_ms == (100.0,)
    assert speeds.of("work/big").tpot_ms == (20.0,)
    assert speeds.of("work/other").ttft_ms == ()


def test_what_is_no_measure() -> None:
    """Failures, silence, and answers too short to tell."""
    speeds = Speeds()

    speeds.learn([attempt(outcome="failed"), attempt(first_ms=None), attempt(tokens=2)])

    assert speeds.of("work/big").ttft_ms == (100.0,)
    assert speeds.of("work/big").tpot_ms == ()


def test_old_ones_go() -> None:
    """Of each the newest count, and of all not more than can be named."""
    speeds = Speeds()

    for place in range(KEPT + 5):
        speeds.learn([attempt(float(place))])
    speeds.learn([attempt(model=str(place)) for place in range(2000)])

    assert speeds.of("work/big").ttft_ms == ()
    assert speeds.of("work/1999").ttft_ms == (100.0,)


def test_busy() -> None:
    """Counted while it lasts."""
    speeds = Speeds()

    speeds.began("a")
    speeds.began("a")
    speeds.ended("a")

    assert (speeds.busy("a"), speeds.busy("b")) == (1, 0)
