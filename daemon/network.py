"""Whether this machine is on any network, and whether one leads out of it, so that nobody waits for who can't be reached.

Nobody is asked: the system's table of routes tells which address a packet would leave from, by connecting a datagram socket,
which sends nothing. The addresses that are asked for are of blocks that nobody has (RFC 5737, RFC 3849).
Where the system tells of changes (`upstreams/link.py`), a look holds until it does.
"""

from __future__ import annotations

import socket
from typing import Final, Literal

import psutil
from msgspec import Struct

from daemon.clock import Clock

FRESH_S: Final = 0.2
"""How long a look holds. Offline has to be noticed within 300 ms; a look takes 0.2 ms (measured with 4 interfaces)."""
WATCHED_S: Final = 5.0
"""The same where the system tells of changes, in case one is not told."""
_FAR: Final = ((socket.AF_INET, "198.51.100.1"), (socket.AF_INET6, "2001:db8::1"))
_ANY_PORT: Final = 9
Way = Literal["anywhere", "out"]
"""What leads to somebody: any network at all, or one that leads out of it."""


class Path(Struct, frozen=True):
    """How this machine is connected. sources: the addresses that packets for far away would leave from, one a family."""

    online: bool
    sources: tuple[str, ...]


class Network:
    """The machine's interfaces and routes, looked at as often as is worth it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._looked_at = float("-inf")
        self._path = Path(True, ())
        self.fresh_s = FRESH_S

    def online(self) -> bool:
        """Whether any interface but loopback is up and has an address that leads somewhere."""
        return self.path().online

    def leads(self, way: Way) -> bool:
        """Whether packets could go there."""
        path = self.path()
        return path.online and (way == "anywhere" or bool(path.sources))

    def path(self) -> Path:
        """How it is connected now."""
        now = self._clock.monotonic()
        if now - self._looked_at >= self.fresh_s:
            sources = _sources()
            self._path, self._looked_at = Path(bool(sources) or _look(), sources), now
        return self._path

    def look_again(self) -> None:
        """The system says that something changed."""
        self._looked_at = float("-inf")


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


def _sources() -> tuple[str, ...]:
    return tuple(source for family, far in _FAR if (source := _source(family, far)) is not None)


def _source(family: int, far: str) -> str | None:
    """Which address a packet would leave from; None: no route leads there."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.connect((far, _ANY_PORT))
            source: str = asking.getsockname()[0]
    except OSError:
        return None
    return source if _leads_out(family, source) else None
