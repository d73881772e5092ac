"""What Linux tells of the machine's network: that links, addresses or routes changed, over a netlink socket (rtnetlink(7)).

What changed is not read: the tables are looked at anew. On other systems nothing is told, and they are looked at with each
request instead.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

_GROUPS: Final = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
"""RTMGRP_LINK, _IPV4_IFADDR, _IPV4_ROUTE, _IPV6_IFADDR, _IPV6_ROUTE of <linux/rtnetlink.h>."""
_PIECE_BYTES: Final = 65_536


def link() -> socket.socket | None:
    """What becomes readable with each change; None where there is no such thing, as in some containers."""
    if sys.platform != "linux":
        return None
    watched = None
    try:
        watched = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE)
        watched.bind((0, _GROUPS))
    except OSError:
        if watched is not None:
            watched.close()
        return None
    return watched


async def watch(watched: socket.socket, changed: Callable[[], Awaitable[None]]) -> None:
    """Tell of each change, several at once as one, until cancelled. Closes the socket."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def came() -> None:
        _read_past(watched)
        news.set()

    loop.add_reader(watched, came)
    try:
        while True:
            await news.wait()
            news.clear()
            await changed()
    finally:
        loop.remove_reader(watched)
        watched.close()


def _read_past(watched: socket.socket) -> None:
    with suppress(OSError):  # there is no more; or the system could not keep all of it, which is a change as well
        while watched.recv(_PIECE_BYTES):
            pass
