"""Turns before a provider: how many, whose, and when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from daemon.upstreams.gate import Gate
from daemon.upstreams.standing import OPENS_AFTER, Standing
from providers.cleared import Place
from providers.contract import BadAnswer, NoCredit, NotWitnessed, Overloaded, RateLimited, Unreachable


def gate(concurrent: int = 2, queue: int = 100, offline: Callable[[], bool] = lambda: False) -> Gate:
    standing = Standing(Place.CLOUD, time.monotonic, lambda: 0.5, lambda: None, opens_within_s=0.0)
    return Gate("work", concurrent, queue, standing, offline, time.monotonic, lambda: 0.5)


def soon(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds


async def test_no_more_at_once_than_it_may_have() -> None:
    """Of 40 requests two are there at a time, and all come to their turn."""
    here, running, most = gate(2), 0, 0

    async def one(number: int) -> None:
        nonlocal running, most
        turn = await here.enter("big", f"client {number % 3}", None, soon())
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        turn.worked()
        turn.leave()

    await asyncio.gather(*(one(number) for number in range(40)))

    assert most == 2
    assert (here.queue.running, here.queue.waiting) == (0, 0)


async def test_clients_take_turns() -> None:
    """Who asks once need not wait for all of somebody who asked twenty times."""
    here, order = gate(1), list[str]()
    first = await here.enter("big", "greedy", None, soon())

    async def one(client: str) -> None:
        turn = await here.enter("big", client, None, soon())
        order.append(client)
        turn.leave()

    asking = [asyncio.create_task(one("greedy")) for _ in range(20)]
    await asyncio.sleep(0)
    asking.append(asyncio.create_task(one("modest")))
    await asyncio.sleep(0)
    first.leave()
    await asyncio.gather(*asking)

    assert order.index("modest") <= 1


async def test_who_has_no_more_patience_goes() -> None:
    """A request that waits as long as it may is told that there is no room, and by which setting; its place is free."""
    here = gate(1)
    turn = await here.enter("big", "a", None, soon())
    with pytest.raises(Overloaded, match=r"`concurrent` under \[providers.work\]") as full:
        await here.enter("big", "b", asyncio.get_running_loop().time() + 0.01, soon())

    assert full.value.again is False
    assert here.queue.waiting == 0
    turn.leave()
    assert here.queue.running == 0


async def test_a_line_has_an_end() -> None:
    """Behind so many nobody waits."""
    here = gate(1, queue=0)
    await here.enter("big", "a", None, soon())
    with pytest.raises(Overloaded):
        await here.enter("big", "b", None, soon())


async def test_a_short_limit_is_waited_for() -> None:
    """Nobody is let through before its time, and everybody after it."""
    here = gate()
    began = time.monotonic()
    here.standing.used_up("big", 0.1)
    turns = await asyncio.gather(*(here.enter("big", str(n), None, soon()) for n in range(2)))

    assert time.monotonic() - began >= 0.1
    assert len(turns) == 2


async def test_a_long_limit_is_told() -> None:
    """With what is left of it, and without asking."""
    here = gate()
    here.standing.used_up("big", 40.0)
    with pytest.raises(RateLimited) as told:
        await here.enter("big", "a", None, soon())

    assert told.value.retry_after_s == pytest.approx(40.0, abs=0.5)
    assert here.queue.running == 0


async def test_who_waits_in_line_meets_what_happened_meanwhile() -> None:
    """A provider that went out while others waited is not asked by them."""
    here = gate(1)
    turn = await here.enter("big", "a", None, soon())
    waiting = asyncio.create_task(here.enter("big", "b", None, soon()))
    await asyncio.sleep(0)
    turn.failed(NoCredit("empty"))
    turn.leave()

    with pytest.raises(NoCredit, match="isn't asked until that changes"):
        await waiting
    assert here.queue.running == 0


async def test_one_tries_for_all() -> None:
    """When its time is over one of many is let through; the rest are told to come back, until its answer has begun."""
    here = gate(8)
    for _ in range(OPENS_AFTER):
        turn = await here.enter("big", "a", None, soon())
        turn.failed(Unreachable("gone"))
        turn.leave()
    with pytest.raises(Unreachable, match="failed 5 times in a row"):
        await here.enter("big", "a", None, soon())
    here.standing.look_again()  # which brings its time forward
    found = await asyncio.gather(*(here.enter("big", "a", None, soon()) for _ in range(8)), return_exceptions=True)

    trials = [each for each in found if not isinstance(each, BaseException)]
    assert len(trials) == 1
    trials[0].worked()
    turn = await here.enter("big", "a", None, soon())
    turn.leave()
    trials[0].leave()
    assert here.queue.running == 0


async def test_a_trial_that_is_given_up_leaves_the_door_open() -> None:
    """Its client hung up before a word came."""
    here = gate()
    here.standing.failures = OPENS_AFTER - 1
    here.standing.failed("big", Unreachable("gone"))
    here.standing.look_again()
    turn = await here.enter("big", "a", None, soon())
    turn.leave()

    (await here.enter("big", "a", None, soon())).leave()


async def test_nobody_is_asked_without_a_network() -> None:
    """It is told at once."""
    here = gate(offline=lambda: True)
    with pytest.raises(Unreachable, match="no network leads to work"):
        await here.enter("big", "a", None, soon())


async def test_a_trial_that_ends_otherwise_leaves_the_door_open() -> None:
    """An empty account that answers its trial with something else is tried again, by one at a time."""
    here = gate()
    here.standing.failed("big", NoCredit("empty"))
    here.standing.look_again(slept_s=2_000.0)
    for problem in (BadAnswer("what?"), NotWitnessed("disk"), RateLimited("full", 0.0), Unreachable("gone")):
        turn = await here.enter("big", "a", None, soon())
        with pytest.raises(NoCredit):
            await here.enter("big", "b", None, soon())
        turn.failed(problem)
        turn.leave()
    turn = await here.enter("big", "a", None, soon())
    turn.worked()
    assert here.standing.rest("big") is None
    turn.leave()
