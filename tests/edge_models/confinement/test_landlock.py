"""Landlock: what a domain keeps a process from, by the kernel's own word."""

from __future__ import annotations

import sys

import pytest

from tests.fakes.alone import alone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")

TRIES = """
import os, socket, sys
from edge_models.confinement import landlock

def attempt(name, call):
    try:
        call()
        print(name, "yes")
    except OSError:
        print(name, "no")

version = landlock.install() if sys.argv[1] == "held" else 9
print(version)
parent = os.getppid()
listening = socket.socket()
attempt("memory", lambda: os.close(os.open(f"/proc/{parent}/mem", os.O_RDONLY)))
attempt("bind", lambda: listening.bind(("127.0.0.1", 0)))
attempt("signal", lambda: os.kill(parent, 0))
"""


def test_a_domain_keeps_others_out_of_reach() -> None:
    """Inside, the parent's memory can't be opened; and from the interfaces that have it on, no bind and no signal."""
    free = alone(TRIES, "free").stdout.split()
    if free[1:] != ["memory", "yes", "bind", "yes", "signal", "yes"]:
        pytest.skip("this system refuses them to everybody")

    version, *told = alone(TRIES, "held").stdout.split()
    if version == "0":
        pytest.skip("this kernel has no Landlock")

    assert dict(zip(told[::2], told[1::2], strict=True)) == {
        "memory": "no",
        "bind": "no" if int(version) >= 4 else "yes",
        "signal": "no" if int(version) >= 6 else "yes",
    }
