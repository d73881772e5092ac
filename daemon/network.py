"""Whether this machine is on any network at all, so that nobody waits for a cloud that can't be reached."""

from __future__ import annotations

import socket
from typing import Final

import psutil

from daemon.clock import Clock

FRESH_S: Final = 0.2
"""How long a look holds. Offline has to be noticed within 300 ms; a look takes 0.2 ms (measured with 4 interfaces)."""


class Network:
    """The machine's interfaces, looked at as often as is worth it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._looked_at = float("-inf")
        self._online = True

    def online(self) -> bool:
        """Whether any interface but loopback is up and has an address that leads somewhere."""
        now = self._clock.monotonic()
        if now - self._looked_at >= FRESH_S:
            self._online, self._looked_at = _look(), now
        return self._online


def _look() -> bool:
    """A further address of an interface can have a name of its own, such as eth0:1, which is up when eth0 is."""
    up = {name for name, state in psutil.net_if_stats().items() if state.isup}
    for name, addresses in psutil.net_if_addrs().items():
        if name.partition(":")[0] in up and any(_leads_out(address.family, address.address) for address in addresses):
            return True
    return False


def _leads_out(family: int, address: str) -> bool:
    if family == socket.AF_INET:
        return not address.startswith(("127.", "169.254."))
    if family == socket.AF_INET6:
        return not address.startswith(("::1", "fe80"))
    return False
