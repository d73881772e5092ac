"""A watch over a promise, told at any time."""

from __future__ import annotations

from random import Random

import msgspec

from daemon.confidence.drift import Watch


def watched(share: float, count: int, chance: Random, watch: Watch | None = None) -> Watch:
    watch = watch or Watch()
    for _ in range(count):
        watch = watch.after(chance.random() < share)
    return watch


def test_a_kept_promise_is_seldom_doubted() -> None:
    """At exactly the promised share of wrong answers, looking after each of 1,000, no more than 5 % of 300 watches say so."""
    chance = Random(5)

    assert sum(watched(0.05, 1000, chance).broken for _ in range(300)) / 300 <= 0.05


def test_a_broken_promise_is_found() -> None:
    """With one in four wrong instead of one in twenty, 60 answers are enough nine times in ten."""
    chance = Random(6)

    assert sum(watched(0.25, 60, chance).broken for _ in range(200)) / 200 > 0.9


def test_a_good_past_delays_but_does_not_hide() -> None:
    """After 200 faultless answers, a change to one in four wrong is found within 200 more, nine times in ten."""
    chance = Random(7)

    found = [watched(0.25, 200, chance, watched(0.0, 200, chance)).broken for _ in range(200)]

    assert sum(found) / 200 > 0.9


def test_it_stays_said_and_can_be_kept() -> None:
    """Once broken it is broken, whatever follows, and all of it is written down and read back."""
    chance = Random(8)
    watch = watched(0.0, 200, chance, watched(0.9, 40, chance))

    assert watch.broken
    assert msgspec.json.decode(msgspec.json.encode(watch), type=Watch) == watch
    assert (watch.seen, watch.wrong > 25) == (240, True)
