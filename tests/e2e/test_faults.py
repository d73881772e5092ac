"""Ten thousand requests through a provider that fails in every way: each ends in one answer, or in one clear error."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import USAGE, Answer, Cut, Pause, as_json, frames, said, upstream

REQUESTS: Final = 5_000
AT_ONCE: Final = 64
PROVIDER: Final = """
[policy]
escalate_below = {threshold}
[providers.work]
base_url = "{url}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
"""
CHAT: Final = "/v1/chat/completions"


def fault(draw: random.Random) -> Answer:
    """Some answer, good or bad."""
    good = frames(said("Hel"), said("lo"), said("", "stop"), USAGE)
    whole = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]}
    stream = b"".join(good)
    cut = stream[: draw.randrange(len(stream))]
    match draw.randrange(12):
        case 0:
            return as_json({"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, 429, retry_after="0")
        case 1:
            return as_json({"error": {"message": "later"}}, 429, retry_after="0.2")  # which holds for all requests
        case 2:
            return as_json({"error": {"message": "oops"}}, draw.choice((500, 502, 503, 529)), retry_after="0")
        case 3:
            return Answer((cut, Cut()))
        case 4:
            return Answer((cut,))
        case 5:
            return Answer((b"",), raw=True)
        case 6:
            return Answer((draw.randbytes(draw.randrange(1, 400)),))
        case 7:
            return Answer((*frames(said("Hel"), done=False), b'data: {"error": {"message": "broke"}}\n\n'))
        case 8:
            return Answer((stream[:40], Pause(0.01), stream[40:]))
        case _:
            return Answer(good) if draw.random() < 0.5 else as_json(whole)


def judge(answer: httpx.Response, streamed: bool) -> str:
    """How a request ended; fails if it ended in two ways, or in none."""
    if answer.status_code != 200:
        error: dict[str, Any] = answer.json()["error"]
        assert error["message"]
        assert error["code"]
        assert answer.status_code in (400, 429, 502, 503), answer.text
        return f"refused {answer.status_code}"
    if not streamed:
        body = answer.json()
        assert len(body["choices"]) == 1
        assert body["choices"][0]["finish_reason"] in ("stop", "length")
        return "whole"
    events = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    frames = [json.loads(event) for event in events if event != "[DONE]"]
    finishes = sum(bool(choice["finish_reason"]) for frame in frames for choice in frame.get("choices", ()))
    errors = sum("error" in frame for frame in frames)
    done = events.count("[DONE]")
    assert (finishes, errors, done) in ((1, 0, 1), (0, 1, 0)), answer.text
    return "streamed" if done else "error frame"


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("model", "threshold"), [("cloud", 0.5), ("auto", 1.0)])
async def test_random_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, threshold: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the provider does, nobody hangs, nobody gets two answers, and every request has its record."""
    draw = random.Random(3)
    outcomes: Counter[str] = Counter()
    async with upstream(*(fault(draw) for _ in range(REQUESTS * 3))) as served:
        settings = SCRIPTED.format(options="") + PROVIDER.format(url=served.url, threshold=threshold)
        daemon = await asyncio.to_thread(
            RunningDaemon, tmp_path / "home", settings, {"NEARLOOP_TEST_KEY": "sk-test-0123456789"}
        )
        try:
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
                limits = httpx.Limits(max_connections=AT_ONCE)
                headers = {"authorization": f"Bearer {token}"}
                numbers = iter(range(REQUESTS))

                async def ask(client: httpx.AsyncClient) -> None:
                    for number in numbers:
                        streamed = number % 2 == 0
                        body = {
                            "model": model,
                            "stream": streamed,
                            "messages": [{"role": "user", "content": "hello you"}],
                        }
                        if number % 20 == 7:  # and some hang up
                            try:
                                await asyncio.wait_for(client.post(CHAT, json=body), draw.random() * 0.02)
                            except TimeoutError:
                                outcomes["hung up"] += 1
                            continue
                        outcomes[judge(await client.post(CHAT, json=body), streamed)] += 1

                async with httpx.AsyncClient(
                    base_url=daemon.url, headers=headers, trust_env=False, timeout=60, limits=limits
                ) as client:
                    await asyncio.gather(*(ask(client) for _ in range(AT_ONCE)))
                for _ in range(500):
                    status = await asyncio.to_thread(control.status)
                    if status.in_flight == 0 and status.records == status.requests:
                        break
                    await asyncio.sleep(0.02)
                assert status.in_flight == 0
                assert status.records == status.requests
                assert status.requests >= REQUESTS * 0.94
                assert status.models[0].running == 0
        finally:
            await asyncio.to_thread(daemon.stop)
    with capsys.disabled():
        print(f"\n{model}: {dict(outcomes)}")
    assert outcomes["whole"] > REQUESTS // 8
    assert outcomes["streamed"] > REQUESTS // 8
    if model == "auto":  # the local answer stands in for a provider that can't be reached
        assert sum(count for how, count in outcomes.items() if how.startswith("refused")) == 0
    assert "Traceback" not in daemon.log.read_text()
