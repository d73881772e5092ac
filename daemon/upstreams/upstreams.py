"""All providers' gates, and what the machine's network means for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from msgspec import Struct

from daemon.clock import Clock
from daemon.events import EventRing
from daemon.network import Network, Way
from daemon.upstreams.gate import Gate
from daemon.upstreams.sleep import Sleep
from daemon.upstreams.standing import Standing
from daemon.wire import Upstream
from providers.cleared import Place
from providers.places import Address

CONCURRENT: Final = {Place.DEVICE: 4, Place.LAN: 8, Place.CLOUD: 64}
"""What a provider is asked at once if its row doesn't say: a server for models here answers few at a time, and a cloud's own
limits are told by its answers.
"""


SOON_S: Final = 2.5
"""A limit that is free again within so long is waited for, and nobody else is asked in its model's place."""
NO_MODEL: Final = ""


class Row(Struct, frozen=True):
    """One provider. concurrent: None: as is usual for its place. way: what has to lead there."""

    place: Place
    concurrent: int | None = None
    way: Way = "anywhere"


def way_to(address: Address, proxied: bool) -> Way:
    """What has to lead to an address. A proxy may be in the local network, and a tunnel's end is on this machine."""
    return "out" if address is Address.PUBLIC and not proxied else "anywhere"


async def _nothing() -> None:
    """There are no connections."""


class Upstreams:
    """Those of the settings, by name. queue: how many requests may wait for one. drop: ends connections that may be dead.
    draw: in [0, 1).
    """

    def __init__(
        self,
        rows: Mapping[str, Row],
        network: Network,
        events: EventRing,
        clock: Clock,
        draw: Callable[[], float],
        queue: int = 256,
        drop: Callable[[], Awaitable[None]] = _nothing,
        sleep: Sleep | None = None,
    ) -> None:
        self.network = network
        self._events = events
        self._clock = clock
        self._drop = drop
        self._sleep = sleep or Sleep()
        self._path = network.path() if rows else None
        self._gates = {name: self._gate(name, row, queue, draw) for name, row in rows.items()}

    def _gate(self, name: str, row: Row, queue: int, draw: Callable[[], float]) -> Gate:
        def offline() -> bool:
            return row.place is not Place.DEVICE and not self.network.leads(row.way)

        now = self._clock.monotonic
        standing = Standing(row.place, now, draw, lambda: self._tell(name))
        concurrent = row.concurrent if row.concurrent is not None else CONCURRENT[row.place]
        return Gate(name, concurrent, queue, standing, offline, now, draw)

    def __getitem__(self, name: str) -> Gate:
        return self._gates[name]

    def away(self) -> dict[str, str]:
        """Who can't be asked now, providers by name and models as clients write them, and why, as a code. A model that may
        be asked again within moments is waited for.
        """
        found: dict[str, str] = {}
        for name, gate in self._gates.items():
            if (rest := gate.away(NO_MODEL)) is not None:
                found[name] = rest.reason
            for model in gate.standing.limited(SOON_S):
                found[f"{name}/{model}"] = "limited"
        return found

    def heard(self, name: str, model: str, seconds: float) -> None:
        """A provider said that its limit for a model is used up for so long."""
        self._gates[name].standing.used_up(model, seconds)

    def renew(self, name: str) -> None:
        """A provider's key or settings changed, or it was tested and answered."""
        if name in self._gates:
            self._gates[name].standing.renew()

    def shown(self, name: str) -> Upstream | None:
        """How one stands; None: the daemon doesn't ask it."""
        gate = self._gates.get(name)
        if gate is None:
            return None
        rest = gate.standing.resting
        if (whole := gate.away(NO_MODEL)) is not None:
            rest = whole
        ends = rest.ends if rest is not None else None
        trying = rest is not None and ends is None and rest.reason != "offline"
        return Upstream(
            provider=name,
            state="ready" if rest is None else "trying" if trying else rest.reason,
            back_in_s=round(max(0.0, ends - self._clock.monotonic()), 1) if ends is not None else None,
            failures=gate.standing.failures,
            limited=gate.standing.limited(),
            running=gate.queue.running,
            waiting=gate.queue.waiting,
            concurrent=gate.concurrent,
        )

    @property
    def all(self) -> tuple[Upstream, ...]:
        """How they stand, in the settings' order."""
        return tuple(shown for name in self._gates if (shown := self.shown(name)) is not None)

    def _tell(self, name: str) -> None:
        if (shown := self.shown(name)) is not None:
            self._events.emit("upstream", shown)

    # -- the machine

    async def moved(self) -> None:
        """The system says that the network changed."""
        self.network.look_again()
        await self.look()

    async def look(self) -> None:
        """Take in whether the machine was asleep, or is on another network: what was connected before is let go. Called
        before a request is sent, and whenever the system says that something changed.
        """
        if not self._gates:
            return
        slept_s = self._sleep.slept_s()
        path = self.network.path()
        if path == self._path and not slept_s:
            return
        moved, self._path = path != self._path, path
        for gate in self._gates.values():
            gate.standing.look_again(slept_s)
        await self._drop()
        if moved:
            for name in self._gates:
                self._tell(name)
