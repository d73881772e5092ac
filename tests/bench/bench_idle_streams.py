"""What streams weigh that wait: a thousand at once through a daemon to a server that says one token and then nothing.

By client protocol, each in a daemon of its own: its memory (RSS; MB) and descriptors before, with all of them open, and after
all clients hung up; how long opening took, and how long until the last descriptor was back. The first round also pays for
what is loaded once; what the second takes beyond it is lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil

from daemon.protocols.registry import PROTOCOLS
from daemon.server import raise_descriptor_limit
from tests.bench.bench_relay import BODIES
from tests.fakes.fast_upstream import fast_upstream
from tests.fakes.running import RunningDaemon, running

AT_ONCE: Final = 50
"""Streams that are being opened at the same time; the rest waits for its turn."""
GONE_S: Final = 30.0
FEW: Final = 5
"""Descriptors that may come and go by themselves."""


class Streams:
    """Open ones of one protocol."""

    def __init__(self, port: int, token: str, protocol: str, words: str) -> None:
        body = json.dumps({"model": "near/big", **BODIES[protocol](f"{words}[[silent=1]]", True)}).encode()
        head = f"POST {PROTOCOLS[protocol].PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
        self._raw = f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def open(self, number: int) -> None:
        """Until each has said its token."""
        turn = asyncio.Semaphore(AT_ONCE)

        async def one() -> None:
            async with turn:
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 12)
                self._writers.append(writer)
                writer.write(self._raw)
                await reader.readuntil(b" token")

        async with asyncio.TaskGroup() as group:
            for _ in range(number):
                group.create_task(one())

    def hang_up(self) -> None:
        for writer in self._writers:
            writer.transport.abort()


class Weights:
    """The daemon's own process; its models' are others."""

    def __init__(self, daemon: RunningDaemon) -> None:
        self._process = psutil.Process(daemon.process.pid)

    def resident_mb(self) -> float:
        return float(self._process.memory_info().rss) / 2**20

    def descriptors(self) -> int:
        return int(self._process.num_fds())


async def one_round(daemon: RunningDaemon, protocol: str, number: int, words: str) -> None:
    weights = Weights(daemon)
    mb, descriptors = weights.resident_mb(), weights.descriptors()
    streams = Streams(int(daemon.url.rpartition(":")[2]), daemon.admin_token, protocol, words)
    began = time.monotonic()
    await streams.open(number)
    opened_s = time.monotonic() - began
    await asyncio.sleep(1.0)  # what was only needed to open them is let go
    open_mb, open_descriptors = weights.resident_mb(), weights.descriptors()
    began = time.monotonic()
    streams.hang_up()
    while weights.descriptors() > descriptors + FEW and time.monotonic() - began < GONE_S:
        await asyncio.sleep(0.02)
    gone_s = time.monotonic() - began
    with daemon.client() as control:
        in_flight = control.status().in_flight
    print(
        f"{protocol:20} {mb:8.1f} {open_mb:8.1f} {open_mb - mb:+8.1f} {weights.resident_mb() - mb:+8.1f}   "
        f"{descriptors:6} {open_descriptors:6} {weights.descriptors():6} {in_flight:6}   {opened_s:6.1f} {gone_s:6.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--prompt-kb", type=int, default=0, help="how long each request is")
    parser.add_argument("--only", help="one client protocol")
    wanted = parser.parse_args()
    raise_descriptor_limit()
    print(f"{wanted.streams} streams{'RSS, MB':>18}{'descriptors':>43}{'seconds':>20}")
    print(f"{'':20} {'before':>8} {'open':>8} {'more':>8} {'after':>8}   ", end="")
    print(f"{'before':>6} {'open':>6} {'after':>6} {'busy':>6}   {'open':>6} {'close':>6}")
    for protocol in [wanted.only] if wanted.only else PROTOCOLS:
        with fast_upstream() as port, tempfile.TemporaryDirectory() as folder:
            extra = f'[providers.near]\nbase_url = "http://127.0.0.1:{port}/v1"\nmodels = ["big"]\nplace = "device"\nconcurrent = 1000\n'
            with running(Path(folder) / "home", extra=extra + 'key = "none"\n') as daemon:
                for _ in range(wanted.rounds):
                    asyncio.run(one_round(daemon, protocol, wanted.streams, "word " * (wanted.prompt_kb * 200)))


if __name__ == "__main__":
    main()
