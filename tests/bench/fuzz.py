"""Wrong requests to every client protocol, as many as one likes: what must not happen is counted by address.

`uv run python tests/bench/fuzz.py --count 1000000`; one that went wrong is asked again with `--first SEED --count 1`. Each
house is a daemon of its own in this process, so a long run shows what grows, too. It ends with 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil

from tests.fakes.fuzz_cases import case
from tests.fakes.fuzz_house import Fault, fuzz, house

HOUSE: Final = 25_000
"""Requests that one daemon gets: its records stay small, and a fault is near its cause."""
SHOWN: Final = 20


async def one_house(first: int, count: int, statuses: dict[str, Counter[int]]) -> list[Fault]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NEARLOOP_HOME"] = folder
        async with house(Path(folder)) as made:
            faults = await fuzz(made, map(case, range(first, first + count)))
        for adapter, seen in made.statuses.items():
            statuses.setdefault(adapter, Counter()).update(seen)
    return faults


def table(statuses: dict[str, Counter[int]], faults: list[Fault]) -> None:
    """How often each address was asked, and how it answered."""
    wrong = Counter(fault.adapter for fault in faults)
    print(f"{'made for':32} {'requests':>9} {'2xx':>8} {'4xx':>8} {'5xx':>8} {'wrong':>6}   by status")
    rows = sorted(statuses.items(), key=lambda row: -row[1].total())
    for adapter, seen in [*rows, ("all", sum(statuses.values(), Counter()))]:
        kinds = Counter({kind: sum(n for status, n in seen.items() if status // 100 == kind) for kind in (2, 4, 5)})
        told = " ".join(f"{status}:{number}" for status, number in sorted(seen.items()))
        amiss = wrong.total() if adapter == "all" else wrong[adapter]
        print(f"{adapter:32} {seen.total():9,} {kinds[2]:8,} {kinds[4]:8,} {kinds[5]:8,} {amiss:6,}   {told}")
    print("5xx that are nobody's mistake: 501 for what Nearloop has not got, 503 for an encoder that is not here")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    wanted = parser.parse_args()
    statuses: dict[str, Counter[int]] = {}
    faults: list[Fault] = []
    began = time.monotonic()
    with suppress(KeyboardInterrupt):  # what was found until then is told
        for done in range(0, wanted.count, HOUSE):
            number = min(HOUSE, wanted.count - done)
            found = asyncio.run(one_house(wanted.first + done, number, statuses))
            for fault in found[: max(0, SHOWN - len(faults))]:
                print(f"WRONG seed {fault.seed} {fault.adapter}: {fault.why}\n      {fault.shown}")
            faults += found
            took_s, resident = time.monotonic() - began, psutil.Process().memory_info().rss >> 20
            print(
                f"{done + number:9,} of {wanted.count:,} in {took_s:6.0f} s, {len(faults)} wrong, {resident} MB",
                flush=True,
            )
    table(statuses, faults)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
