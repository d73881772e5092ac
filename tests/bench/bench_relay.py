"""What a relay costs: every client protocol over every provider protocol, against the same server asked directly.

Direct and through the daemon take turns in one run, over connections that stay open. Whole: what one short answer takes longer,
the median of pairs. Streamed: what each of 1,000 tokens without a pause takes longer, the median of streams. CPU: the daemon's
own processor time for each of those tokens, and for each of 200 tokens that come 2 ms apart, so that each is a wake-up.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil

from daemon.protocols.registry import PROTOCOLS
from providers.registry import FAMILIES
from tests.fakes.fast_upstream import fast_upstream
from tests.fakes.running import RunningDaemon, running

BURST: Final = 1000
PACED: Final = 200
CHAT: Final = "/v1/chat/completions"


def chat(text: str, stream: bool) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], "stream": stream}


def _openai(text: str, stream: bool) -> tuple[str, dict[str, Any]]:
    return CHAT, {"model": "big", **chat(text, stream)}


def _gemini(text: str, stream: bool) -> tuple[str, dict[str, Any]]:
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/big:{method}", {"contents": [{"role": "user", "parts": [{"text": text}]}]}


def _ollama(text: str, stream: bool) -> tuple[str, dict[str, Any]]:
    return "/api/chat", {"model": "big", **chat(text, stream)}


def _responses(text: str, stream: bool) -> tuple[str, dict[str, Any]]:
    return "/v1/responses", {"model": "big", "input": text, "stream": stream}


def _messages(text: str, stream: bool) -> tuple[str, dict[str, Any]]:
    return "/v1/messages", {"model": "big", **chat(text, stream), "max_tokens": 4096}


UPSTREAMS: Final[dict[str, tuple[str, Callable[[str, bool], tuple[str, dict[str, Any]]]]]] = {
    "openai-chat": ("/v1", _openai),
    "azure": ("/v1", _openai),
    "openai-responses": ("/v1", _responses),
    "anthropic": ("/v1", _messages),
    "gemini": ("/v1beta", _gemini),
    "ollama": ("/api", _ollama),
}
"""Provider protocols that the fast server speaks: what stands behind the port in base_url, and how it is asked directly."""


BODIES: Final[dict[str, Callable[[str, bool], dict[str, Any]]]] = {
    "openai-chat": chat,
    "openai-completions": lambda text, stream: {"prompt": text, "stream": stream},
    "openai-responses": lambda text, stream: {"input": text, "stream": stream},
    "anthropic": lambda text, stream: {**chat(text, stream), "max_tokens": 4096},
    "ollama-chat": chat,
    "ollama-generate": lambda text, stream: {"prompt": text, "stream": stream},
}


class Connection:
    """One kept connection, as plain as can be, so that it costs neither side anything."""

    def __init__(self, port: int, token: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head = f"host: 127.0.0.1\r\ncontent-type: application/json\r\nauthorization: Bearer {token}\r\n"

    def ask(self, path: str, body: dict[str, Any]) -> tuple[float, bytes]:
        """Seconds until the whole answer is there, and the answer."""
        raw = json.dumps(body).encode()
        sent = f"POST {path} HTTP/1.1\r\n{self._head}content-length: {len(raw)}\r\n\r\n".encode() + raw
        began = time.perf_counter()
        self._socket.sendall(sent)
        data = b""
        while not _is_whole(data):
            more = self._socket.recv(1 << 18)
            assert more, "the connection was closed"
            data += more
        took = time.perf_counter() - began
        assert data.startswith(b"HTTP/1.1 200"), data[:500]
        return took, data

    def close(self) -> None:
        self._socket.close()


def _is_whole(data: bytes) -> bool:
    head, found, body = data.partition(b"\r\n\r\n")
    if not found:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
    return body.endswith(b"0\r\n\r\n")


class Bench:
    """A daemon before the fast server, and connections to both."""

    def __init__(self, daemon: RunningDaemon, upstream_port: int, token: str, family: str) -> None:
        self._asked = UPSTREAMS[family][1]
        self._process = psutil.Process(daemon.process.pid)
        self._there = Connection(upstream_port, token)
        self._here = Connection(int(daemon.url.rpartition(":")[2]), token)

    def direct(self, text: str, stream: bool) -> float:
        return self._there.ask(*self._asked(text, stream))[0]

    def relayed(self, protocol: str, text: str, stream: bool) -> float:
        body = {"model": "near/big", **BODIES[protocol](text, stream)}
        return self._here.ask(PROTOCOLS[protocol].PATH, body)[0]

    def cpu_s(self) -> float:
        used = self._process.cpu_times()
        return float(used.user + used.system)

    def whole(self, protocol: str, pairs: int) -> tuple[float, float, float]:
        """(ms directly, ms added, CPU ms): medians of pairs; processor time is the mean."""
        for _ in range(20):
            self.direct("hi", False), self.relayed(protocol, "hi", False)
        before = self.cpu_s()
        there, added = [], []
        for number in range(pairs):
            if number % 2:
                direct, relayed = self.direct("hi", False), self.relayed(protocol, "hi", False)
            else:
                relayed, direct = self.relayed(protocol, "hi", False), self.direct("hi", False)
            there.append(direct * 1e3)
            added.append((relayed - direct) * 1e3)
        return statistics.median(there), statistics.median(added), (self.cpu_s() - before) / pairs * 1e3

    def streamed(self, protocol: str, rounds: int) -> tuple[float, float, float, float]:
        """(us a token directly, us added, CPU us, CPU us if tokens come one by one)."""
        burst = f"[[tokens={BURST}]]"
        self.direct(burst, True), self.relayed(protocol, burst, True)
        there, here = [], []
        used = 0.0
        for _ in range(rounds):
            there.append(self.direct(burst, True))
            before = self.cpu_s()
            here.append(self.relayed(protocol, burst, True))
            used += self.cpu_s() - before
        before = self.cpu_s()
        for _ in range(max(1, rounds // 3)):
            self.relayed(protocol, f"[[tokens={PACED}]][[delay=2]]", True)
        paced = (self.cpu_s() - before) / (max(1, rounds // 3) * PACED) * 1e6
        direct, relayed = (statistics.median(each) / BURST * 1e6 for each in (there, here))
        return direct, relayed - direct, used / (rounds * BURST) * 1e6, paced


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", help="one client protocol")
    parser.add_argument("--family", help="one provider protocol")
    parser.add_argument(
        "--place", default="device", help="cloud: the signals look for personal data, with their models"
    )
    wanted = parser.parse_args()
    os.environ["BENCH_RELAY_KEY"] = "sk-bench"
    print(f"load {os.getloadavg()[0]:.1f}, {wanted.pairs} pairs, {wanted.rounds} streams of {BURST}; medians")
    print(f"{'client over provider':36} {'whole, ms':^26}   {'one more token, us':^38}")
    print(f"{'':36} {'direct':>8} {'added':>8} {'cpu':>8}   {'direct':>8} {'added':>8} {'cpu':>8} {'cpu, paced':>11}")
    for family in [wanted.family] if wanted.family else FAMILIES:
        if family not in UPSTREAMS:
            print(f"{family}: the fast server doesn't speak it")
            continue
        with fast_upstream() as port, tempfile.TemporaryDirectory() as folder:
            row = f'[providers.near]\nwire = "{family}"\nbase_url = "http://127.0.0.1:{port}{UPSTREAMS[family][0]}"\n'
            extra = row + f'models = ["big"]\nplace = "{wanted.place}"\nkey = "env:BENCH_RELAY_KEY"\n'
            with running(Path(folder) / "home", extra=extra) as daemon:
                bench = Bench(daemon, port, daemon.admin_token, family)
                for protocol in [wanted.only] if wanted.only else PROTOCOLS:
                    direct, added, cpu = bench.whole(protocol, wanted.pairs)
                    print(
                        f"{protocol + ' over ' + family:36} {direct:8.2f} {added:8.2f} {cpu:8.2f}", end="", flush=True
                    )
                    there, more, used, paced = bench.streamed(protocol, wanted.rounds)
                    print(f"   {there:8.1f} {more:8.1f} {used:8.1f} {paced:11.1f}", flush=True)


if __name__ == "__main__":
    main()
