"""How soon a real daemon notices that it is offline, and that it is back, in a network of its own.

    unshare --net --map-root-user python -m tests.bench.bench_network [RUNS]

Within a new network namespace there is an interface with an address and a default route, and a provider at a public address
of TEST-NET-3 (RFC 5737) that this machine itself has. The route is taken away and given back, and the interface is taken
down and up, by turns. What is timed is from the system's command until the control API shows the provider as out of reach,
or as ready; after each return a request is answered.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from daemon.client import Client
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import HELLO, Upstream

PUBLIC: Final = "203.0.113.7"
GATEWAY: Final = "10.77.0.1"
SETTINGS: Final = (
    SCRIPTED.format(options="")
    + """
[providers.work]
base_url = "http://{host}:{port}/v1"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
"""
)
LONGEST_S: Final = 10.0


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def plug_in() -> None:
    ip("link", "set", "lo", "up")
    ip("addr", "add", f"{PUBLIC}/32", "dev", "lo")
    ip("link", "add", "wan0", "type", "veth", "peer", "name", "wan1")
    ip("link", "set", "wan1", "up")
    ip("addr", "add", "10.77.0.2/24", "dev", "wan0")
    ip("link", "set", "wan0", "up")
    ip("route", "add", "default", "via", GATEWAY)


def by_route() -> None:
    ip("route", "del", "default")


def by_link() -> None:
    ip("link", "set", "wan0", "down")


def back() -> None:
    ip("link", "set", "wan0", "up")
    ip("route", "add", "default", "via", GATEWAY)


def until(control: Client, state: str) -> None:
    ends = time.monotonic() + LONGEST_S
    while True:
        (work,) = control.providers().providers
        if work.upstream is not None and work.upstream.state == state:
            return
        assert time.monotonic() < ends, f"{state} did not show within {LONGEST_S} s: {work.upstream}"
        time.sleep(0.002)


def timed(control: Client, change: Callable[[], None], state: str) -> float:
    """Seconds from the change's begin."""
    began = time.monotonic()
    change()
    until(control, state)
    return time.monotonic() - began


def measure(daemon: RunningDaemon, runs: int) -> tuple[list[float], list[float]]:
    """Seconds until it was out of reach, and until it was ready again."""
    left, returned = [], []
    with daemon.client() as control:
        token = control.add_client("bench", None).token
        body = {"model": "work/big", "messages": [{"role": "user", "content": "hello"}]}
        with daemon.http(headers={"authorization": f"Bearer {token}"}) as client:

            def ask(model: str) -> int:
                return client.post("/v1/chat/completions", json={**body, "model": model}).status_code

            assert ask("work/big") == 200
            for run in range(runs):
                left.append(timed(control, by_link if run % 2 else by_route, "offline"))
                assert ask("work/big") == 503
                assert ask("auto") == 200
                returned.append(timed(control, back, "ready"))
                assert ask("work/big") == 200
    return left, returned


async def main(runs: int) -> None:
    """Print both."""
    plug_in()
    served = Upstream(HELLO)
    server = await asyncio.start_server(served.serve, PUBLIC, 0)
    port = server.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        settings = SETTINGS.format(host=PUBLIC, port=port)
        daemon = await asyncio.to_thread(
            RunningDaemon, Path(folder) / "home", settings, {"NEARLOOP_TEST_KEY": "sk-test"}
        )
        try:
            await asyncio.to_thread(daemon.wait_ready)
            left, returned = await asyncio.to_thread(measure, daemon, runs)
        finally:
            if daemon.process.poll() is None:
                await asyncio.to_thread(daemon.stop)
    server.close()
    for name, seconds in (("out of reach", left), ("ready again", returned)):
        print(
            f"{name}: median {statistics.median(seconds) * 1000:.0f} ms, max {max(seconds) * 1000:.0f} ms ({runs} runs)"
        )


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
