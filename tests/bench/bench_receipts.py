"""What a receipt costs: on the event loop, until it is in the chain, and until the disk has it.

One after the other, and many at once, on the disk of the temporary folder. The loop's share is the processor time of its
thread; what the writing thread takes from it by holding Python's lock is in the wall-clock times.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.clock import SystemClock
from daemon.receipts.checking import check
from daemon.receipts.store import About, Receipts
from providers.cleared import Crossing, Place, Returned

ABOUT = About(
    model="big", record="0123456789abcdef", masks={"EMAIL_ADDRESS": 2}, rule="default/hard", policy="balanced: masked"
)


async def one(receipts: Receipts, place: Place) -> None:
    crossing = Crossing("api.example", place, 12_345, "ab" * 32, "work", "/v1/chat/completions")
    (await receipts.witness(ABOUT)(crossing))(Returned(200, 500, True))


async def run(folder: Path, rounds: int, at_once: int) -> None:
    receipts = Receipts(folder / "receipts", SystemClock(), "bench")
    for place in (Place.DEVICE, Place.CLOUD):
        await one(receipts, place)
        took, began_cpu = [], time.thread_time()
        for _ in range(rounds):
            began = time.perf_counter()
            await one(receipts, place)
            took.append((time.perf_counter() - began) * 1e6)
        cpu = (time.thread_time() - began_cpu) / rounds * 1e6
        synced = "on the disk" if place is Place.CLOUD else "in the file"
        print(
            f"{synced:12} p50 {statistics.median(took):8.0f} us  p99 {sorted(took)[int(rounds * 0.99)]:8.0f} us  "
            f"of the loop's thread {cpu:5.0f} us  (n = {rounds})"
        )
    began = time.perf_counter()
    await asyncio.gather(*(one(receipts, Place.CLOUD) for _ in range(at_once)))
    each = (time.perf_counter() - began) / at_once * 1e6
    print(f"{at_once} at once, on the disk: {each:.0f} us each")
    await asyncio.to_thread(receipts.close)
    began = time.perf_counter()
    chain = check(folder / "receipts")
    took_s = time.perf_counter() - began
    size = sum(path.stat().st_size for path in (folder / "receipts").iterdir())
    print(
        f"check: {chain.links} links in {took_s * 1000:.0f} ms ({took_s / chain.links * 1e6:.1f} us each), {size / chain.links:.0f} bytes each"
    )
    file = os.open(folder / "x", os.O_WRONLY | os.O_CREAT)
    waits = []
    for _ in range(min(rounds, 200)):
        os.write(file, b"x" * 700)
        began = time.perf_counter()
        getattr(os, "fdatasync", os.fsync)(file)
        waits.append((time.perf_counter() - began) * 1e6)
    print(f"the disk alone: p50 {statistics.median(waits):.0f} us")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder), given.rounds, given.at_once))


if __name__ == "__main__":
    main()
