"""Ten thousand requests over servers that fail at random: `uv run python tests/bench/bench_faults.py [--count N] [--seed N]`.

Each has to get one whole answer or one clear error, and the ledger's tokens have to be the servers' own. Exit status 1 if not.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fakes.fault_campaign import campaign, report


def main() -> None:
    """Ask, and print what became of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        tally = asyncio.run(campaign(Path(folder) / "home", wanted.count, wanted.seed))
    print(report(tally, time.perf_counter() - began))
    sys.exit(tally.wrong != [] or tally.told != tally.logged or tally.answers + tally.errors != wanted.count)


if __name__ == "__main__":
    main()
