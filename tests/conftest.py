"""What every test gets: folders of its own, a clock that can be held, and no network beyond this machine."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from daemon.paths import Paths, paths
from tests.fakes.clock import HeldClock

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs behind it, and children inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")  # no test is about time: a busy machine is no fault


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """NEARLOOP_HOME, so that no test sees the user's own files."""
    folder = tmp_path / "home"
    monkeypatch.setenv("NEARLOOP_HOME", str(folder))
    return folder


@pytest.fixture
def where(home: Path) -> Paths:
    """The paths under this test's home."""
    return paths()


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where engines keep what they make of model files: made once a run."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def clock() -> HeldClock:
    """Time that moves when the test says so."""
    return HeldClock()


def is_loopback(address: Any) -> bool:
    """Whether a socket address stays on this machine."""
    host = address[0] if isinstance(address, tuple) else None
    if not isinstance(host, str):
        return True  # AF_UNIX, AF_NETLINK
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail the test on any connection or datagram that would leave this machine."""
    strays: list[Any] = []

    def guarded(name: str) -> None:
        original = getattr(socket.socket, name)

        def call(self: socket.socket, *args: Any) -> Any:
            address = args[-1]
            if name == "connect" and self.type == socket.SOCK_DGRAM:
                return original(self, *args)  # which asks the table of routes and sends nothing (daemon/network.py)
            if self.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(address):
                strays.append(address)
                raise OSError(f"a test tried to reach {address}")
            return original(self, *args)

        monkeypatch.setattr(socket.socket, name, call)

    for name in ("connect", "connect_ex", "sendto"):
        guarded(name)
    yield
    assert not strays
