"""All benchmarks in turn: `uv run python tests/bench/run.py [--quick]`. They print, and never fail on a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
QUICK: Final = {
    "bench_start.py": ["--rounds", "3"],
    "bench_http.py": ["--requests", "300"],
    "bench_receipts.py": ["--rounds", "300"],
    "bench_relay.py": ["--pairs", "100", "--rounds", "3"],
    "bench_faults.py": ["--count", "300"],
    "bench_idle_streams.py": ["--rounds", "1"],
    "bench_dashboard.py": ["--minutes", "0.25"],
    "bench_commit.py": ["--rounds", "1"],
    "fuzz.py": ["--count", "5000"],
    "bench_recipes.py": ["--rounds", "10"],
    "bench_signals.py": [],
    "bench_masks.py": ["--quick"],
    "bench_code_names.py": ["--quick"],
    "bench_reduction.py": [],
    "bench_leak.py": [],
    "bench_canaries.py": ["--count", "500"],
    "bench_families.py": ["--few", "100"],
    "bench_probes.py": [],
    "bench_encoders.py": ["--rounds", "5"],
    "bench_pictures.py": ["--rounds", "2", "--pages", "6"],
    "bench_siglip.py": ["--rounds", "3", "--small"],
    "bench_tokens.py": ["--rounds", "2"],
    "bench_audit.py": ["--mb", "2", "--deep-mb", "0.1"],
}


def main() -> None:
    """Run them."""
    for name, quick in QUICK.items():
        print(f"\n== {name} ==", flush=True)
        subprocess.run([sys.executable, str(HERE / name), *(quick if "--quick" in sys.argv else ())], check=True)


if __name__ == "__main__":
    main()
