"""What the server sends, and when."""

from __future__ import annotations

import asyncio
from typing import Any

from daemon.server import Together


class Wire:
    """A transport that keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def write(self, data: bytes) -> None:
        self.told.append(data)

    def close(self) -> None:
        self.told.append("closed")

    def abort(self) -> None:
        self.told.append("aborted")

    def is_closing(self) -> bool:
        return "closed" in self.told


def together() -> tuple[Together, Wire]:
    wire = Wire()
    return Together(wire, asyncio.get_running_loop()), wire


async def test_what_is_written_in_one_round_is_sent_as_one() -> None:
    """A burst is one piece in its order, and what comes later is another one."""
    transport, wire = together()
    for piece in (b"a", b"b", b"c"):
        transport.write(piece)
    assert wire.told == []

    await asyncio.sleep(0)
    assert wire.told == [b"abc"]

    transport.write(b"d")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert wire.told == [b"abc", b"d"]


async def test_closing_sends_what_was_written() -> None:
    """A last answer is out before its connection is closed, and nothing is sent behind that."""
    transport, wire = together()
    transport.write(b"bye")
    transport.close()
    assert transport.is_closing()

    await asyncio.sleep(0)
    assert wire.told == [b"bye", "closed"]


async def test_who_is_gone_is_sent_nothing() -> None:
    """A connection that was lost in the same round is not written to, which would be an error of the loop's."""
    transport, wire = together()
    transport.write(b"late")
    wire.close()

    await asyncio.sleep(0)
    assert wire.told == ["closed"]


async def test_aborting_sends_nothing_more() -> None:
    """A connection that is given up is closed as it is."""
    transport, wire = together()
    transport.write(b"late")
    transport.abort()

    await asyncio.sleep(0)
    assert wire.told == ["aborted"]
