"""What tests of the dashboard get: one time zone, and an app that listens to a played daemon."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from textual.pilot import Pilot

from daemon.paths import Paths
from tests.fakes.played_daemon import PlayedDaemon, playing
from tests.fakes.told_records import a_day
from tui.app import Dashboard

Opening = Callable[..., AbstractAsyncContextManager[Pilot[None]]]


@pytest.fixture(autouse=True)
def one_time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times on screens are those of the user's machine."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("NO_COLOR", raising=False)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
async def played(where: Paths) -> AsyncIterator[PlayedDaemon]:
    """A daemon that had a day."""
    async with playing(PlayedDaemon(where, a_day())) as daemon:
        yield daemon


@pytest.fixture
def opening(where: Paths) -> Opening:
    """`async with opening(size=…, theme=…) as pilot`: the dashboard, once it has heard of the daemon."""

    @asynccontextmanager
    async def opened(size: tuple[int, int] = (120, 40), theme: str | None = "dark") -> AsyncIterator[Pilot[None]]:
        app = Dashboard(where, theme)
        app.animation_level = "none"
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.link.picture.status is not None or app.link.trouble is not None)
            yield pilot

    return opened


async def until(pilot: Pilot[None], condition: Callable[[], bool], timeout_s: float = 20.0) -> None:
    """Until it holds and is painted, or fail."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        await pilot.pause(0.01)
    await pilot.pause()
