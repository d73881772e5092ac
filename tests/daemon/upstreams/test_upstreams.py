"""All gates, and what the network means for them."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.events import EventRing
from daemon.network import Network, Path
from daemon.upstreams.sleep import Sleep
from daemon.upstreams.upstreams import CONCURRENT, Row, Upstreams, way_to
from providers.cleared import Place
from providers.contract import NoCredit, RateLimited
from providers.places import Address
from tests.fakes.clock import HeldClock

ROWS = {
    "work": Row(Place.CLOUD, None, "out"),
    "lab": Row(Place.LAN, 3),
    "near": Row(Place.DEVICE),
}
ONLINE, INDOORS, OFFLINE = Path(True, ("10.0.0.2",)), Path(True, ()), Path(False, ())


class Plugged(Network):
    """A network as a test has it."""

    now = ONLINE

    def path(self) -> Path:
        return self.now


class Machine:
    """All of it, and what it told."""

    def __init__(self, clock: HeldClock) -> None:
        async def state() -> dict[str, Any]:
            return {}

        self.clock = clock
        self.network = Plugged(clock)
        self.events = EventRing(clock, state)
        self.told: list[Any] = []
        self.events.listen(lambda event: self.told.append(event.data))
        self.drops = 0
        self.asleep_s = 0.0
        sleep = Sleep(lambda: clock.monotonic() + self.asleep_s, clock.monotonic)
        self.upstreams = Upstreams(ROWS, self.network, self.events, clock, lambda: 0.5, drop=self.drop, sleep=sleep)

    async def drop(self) -> None:
        self.drops += 1


@pytest.fixture
def machine(clock: HeldClock) -> Machine:
    return Machine(clock)


def test_who_is_away_is_told_with_why(machine: Machine) -> None:
    """Models at their limit by themselves, providers as a whole; who is back within moments is waited for."""
    machine.upstreams["work"].standing.failed("big", RateLimited("x", 40.0))
    machine.upstreams["work"].standing.failed("small", RateLimited("x", 1.0))
    machine.upstreams["lab"].standing.failed("x", NoCredit("x"))

    assert machine.upstreams.away() == {"work/big": "limited", "lab": "no-credit"}
    assert [each.provider for each in machine.told] == ["work", "work", "lab"]
    assert machine.told[0].state == "limited"
    assert machine.told[2].state == "no-credit"


@pytest.mark.parametrize(
    ("path", "away"),
    [
        (ONLINE, {}),
        (INDOORS, {"work": "offline"}),
        (OFFLINE, {"work": "offline", "lab": "offline"}),
    ],
)
def test_where_the_network_leads(machine: Machine, path: Path, away: dict[str, str]) -> None:
    """Without a route out the local network is still there, and this machine always is."""
    machine.network.now = path

    assert machine.upstreams.away() == away


async def test_another_network_lets_connections_go(machine: Machine) -> None:
    """Once for each change, and who watches is told."""
    await machine.upstreams.look()
    assert machine.drops == 0
    machine.network.now = Path(True, ("10.8.0.7",))  # a VPN
    await machine.upstreams.look()
    await machine.upstreams.look()

    assert machine.drops == 1
    assert [each.state for each in machine.told] == ["ready"] * 3


async def test_sleep_lets_connections_go(machine: Machine) -> None:
    """Also on the same network; a limit has gone on meanwhile."""
    machine.upstreams["work"].standing.failed("big", RateLimited("x", 40.0))
    machine.asleep_s = 60.0
    await machine.upstreams.look()

    assert machine.drops == 1
    assert machine.upstreams.away() == {}


def test_how_they_stand(machine: Machine) -> None:
    """State, time and numbers, in the settings' order."""
    machine.upstreams.heard("work", "big", 40.0)
    work, lab, near = machine.upstreams.all

    assert (work.state, work.back_in_s, work.limited) == ("limited", 40.0, ("big",))
    assert (lab.state, lab.concurrent, near.concurrent) == ("ready", 3, CONCURRENT[Place.DEVICE])
    assert machine.upstreams.shown("unknown") is None
    machine.upstreams.renew("work")
    machine.upstreams.renew("unknown")
    assert machine.upstreams.all[0].state == "ready"


def test_what_leads_where() -> None:
    """A public address needs a route out; one behind a proxy, in the network or on this machine any network."""
    assert way_to(Address.PUBLIC, proxied=False) == "out"
    assert way_to(Address.PUBLIC, proxied=True) == "anywhere"
    assert {way_to(each, proxied=False) for each in (Address.LAN, Address.INDOORS, Address.LOOPBACK)} == {"anywhere"}
