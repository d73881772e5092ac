"""How long a start takes, and what an idle daemon weighs.

Medians of fresh processes: `--help`; from the start of the daemon to its first 200 without a model (GET /health) and with it
(a chat answer), warm and, once, from an empty cache. The bare interpreter's start is printed as the baseline.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.client import NotRunning, discover
from daemon.paths import Paths
from daemon.paths import paths as paths_now
from tests.fakes.running import SCRIPTED

CHAT = {"model": "local", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]}


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def start(home: Path) -> tuple[subprocess.Popen[bytes], Paths]:
    os.environ["NEARLOOP_HOME"] = str(home)
    command = [sys.executable, "-m", "daemon", "--port", "0"]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL), paths_now()


def first(where: Paths, ask: Callable[[httpx.Client], httpx.Response]) -> None:
    while True:
        try:
            url = f"http://127.0.0.1:{discover(where).port}"
            with httpx.Client(base_url=url, trust_env=False, timeout=120) as http:
                if ask(http).status_code == 200:
                    return
        except (NotRunning, httpx.TransportError):
            pass
        time.sleep(0.005)


def one(home: Path, ask: Callable[[httpx.Client], httpx.Response]) -> tuple[float, float]:
    """Seconds to the first 200, and the daemon's own memory then (PSS, MB)."""
    holder: list[subprocess.Popen[bytes]] = []

    def work() -> None:
        process, where = start(home)
        holder.append(process)
        first(where, ask)

    took = timed(work)
    time.sleep(0.3)
    memory = psutil.Process(holder[0].pid).memory_full_info()
    holder[0].terminate()
    holder[0].wait()
    return took, getattr(memory, "pss", memory.rss) / 1e6


def report(name: str, seconds: list[float], baseline: float) -> None:
    middle = statistics.median(seconds)
    print(f"{name:44} median {middle:6.2f} s  (min {min(seconds):.2f}, n={len(seconds)})  {middle / baseline:6.1f} x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = range(parser.parse_args().rounds)
    run = [sys.executable, "-c", "pass"]
    baseline = statistics.median(timed(lambda: subprocess.run(run, check=True)) for _ in rounds)
    print(f"{'bare interpreter (baseline)':44} median {baseline:6.2f} s")
    call = [sys.executable, "-m", "daemon.cli.main", "--help"]
    report("nearloop --help", [timed(lambda: subprocess.run(call, stdout=-3, check=True)) for _ in rounds], baseline)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "scripted"
        (home / "config").mkdir(parents=True)
        (home / "config" / "settings.toml").write_text(SCRIPTED.format(options=""))
        bare = [one(home, lambda http: http.get("/health")) for _ in rounds]
        report("start to first 200, without a model", [took for took, _ in bare], baseline)
        print(f"{'idle, without a model':44} median {statistics.median(memory for _, memory in bare):6.1f} MB (PSS)")
        home = Path(folder) / "real"
        cold, _ = one(home, lambda http: http.post("/v1/chat/completions", json=CHAT))
        report("first start ever to first answer", [cold], baseline)
        warm = [one(home, lambda http: http.post("/v1/chat/completions", json=CHAT)) for _ in rounds]
        report("warm start to first answer", [took for took, _ in warm], baseline)


if __name__ == "__main__":
    main()
