"""What a client waits longer for its first word, because this machine was tried before the cloud.

A coding agent's prompts of three lengths, with twenty tools, streamed, to the model `auto` of a real daemon, and to the same
server directly, in turns. The threshold is one that no draft reaches, so that every request goes to the cloud in the end:
what is measured is all that Nearloop did before. Each request is the next turn of one conversation: what agents send again
is known to the signals; a new one of that length is the first request, or all of them with `--new`. By model: the embedded
one, and scripted ones that read at a set speed and have a window for all three lengths. Each row is a daemon that has just
been started and knows nothing of its model's speed; its first request is apart from the others. CPU: processor time of the
daemon and its workers for each of the others, which a busy machine changes least.
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
from collections import Counter
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil

from tests.fakes.agent_prompts import agent_body, with_another_turn
from tests.fakes.fast_upstream import fast_upstream
from tests.fakes.running import SCRIPTED, RunningDaemon

LENGTHS: Final = (8_000, 32_000, 64_000)
MODELS: Final = {
    "embedded": "version = 1\n",
    "reads 60/s": SCRIPTED.format(options="context=131072,reading=60"),
    "reads 600/s": SCRIPTED.format(options="context=131072,reading=600"),
    "reads 6000/s": SCRIPTED.format(options="context=131072,reading=6000"),
}
"""Settings by who drafts. The speeds are set, and stand for large models on slow machines and on fast ones."""
CLOUD: Final = """
[signals]
deadline_s = 120.0
[policy]
escalate_below = 1.0
[providers.work]
base_url = "http://127.0.0.1:{port}/v1"
models = ["big"]
place = "cloud"
key = "env:BENCH_WORTH_KEY"
"""
"""A request whose signals are not done in time stays here, which a busy machine would bring about: not what is measured."""
FIRST_WORD: Final = b'"content":'
DRAFT: Final = "[[prompt={tokens}]][[tokens=200]][[delay=20]]"
"""Orders for a scripted model: words are not tokens."""


def first_word_s(port: int, token: str, body: dict[str, Any]) -> float:
    """Seconds from the request to its first word; reads to the end."""
    raw = json.dumps(body).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(raw)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=600) as connection:
        began = time.perf_counter()
        connection.sendall(head.encode() + raw)
        data, took_s = b"", 0.0
        while not data.endswith(b"0\r\n\r\n"):
            more = connection.recv(1 << 18)
            assert more, "the connection was closed"
            data += more
            if not took_s and _said(data):
                took_s = time.perf_counter() - began
    assert data.startswith(b"HTTP/1.1 200"), data[:300]
    assert took_s, data[-600:]
    return took_s


def _said(data: bytes) -> bool:
    return data.replace(b'"content": ', FIRST_WORD).replace(FIRST_WORD + b'""', b"").find(FIRST_WORD) >= 0


def _cpu_s(daemon: RunningDaemon) -> float:
    processes = [psutil.Process(daemon.process.pid), *psutil.Process(daemon.process.pid).children(recursive=True)]
    return sum(used.user + used.system for used in (each.cpu_times() for each in processes))


def one_row(name: str, tokens: int, requests: int, new: bool) -> None:
    with fast_upstream() as port, tempfile.TemporaryDirectory() as folder:
        daemon = RunningDaemon(Path(folder) / "home", MODELS[name] + CLOUD.format(port=port))
        try:
            daemon.wait_ready(120)
            with daemon.client() as control:
                token = control.add_client("bench", None).token
            here = int(daemon.url.rpartition(":")[2])
            added: list[float] = []
            cpu_s = 0.0
            last = f"Go on.{DRAFT.format(tokens=tokens)}"
            body = agent_body(tokens, 0, last) | {"stream": True}
            for number in range(requests + 1):
                if number:
                    body = (
                        agent_body(tokens, number, last) | {"stream": True} if new else with_another_turn(body, number)
                    )
                direct = first_word_s(port, "none", body | {"model": "big"})
                added.append(first_word_s(here, token, body | {"model": "auto"}) - direct)
                cpu_s = cpu_s or _cpu_s(daemon)  # from behind the first one
            cpu_s = (_cpu_s(daemon) - cpu_s) / requests
            with daemon.client() as control:
                records = control.records(None, requests + 1).records
            assert all(record.egress != "none" for record in records), "an answer was not the cloud's"
            rules = Counter(record.decision.rule if record.decision else "?" for record in records)
        finally:
            daemon.stop()
    first, *rest = added
    ordered = sorted(rest)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    told = ", ".join(f"{count} {rule}" for rule, count in rules.most_common())
    print(
        f"{name:14} {tokens:7} {first:8.2f} {statistics.median(rest):8.2f} {p95:8.2f} {ordered[-1]:8.2f} {cpu_s:8.2f}   {told}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20, help="a row, beside its first one")
    parser.add_argument("--only", help="one model")
    parser.add_argument("--tokens", type=int, help="one length")
    parser.add_argument("--new", action="store_true", help="each request begins a conversation")
    wanted = parser.parse_args()
    os.environ["BENCH_WORTH_KEY"] = "sk-bench"
    print(f"load {os.getloadavg()[0]:.1f}, {wanted.requests} requests a row; seconds added to the first word")
    print(f"{'':14} {'tokens':>7} {'first':>8} {'p50':>8} {'p95':>8} {'worst':>8} {'CPU':>8}   rules")
    for name in [wanted.only] if wanted.only else MODELS:
        for tokens in [wanted.tokens] if wanted.tokens else LENGTHS:
            one_row(name, tokens, wanted.requests, wanted.new)


if __name__ == "__main__":
    main()
