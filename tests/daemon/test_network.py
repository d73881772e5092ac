"""Whether there is any network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from daemon import network
from daemon.network import FRESH_S, Network
from tests.fakes.alone import ROOT
from tests.fakes.clock import HeldClock

LOOK = (
    "from daemon.clock import SystemClock; from daemon.network import Network; print(Network(SystemClock()).online())"
)


def test_a_look_holds_for_a_moment(clock: HeldClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system is asked again after FRESH_S, which is well under 300 ms."""
    states = [True, False]
    monkeypatch.setattr(network, "_look", lambda: states.pop(0))
    monkeypatch.setattr(network, "_sources", tuple)
    looked = Network(clock)

    assert looked.online()
    clock.advance(FRESH_S / 2)
    assert looked.online()
    clock.advance(FRESH_S)
    assert not looked.online()
    assert FRESH_S < 0.3


alone = pytest.mark.skipif(
    not shutil.which("unshare") or os.geteuid() != 0, reason="needs the right to make a network namespace"
)


@alone
def test_a_machine_without_a_network(tmp_path: object) -> None:
    """In a network namespace that has loopback alone, this machine is offline."""
    done = subprocess.run(["unshare", "-n", sys.executable, "-c", LOOK], capture_output=True, text=True, timeout=30)

    assert done.stdout.strip() == "False", done.stderr


@alone
def test_an_address_with_a_name_of_its_own() -> None:
    """An address that stands beside another on its interface leads out as well."""
    command = ["unshare", "-n", sys.executable, "tests/agents/alone.py", sys.executable, "-c", LOOK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, cwd=ROOT)

    assert done.stdout.strip() == "True", done.stderr
