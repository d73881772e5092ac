"""The watch over a connection, with no server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from daemon.surfaces.hang_up import HungUp, Watch
from providers.contract import BadAnswer

NEVER_S = 60.0


class Connection:
    """A client that goes away when told to."""

    def __init__(self, *before: dict[str, Any]) -> None:
        self._before = list(before)
        self.gone = asyncio.Event()
        self.watched = asyncio.Event()
        self.cancelled = False

    async def receive(self) -> Any:
        self.watched.set()
        if self._before:
            return self._before.pop(0)
        try:
            await self.gone.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return {"type": "http.disconnect"}


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncGenerator[None, None]:
    """Whatever was started is ended."""
    yield
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_client_that_stays_changes_nothing() -> None:
    """While the client stays, the work goes on, and nobody watches the connection any more after it."""
    connection = Connection()

    async with Watch(connection.receive, 0), asyncio.timeout(10):
        await connection.watched.wait()

    assert connection.cancelled


async def test_quick_work_is_not_watched() -> None:
    """Work that is done before the watch begins costs no task."""
    connection = Connection()

    async with Watch(connection.receive, NEVER_S):
        await asyncio.sleep(0)

    assert not connection.watched.is_set()


@pytest.mark.parametrize("late_s", [0, NEVER_S])
async def test_an_error_of_the_work_passes_through(late_s: float) -> None:
    """An error of the work is raised as it is."""
    with pytest.raises(BadAnswer, match="broke"):
        async with Watch(Connection().receive, late_s):
            await asyncio.sleep(0.01)
            raise BadAnswer("broke")


@pytest.mark.parametrize("before", [(), ({"type": "http.request", "body": b""},)])
async def test_a_client_that_hangs_up_cancels_the_work(before: tuple[dict[str, Any], ...]) -> None:
    """When the client goes, the work is cancelled and ends before HungUp is raised; what it sent before changes nothing."""
    connection = Connection(*before)
    ended: list[str] = []

    with pytest.raises(HungUp):
        async with Watch(connection.receive, 0), asyncio.timeout(10):
            try:
                await connection.watched.wait()
                connection.gone.set()
                await asyncio.sleep(NEVER_S)
            finally:
                await asyncio.sleep(0)  # ending may take its time
                ended.append("cancelled")

    assert ended == ["cancelled"]
    task = asyncio.current_task()
    assert task
    assert task.cancelling() == 0
    await asyncio.sleep(0)  # and whoever caught it goes on


async def test_work_that_ends_all_the_same_counts() -> None:
    """Work that takes no notice of the cancellation has its end."""
    connection = Connection()
    connection.gone.set()

    async with Watch(connection.receive, 0):
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(NEVER_S)

    task = asyncio.current_task()
    assert task
    assert task.cancelling() == 0


@pytest.mark.parametrize("gone", [False, True])
async def test_cancelling_from_outside_stays_a_cancellation(gone: bool) -> None:
    """A stop of the daemon takes the work and the watch with it, also if the client goes at the same time."""
    connection = Connection()

    async def work() -> None:
        async with Watch(connection.receive, 0):
            await asyncio.sleep(NEVER_S)

    task = asyncio.create_task(work())
    await connection.watched.wait()
    task.cancel()
    if gone:
        connection.gone.set()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert connection.cancelled or gone
