"""What the corridor costs: a request that the scripted engine answers at once, against GET /health in the same run.

Sequential p50 and p99, streamed cost of one more chunk, and requests per second at 16 connections.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import httpx

from tests.fakes.running import RunningDaemon, running

CHAT = "/v1/chat/completions"


def body(text: str, stream: bool = False) -> dict[str, object]:
    return {"model": "local", "stream": stream, "messages": [{"role": "user", "content": text}]}


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def sequential(daemon: RunningDaemon, requests: int) -> None:
    health: list[float] = []
    chat: list[float] = []
    async with httpx.AsyncClient(base_url=daemon.url, trust_env=False) as client:
        for number in range(requests + 20):
            began = time.perf_counter()
            (await client.get("/health")).raise_for_status()
            middle = time.perf_counter()
            (await client.post(CHAT, json=body("ok"))).raise_for_status()
            if number >= 20:
                health.append((middle - began) * 1000)
                chat.append((time.perf_counter() - middle) * 1000)
    for name, values in (("GET /health (baseline)", health), ("one-token chat, whole", chat)):
        ratio = statistics.median(values) / statistics.median(health)
        print(
            f"{name:32} p50 {statistics.median(values):6.2f} ms  p99 {percentile(values, 0.99):6.2f} ms  {ratio:4.1f} x"
        )


async def streamed(daemon: RunningDaemon) -> None:
    took: dict[int, list[float]] = {1: [], 2001: []}
    async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=60) as client:
        for _ in range(5):
            for tokens, values in took.items():
                began = time.perf_counter()
                async with client.stream("POST", CHAT, json=body(f"[[tokens={tokens}]]", stream=True)) as answer:
                    async for _ in answer.aiter_raw():
                        pass
                values.append(time.perf_counter() - began)
    each = (statistics.median(took[2001]) - statistics.median(took[1])) / 2000 * 1e6
    print(f"{'one more streamed chunk':32} {each:6.0f} us, engine, pipe, daemon and this client together")


async def parallel(daemon: RunningDaemon, requests: int) -> None:
    limits = httpx.Limits(max_connections=16)
    async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=60, limits=limits) as client:

        async def many(path: str | None) -> float:
            async def loop() -> None:
                for _ in range(requests // 16):
                    answer = await (client.get(path) if path else client.post(CHAT, json=body("ok")))
                    answer.raise_for_status()

            began = time.perf_counter()
            await asyncio.gather(*(loop() for _ in range(16)))
            return requests // 16 * 16 / (time.perf_counter() - began)

        health, chat = await many("/health"), await many(None)
    print(
        f"{'16 connections':32} chat {chat:6.0f}/s, /health {health:6.0f}/s  ({chat / health:.2f} x); the client is httpx"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1000)
    requests = parser.parse_args().requests
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home") as daemon:
        asyncio.run(sequential(daemon, requests))
        asyncio.run(streamed(daemon))
        asyncio.run(parallel(daemon, requests))


if __name__ == "__main__":
    main()
