"""What the system tells of changes of the network."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys

import pytest

from daemon.upstreams.link import watch
from tests.fakes.alone import ROOT

WATCH = """
import asyncio, socket, subprocess
from daemon.upstreams.link import link, watch

async def main():
    told = asyncio.Event()
    async def changed():
        told.set()
    changes = link()
    task = asyncio.create_task(watch(changes, changed))
    await asyncio.sleep(0)
    for command in ("link set lo up", "addr add 10.77.0.2/32 dev lo", "route add 10.78.0.0/16 dev lo", "link set lo down"):
        told.clear()
        await asyncio.to_thread(subprocess.run, ["ip", *command.split()], check=True)
        async with asyncio.timeout(10):
            await told.wait()
        print(command)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    print("closed" if changes.fileno() < 0 else "open")

asyncio.run(main())
"""


@pytest.mark.skipif(
    not shutil.which("unshare") or not shutil.which("ip") or os.geteuid() != 0,
    reason="needs the right to make a network namespace",
)
def test_links_addresses_and_routes_are_told() -> None:
    """Each change once it is made; the socket goes with its watcher."""
    done = subprocess.run(
        ["unshare", "--net", sys.executable, "-c", WATCH], capture_output=True, text=True, timeout=60, cwd=ROOT
    )

    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 5
    assert done.stdout.endswith("closed\n")


async def test_many_changes_are_one() -> None:
    """What comes while one is taken in is told once more, and not for each piece."""
    import socket

    sends, reads = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    reads.setblocking(False)
    told, go = 0, asyncio.Event()

    async def changed() -> None:
        nonlocal told
        told += 1
        await go.wait()

    task = asyncio.create_task(watch(reads, changed))
    await asyncio.sleep(0)
    for _ in range(20):
        sends.send(b"x")
    async with asyncio.timeout(5):
        while told < 1:
            await asyncio.sleep(0)
    for _ in range(20):
        sends.send(b"x")
    go.set()
    async with asyncio.timeout(5):
        while told < 2:
            await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    sends.close()

    assert told == 2
