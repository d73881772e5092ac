"""The fair line: whose turn it is, how many run, and that no slot and nobody is lost."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from daemon.errors import NoCandidate
from daemon.fair_queue import FairQueue, Place
from providers.contract import Overloaded


@asynccontextmanager
async def slot(queue: FairQueue, client: str, until: float | None = None) -> AsyncIterator[Place]:
    """A slot, waited for."""
    place = queue.enter(client)
    try:
        assert await place.comes(until)
        yield place
    finally:
        place.leave()


class Line:
    """A queue, and guests that stay in their slot until told to go."""

    def __init__(self, slots: int, limit: int = 100) -> None:
        self.queue = FairQueue(limit)
        self.queue.open(slots)
        self.entered: list[str] = []
        self._leave: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str) -> None:
        """Guests of the client that their first letter names; each is in a slot or in the line afterwards."""
        for name in names:
            self._leave[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._guest(name))
            await asyncio.sleep(0)

    async def _guest(self, name: str) -> None:
        async with slot(self.queue, name[0]):
            self.entered.append(name)
            await self._leave[name].wait()

    async def go(self, *names: str) -> None:
        """Guests leave their slots, one after the other."""
        for name in names:
            self._leave[name].set()
            await self.tasks[name]
            await asyncio.sleep(0)

    @property
    def counts(self) -> tuple[int, int]:
        return self.queue.running, self.queue.waiting


async def test_slots_are_given_at_once_until_there_are_none() -> None:
    """As many run as there are slots; the others wait."""
    line = Line(2)
    await line.come("a1", "a2", "b1")

    assert line.entered == ["a1", "a2"]
    assert line.counts == (2, 1)
    await line.go("a1", "a2", "b1")
    assert line.counts == (0, 0)


async def test_clients_take_turns() -> None:
    """A client that queued much gets no more turns than one that queued little."""
    line = Line(1)
    await line.come("a0", "a1", "a2", "a3", "b1", "b2", "c1")
    await line.go("a0", "a1", "b1", "c1", "a2", "b2", "a3")

    assert line.entered == ["a0", "a1", "b1", "c1", "a2", "b2", "a3"]


async def test_a_client_that_comes_back_stands_behind_the_others() -> None:
    """Who has just had a turn and asks again does not overtake a client that waits."""
    line = Line(1)
    await line.come("a0", "b1", "b2")
    await line.go("a0")
    await line.come("a1", "a2")
    await line.go("b1", "b2", "a1", "a2")

    assert line.entered == ["a0", "b1", "b2", "a1", "a2"]


async def test_one_client_is_served_in_order() -> None:
    """Within one client, first come is first served."""
    line = Line(1)
    names = [f"a{number}" for number in range(6)]
    await line.come(*names)
    await line.go(*names)

    assert line.entered == names


async def test_a_full_line_is_told_when_to_come_back() -> None:
    """Over the limit nobody is kept waiting: the refusal says how many wait and when to try again."""
    line = Line(1, limit=2)
    await line.come("a1", "a2", "b1")

    with pytest.raises(Overloaded, match="2 requests are waiting") as caught:
        async with slot(line.queue, "c"):
            pass

    assert 1 <= caught.value.retry_after_s <= 60
    assert line.counts == (1, 2)
    await line.go("a1", "a2", "b1")
    assert line.counts == (0, 0)


async def test_a_limit_of_nothing_still_has_its_slots() -> None:
    """With a line of length 0 a free slot is given, and without one the answer is no at once."""
    line = Line(1, limit=0)
    await line.come("a1")

    assert line.entered == ["a1"]
    with pytest.raises(Overloaded):
        async with slot(line.queue, "a"):
            pass
    await line.go("a1")


@pytest.mark.parametrize(("waiting", "slots"), [(0, 1), (1, 0), (500, 1), (500, 500)])
async def test_the_hint_is_between_a_second_and_a_minute(waiting: int, slots: int) -> None:
    """However long the line, a client is told to come back in 1 to 60 seconds."""
    queue = FairQueue(1000)
    queue.open(slots)
    queue.waiting = waiting

    assert 1 <= queue.retry_after_s <= 60
    queue.waiting = 0


async def test_a_longer_line_is_a_longer_hint() -> None:
    """The hint grows with what stands in front."""
    line = Line(1)
    await line.come(*(f"a{number}" for number in range(3)))
    short = line.queue.retry_after_s
    await line.come(*(f"b{number}" for number in range(9)))

    assert line.queue.retry_after_s > short
    for task in line.tasks.values():
        task.cancel()
    await asyncio.gather(*line.tasks.values(), return_exceptions=True)
    assert line.counts == (0, 0)


async def test_who_is_cancelled_while_waiting_leaves_the_line() -> None:
    """A waiter that goes away is not counted any more, and those behind it move up."""
    line = Line(1)
    await line.come("a0", "b1", "c1")
    line.tasks["b1"].cancel()
    with pytest.raises(asyncio.CancelledError):
        await line.tasks["b1"]

    assert line.counts == (1, 1)
    await line.go("a0", "c1")
    assert line.entered == ["a0", "c1"]
    assert line.counts == (0, 0)


@pytest.mark.parametrize("cancel_first", [True, False])
async def test_a_slot_granted_to_one_who_is_cancelled_passes_on(cancel_first: bool) -> None:
    """If the slot comes in the same moment as the cancelling, in either order, the next in line gets it."""
    queue = FairQueue(10)
    queue.open(0)
    entered: list[str] = []

    async def guest(name: str) -> None:
        async with slot(queue, name):
            entered.append(name)

    first, second = asyncio.create_task(guest("a")), asyncio.create_task(guest("b"))
    await asyncio.sleep(0)
    assert queue.waiting == 2

    for step in (first.cancel, lambda: queue.open(1)) if cancel_first else (lambda: queue.open(1), first.cancel):
        step()
    async with asyncio.timeout(5):
        await asyncio.gather(first, second, return_exceptions=True)

    assert entered == ["b"]
    assert first.cancelled()
    assert (queue.running, queue.waiting) == (0, 0)


async def test_an_error_inside_gives_the_slot_back() -> None:
    """Work that fails frees its slot."""
    line = Line(1)

    with pytest.raises(ZeroDivisionError):
        async with slot(line.queue, "a"):
            raise ZeroDivisionError

    assert line.counts == (0, 0)
    await line.come("b1")
    assert line.entered == ["b1"]
    await line.go("b1")


async def test_failing_all_sends_the_line_home_and_leaves_the_running() -> None:
    """Everybody who waits gets the error, whoever runs goes on, and the line is open for others."""
    line = Line(1)
    await line.come("a0", "a1", "b1")
    line.queue.fail_all(NoCandidate("gone"))

    for name in ("a1", "b1"):
        with pytest.raises(NoCandidate, match="gone"):
            await line.tasks[name]
    assert line.counts == (1, 0)
    await line.come("c1")
    await line.go("a0", "c1")
    assert line.entered == ["a0", "c1"]
    assert line.counts == (0, 0)


async def test_failing_all_and_cancelling_at_once_loses_no_count() -> None:
    """A waiter that is cancelled and sent home in the same moment is counted out once."""
    for cancel_first in (True, False):
        line = Line(1)
        await line.come("a0", "b1")
        if cancel_first:
            line.tasks["b1"].cancel()
        line.queue.fail_all(NoCandidate("gone"))
        if not cancel_first:
            line.tasks["b1"].cancel()
        await asyncio.gather(line.tasks["b1"], return_exceptions=True)

        assert line.counts == (1, 0)
        await line.go("a0")
        assert line.counts == (0, 0)


async def test_closed_it_keeps_the_line() -> None:
    """With no slots nobody gets in and nobody is lost; once it opens, the line moves in its order."""
    line = Line(0)
    await line.come("a1", "a2", "b1")
    assert (line.entered, line.counts) == ([], (0, 3))

    line.queue.open(2)
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert line.entered == ["a1", "b1"]
    assert line.counts == (2, 1)
    await line.go("a1", "b1", "a2")


async def test_fewer_slots_than_running_lets_them_finish_first() -> None:
    """When slots are taken away, nobody new gets in until as many have left."""
    line = Line(3)
    await line.come("a1", "a2", "a3", "b1")
    line.queue.open(1)

    await line.go("a1", "a2")
    assert line.counts == (1, 1)
    await line.go("a3")
    assert line.entered == ["a1", "a2", "a3", "b1"]
    await line.go("b1")
    assert line.counts == (0, 0)


async def test_who_waits_too_long_is_sent_home_with_a_hint() -> None:
    """At the end of its time a request leaves the line with a hint when to come back, and those behind it move up."""
    line = Line(1)
    await line.come("a0", "b1")
    soon = asyncio.get_running_loop().time() + 0.02

    with pytest.raises(Overloaded, match="as long as it may") as caught:
        async with slot(line.queue, "c", soon):
            pass

    assert caught.value.retry_after_s >= 1
    assert line.counts == (1, 1)
    await line.go("a0", "b1")
    assert line.counts == (0, 0)


async def test_time_over_is_no_matter_for_who_has_a_slot() -> None:
    """A free slot is given even to a request whose time in line is over."""
    line = Line(1)

    async with slot(line.queue, "a", asyncio.get_running_loop().time() - 1):
        assert line.counts == (1, 0)


async def test_news_wake_who_waits_and_keep_the_place() -> None:
    """A waiter that is told news learns that it is not its turn yet, and is still in the line."""
    line = Line(1)
    await line.come("a0")
    place = line.queue.enter("b")
    news = asyncio.get_running_loop().create_future()
    news.set_result(None)

    assert not await place.comes(news=news)
    assert line.counts == (1, 1)
    await line.go("a0")
    assert await place.comes(news=news)
    place.leave()
    place.leave()
    assert line.counts == (0, 0)


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_happens_nobody_is_lost(seed: int) -> None:
    """Under random arrivals, cancellings, closings and failures, slots are never exceeded and everybody gets an end."""
    dice = random.Random(seed)
    queue = FairQueue(limit=15)
    slots = 0
    ends: Counter[str] = Counter()
    inside = 0

    async def guest(client: str) -> None:
        nonlocal inside
        try:
            async with slot(queue, client):
                inside += 1
                assert inside <= queue.running <= 4
                try:
                    for _ in range(dice.randrange(4)):
                        await asyncio.sleep(0)
                finally:
                    inside -= 1
            ends["served"] += 1
        except (Overloaded, NoCandidate, asyncio.CancelledError) as end:
            ends[type(end).__name__] += 1

    tasks: list[asyncio.Task[None]] = []
    for _ in range(300):
        match dice.randrange(10):
            case 0:
                slots = dice.choice([0, 1, 2, 4])
                queue.open(slots)
            case 1 if tasks:
                dice.choice(tasks).cancel()
            case 2 if dice.randrange(10) == 0:
                queue.fail_all(NoCandidate("gone"))
            case 3 | 4 | 5 | 6:
                tasks.append(asyncio.create_task(guest(dice.choice("abc"))))
            case _:
                await asyncio.sleep(0)
        assert queue.running >= 0
        assert 0 <= queue.waiting <= 15
    queue.open(4)

    async with asyncio.timeout(10):
        results = await asyncio.gather(*tasks, return_exceptions=True)

    never_began = sum(isinstance(result, asyncio.CancelledError) for result in results)
    assert [result for result in results if result is not None and not isinstance(result, asyncio.CancelledError)] == []
    assert ends.total() + never_began == len(tasks)
    assert ends["served"] > 0
    assert (queue.running, queue.waiting) == (0, 0)


async def test_the_wait_is_told_beforehand() -> None:
    """None while a slot is free; then the rounds that are waiting, at the recent pace."""
    line = Line(1)
    assert line.queue.wait_s == 0

    await line.come("a1")
    one = line.queue.wait_s
    await line.come("b1")

    assert line.queue.wait_s == 2 * one > 0
    line.queue.fail_all(NoCandidate("over"))
    for task in line.tasks.values():
        task.cancel()
    await asyncio.gather(*line.tasks.values(), return_exceptions=True)
