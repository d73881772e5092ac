"""The ring of events: numbers, the full state, and waiting."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from daemon.events import EventRing
from daemon.wire import Event, Events
from tests.fakes.clock import HeldClock

LONG_S = 60.0
"""Longer than any test runs: who waits this long was woken, or fails by its timeout."""


async def picture() -> dict[str, Any]:
    return {"everything": True}


@pytest.fixture
def ring(clock: HeldClock) -> EventRing:
    return EventRing(clock, picture, capacity=3)


def emit(ring: EventRing, count: int) -> None:
    for number in range(count):
        ring.emit("model", {"n": number})


async def waiting_read(ring: EventRing, since: int) -> asyncio.Task[Events]:
    """A read that has come to its waiting place."""
    task = asyncio.create_task(ring.read(since, LONG_S))
    await asyncio.sleep(0)
    assert not task.done()
    return task


async def test_events_are_numbered_from_one_without_gaps(ring: EventRing, clock: HeldClock) -> None:
    """Each event has the next number, the time of its making, its kind, its data and its record."""
    ring.emit("model", {"a": 1})
    clock.advance(2)
    ring.emit("record", {}, "abc")

    read = await ring.read(0, 0)

    assert [event.seq for event in read.events] == [1, 2]
    assert read.events[1] == Event(2, clock.now(), "record", {}, "abc")
    assert (read.events[1].at - read.events[0].at).total_seconds() == 2
    assert read.next == 2


async def test_a_first_read_is_the_full_state(ring: EventRing, clock: HeldClock) -> None:
    """Who comes without a number gets everything, and the number to go on from."""
    emit(ring, 2)

    read = await ring.read(None, LONG_S)

    assert read == Events(2, (Event(2, clock.now(), "state", {"everything": True}),))


async def test_only_what_is_newer_is_read(ring: EventRing) -> None:
    """A read gives the events after its number, and none at all if there are none and it does not wait."""
    emit(ring, 3)

    assert [event.seq for event in (await ring.read(1, 0)).events] == [2, 3]
    assert await ring.read(3, 0) == Events(3, ())


@pytest.mark.parametrize(("since", "kinds"), [(0, ["state"]), (1, ["state"]), (2, ["model"] * 3), (3, ["model"] * 2)])
async def test_who_falls_behind_the_ring_gets_the_state_again(ring: EventRing, since: int, kinds: list[str]) -> None:
    """With 5 events in a ring of 3, everybody who saw number 2 loses nothing and everybody else starts anew."""
    emit(ring, 5)

    read = await ring.read(since, LONG_S)

    assert [event.kind for event in read.events] == kinds
    assert read.next == 5


async def test_what_was_told_of_requests_is_forgotten(ring: EventRing, clock: HeldClock) -> None:
    """Who has read it goes on, anybody else gets the state; news of other things stay."""
    ring.emit("model", {})
    ring.emit("record", {}, "aa")
    clock.advance(1)
    ring.forget(clock.now())
    ring.emit("purged", {})

    assert [event.kind for event in (await ring.read(1, 0)).events] == ["state"]
    assert [event.kind for event in (await ring.read(2, 0)).events] == ["purged"]
    ring.emit("receipt", {}, "bb")
    ring.forget(clock.now())
    assert [event.kind for event in (await ring.read(3, 0)).events] == ["receipt"]


async def test_a_number_from_the_future_is_a_restart(ring: EventRing) -> None:
    """A number that was never given out is of an earlier daemon: the state comes again, without waiting."""
    emit(ring, 1)

    read = await ring.read(7, LONG_S)

    assert [event.kind for event in read.events] == ["state"]
    assert read.next == 1


async def test_an_event_wakes_every_waiting_reader(ring: EventRing) -> None:
    """Who waits gets the next event at once."""
    emit(ring, 1)
    waiting = [await waiting_read(ring, 1) for _ in range(2)]

    ring.emit("record", {})

    for read in await asyncio.gather(*waiting):
        assert [event.kind for event in read.events] == ["record"]
        assert read.next == 2


async def test_an_event_wakes_a_reader_of_a_ring_that_was_empty(ring: EventRing) -> None:
    """Number 0 of a fresh daemon waits for the first event."""
    waiting = await waiting_read(ring, 0)

    emit(ring, 1)

    assert [event.seq for event in (await waiting).events] == [1]


async def test_waiting_ends_after_its_time(ring: EventRing) -> None:
    """A reader who waited long enough goes home with nothing and its own number."""
    assert await ring.read(0, 0.01) == Events(0, ())


async def test_closing_wakes_everybody_and_lets_nobody_wait(ring: EventRing) -> None:
    """A stop waits for no watcher, neither for those who wait nor for those who come later."""
    waiting = await waiting_read(ring, 0)

    ring.close()

    assert await waiting == Events(0, ())
    ring.emit("model", {})
    async with asyncio.timeout(1):
        assert await ring.read(1, LONG_S) == Events(1, ())


async def test_a_burst_over_the_ring_is_not_a_gap(ring: EventRing) -> None:
    """A waiting reader who is overrun by more events than the ring holds gets the state, not a hole in the numbers."""
    waiting = await waiting_read(ring, 0)

    emit(ring, 5)

    read = await waiting
    assert [event.kind for event in read.events] == ["state"]
    assert read.next == 5


async def test_a_change_while_the_state_is_made_is_not_lost(clock: HeldClock) -> None:
    """An event that comes while the state is put together is read again afterwards."""

    async def slow() -> dict[str, Any]:
        ring.emit("model", {})
        return {}

    ring = EventRing(clock, slow)
    first = await ring.read(None, 0)
    then = await ring.read(first.next, 0)

    assert [event.kind for event in then.events] == ["model"]


async def test_listeners_hear_each_event_once(ring: EventRing) -> None:
    """A listener is called with every event from then on, in order."""
    heard: list[int] = []
    emit(ring, 1)
    ring.listen(lambda event: heard.append(event.seq))

    emit(ring, 4)

    assert heard == [2, 3, 4, 5]
