"""What the dashboard costs while requests rush by: `nearloop tui` in a terminal of its own, beside a real daemon.

First without requests, then so many a second, each of 20 tokens. By minute: requests that were answered and their median time,
the dashboard's processor time in percent of one core and its memory (RSS; MB), the daemon's likewise, what was written to the
terminal (kB a second), and how often the screen was cleared: a dashboard that doesn't flicker draws over what stands there.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil

from tests.fakes.fast_upstream import fast_upstream
from tests.fakes.running import RunningDaemon, running, wait_until

CLEARED: Final = b"\x1b[2J"
CONNECTIONS: Final = 16
BODY: Final = {
    "model": "near/big",
    "messages": [{"role": "user", "content": "What is it? [[tokens=20]]"}],
    "stream": False,
}


class Terminal:
    """A pseudo-terminal with the dashboard in it, whose output is read, counted and dropped."""

    def __init__(self, home: Path, columns: int, lines: int, screen: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        command = [sys.executable, "-m", "daemon.cli.main", "tui"]
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "NEARLOOP_HOME": str(home)}
        self.written = self.cleared = 0
        self._seen = b""
        self._process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        self.weighed = psutil.Process(self._process.pid)
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: b"Live" in self._seen, why="the dashboard")
        os.write(self._ours, screen.encode())

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._ours, 1 << 16)
            except OSError:  # it has left
                return
            self.written += len(data)
            self.cleared += data.count(CLEARED)
            if len(self._seen) < 1 << 20:
                self._seen += data

    def close(self) -> None:
        os.write(self._ours, b"q")
        assert self._process.wait(timeout=30) == 0, "the dashboard failed"
        os.close(self._ours)


class Weight:
    """Of one process, since it was last asked."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self.taken()

    def taken(self) -> tuple[float, float]:
        """Percent of one core, and MB."""
        times, now = self._process.cpu_times(), time.monotonic()
        cpu_s = times.user + times.system
        percent = 100 * (cpu_s - getattr(self, "_cpu_s", cpu_s)) / max(1e-9, now - getattr(self, "_at", now))
        self._cpu_s, self._at = cpu_s, now
        return percent, self._process.memory_info().rss / 2**20


async def asked(port: int, token: str, rate: float, seconds: float) -> list[float]:
    """So many requests a second, and how long each took, in seconds."""
    raw = json.dumps(BODY).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
    request = f"{head}content-type: application/json\r\ncontent-length: {len(raw)}\r\n\r\n".encode() + raw
    took: list[float] = []
    began = time.monotonic()
    turns = iter(range(int(rate * seconds)))

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for turn in turns:
            await asyncio.sleep(max(0.0, began + turn / rate - time.monotonic()))
            at = time.monotonic()
            writer.write(request)
            answer = await reader.readuntil(b"\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
            [length] = [line for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            await reader.readexactly(int(length.partition(b":")[2]))
            took.append(time.monotonic() - at)
        writer.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(one())
    return took


def line(
    name: str, terminal: Terminal, weights: tuple[Weight, Weight], before: tuple[int, int], seconds: float
) -> float:
    """Printed; the dashboard's percent of a core."""
    (percent, mb), (daemon_percent, daemon_mb) = (weight.taken() for weight in weights)
    kb = (terminal.written - before[0]) / 1000 / seconds
    print(
        f"{name:32} {percent:6.1f} % {mb:7.1f} MB   {daemon_percent:6.1f} % {daemon_mb:7.1f} MB   "
        f"{kb:7.1f} kB/s {terminal.cleared - before[1]:4} cleared",
        flush=True,
    )
    return percent


def rounds(daemon: RunningDaemon, terminal: Terminal, minutes: float, rate: float) -> None:
    port, token = int(daemon.url.rpartition(":")[2]), daemon.admin_token
    weights = Weight(terminal.weighed), Weight(psutil.Process(daemon.process.pid))
    print(f"{'':32} {'dashboard':>20}   {'daemon':>20}   terminal")
    before = terminal.written, terminal.cleared
    time.sleep(idle_s := min(20.0, minutes * 60))
    line("idle", terminal, weights, before, idle_s)
    shares = []
    while minutes > 0:
        before, seconds = (terminal.written, terminal.cleared), min(60.0, minutes * 60)
        took = asyncio.run(asked(port, token, rate, seconds))
        name = f"{len(took)} answered, {1000 * statistics.median(took):.1f} ms"
        shares.append(line(name, terminal, weights, before, seconds))
        minutes -= 1
    print(f"median of {len(shares)}: {statistics.median(shares):.1f} % of a core at {rate:g} requests a second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=50, help="requests a second")
    parser.add_argument("--columns", type=int, default=140)
    parser.add_argument("--lines", type=int, default=48)
    parser.add_argument("--screen", default="1", help="the key of the screen in front")
    wanted = parser.parse_args()
    with fast_upstream() as upstream, tempfile.TemporaryDirectory() as folder:
        extra = f'[providers.near]\nbase_url = "http://127.0.0.1:{upstream}/v1"\nmodels = ["big"]\nplace = "device"\n'
        home = Path(folder) / "home"
        with running(home, extra=extra + 'key = "none"\n') as daemon:
            terminal = Terminal(home, wanted.columns, wanted.lines, wanted.screen)
            rounds(daemon, terminal, wanted.minutes, wanted.rate)
            terminal.close()


if __name__ == "__main__":
    main()
