"""A question to the daemon, off the event loop."""

from __future__ import annotations

import pytest

from daemon.client import NotRunning, Rejected
from daemon.paths import Paths
from tests.fakes.played_daemon import PlayedDaemon
from tui.link import Link


async def test_it_answers(played: PlayedDaemon, where: Paths) -> None:
    """The client's answer comes back."""
    assert len((await Link(where).call(lambda client: client.records(None, 50))).records) == len(played.records)


async def test_it_refuses(played: PlayedDaemon, where: Paths) -> None:
    """A refusal is the client's."""
    played.refusals["GET models"] = "not today"
    with pytest.raises(Rejected, match="not today"):
        await Link(where).call(lambda client: client.models())


async def test_nobody_is_there(where: Paths) -> None:
    """Without a daemon it says so."""
    with pytest.raises(NotRunning):
        await Link(where).call(lambda client: client.models())
