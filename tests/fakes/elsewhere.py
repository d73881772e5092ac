"""Another machine, as far as a network is concerned: a network namespace of the kernel's, and a cable to it.

A container on a bridge, WSL behind its switch and a machine on the same network all look like this to a daemon.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

SETTLED_S: Final = 30


def can_have_one() -> bool:
    """Whether this user may lay cables here."""
    if not sys.platform.startswith("linux") or os.getuid() != 0:
        return False
    try:
        return subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


needs_one: Final = pytest.mark.skipif(not can_have_one(), reason="needs root on Linux, for a network namespace")


class Elsewhere:
    """It. here, here6: this machine's addresses on the cable."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.here = f"198.51.{100 + number % 2}.{number // 2 % 60 * 4 + 1}"  # of networks that are for examples
        self.here6 = f"2001:db8:{number:x}::1"

    def run(self, *command: str, check: int = 0, environment: dict[str, str] | None = None) -> str:
        """Run a command there to its end, and return what it printed."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.name, *command],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **(environment or {})},
        )
        assert done.returncode == check, done.stdout + done.stderr
        return done.stdout

    def curl(self, url: str, *options: str, token: str | None = None) -> tuple[int, str]:
        """Ask from there; returns the status and the body."""
        known = ["-H", f"Authorization: Bearer {token}"] if token else []
        told = self.run("curl", "-sS", "--noproxy", "*", "-m", "20", "-w", "\n%{http_code}", *known, *options, url)
        body, _, status = told.rpartition("\n")
        return int(status), body


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    """Lay the cable, and take it away."""
    number = os.getpid() % 60_000
    name, ours, theirs = f"nl-far-{number}", f"nl-a{number}", f"nl-b{number}"
    far = Elsewhere(name, number)
    there, there6 = far.here.rpartition(".")[0] + f".{int(far.here.rpartition('.')[2]) + 1}", far.here6[:-1] + "2"
    _ip("netns", "add", name)
    try:
        _ip("link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", name)
        _ip("address", "add", f"{far.here}/30", "dev", ours)
        _ip("-6", "address", "add", f"{far.here6}/64", "dev", ours, "nodad")
        _ip("link", "set", ours, "up")
        _ip("-n", name, "address", "add", f"{there}/30", "dev", theirs)
        _ip("-n", name, "-6", "address", "add", f"{there6}/64", "dev", theirs, "nodad")
        _ip("-n", name, "link", "set", theirs, "up")
        _ip("-n", name, "link", "set", "lo", "up")
        yield far
    finally:
        _ip("netns", "delete", name)  # and the cable with it
        subprocess.run(["ip", "link", "delete", ours], capture_output=True, check=False)  # had it not got that far


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=SETTLED_S)
