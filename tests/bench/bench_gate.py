"""What the gate before a provider adds to a call: looking at the network, a turn, and telling how it went.

python -m tests.bench.bench_gate
"""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any, Final

from daemon.clock import SystemClock
from daemon.events import EventRing
from daemon.network import WATCHED_S, Network
from daemon.upstreams.upstreams import Row, Upstreams
from providers.cleared import Place

ROUNDS: Final = 200
CALLS: Final = 100


async def nothing() -> dict[str, Any]:
    return {}


async def main() -> None:
    """Print the time of one call, and of what a decision asks."""
    clock = SystemClock()
    network = Network(clock)
    network.fresh_s = WATCHED_S
    rows = {f"work{number}": Row(Place.CLOUD, None, "out") for number in range(3)}
    upstreams = Upstreams(rows, network, EventRing(clock, nothing), clock, lambda: 0.5)
    network.leads = lambda way: True  # type: ignore[method-assign]  # wherever this is run
    calls, decisions = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(CALLS):
            await upstreams.look()
            turn = await upstreams["work0"].enter("big", "client", None, clock.monotonic() + 10)
            turn.worked()
            turn.leave()
        calls.append((time.perf_counter() - began) / CALLS)
        began = time.perf_counter()
        for _ in range(CALLS):
            upstreams.away()
        decisions.append((time.perf_counter() - began) / CALLS)
    for name, seconds in (("a call", calls), ("a decision, of 3 providers", decisions)):
        print(f"{name}: median {statistics.median(seconds) * 1e6:.1f} µs, best {min(seconds) * 1e6:.1f} µs")


if __name__ == "__main__":
    asyncio.run(main())
