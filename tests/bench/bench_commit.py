"""What the confidence loop costs a client that reads along: the time to the first word, with the embedded model.

A draft that goes out is held against the same model asked directly (`local`), in turns in one run; a draft that does not, with
and without a hedge, against the same server asked directly (`cloud`). The
server answers at once, so what is added is all the loop's own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


from tests.fakes.fast_upstream import fast_upstream
from tests.fakes.running import RunningDaemon

SETTINGS: Final = """
version = 1
[policy]
escalate_below = {threshold}
hedge = {hedge}
[providers.near]
base_url = "http://127.0.0.1:{port}/v1"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
place = "cloud"
"""
ASKED: Final = (
    "What is the capital of France?",
    "Name three fruits.",
    "Is ice cold?",
    "Explain in a few sentences why the sky is blue.",
    "Write a short letter to a friend about the weather.",
    "How many legs do two cats have?",
)


class Asker:
    """A client of one daemon."""

    def __init__(self, daemon: RunningDaemon) -> None:
        with daemon.client() as control:
            self._token = control.add_client("bench", None).token
        self._http = daemon.http(headers={"authorization": f"Bearer {self._token}"})

    def first_word_ms(self, model: str, text: str) -> float:
        """Milliseconds until the first word."""
        body = {"model": model, "messages": [{"role": "user", "content": text}], "stream": True, "max_tokens": 96}
        body["temperature"] = 0
        began, first = time.perf_counter(), 0.0
        with self._http.stream("POST", "/v1/chat/completions", json=body) as answer:
            assert answer.status_code == 200, answer.read()
            for line in answer.iter_lines():
                if not first and _has_words(line):
                    first = time.perf_counter() - began
            return first * 1000

    def close(self) -> None:
        self._http.close()


def _has_words(line: str) -> bool:
    if not line.startswith("data: {"):
        return False
    choices = json.loads(line[6:])["choices"]
    return bool(choices and choices[0]["delta"].get("content"))


@contextmanager
def asker(port: int, threshold: float, hedge: bool) -> Iterator[Asker]:
    settings = SETTINGS.format(threshold=threshold, hedge=str(hedge).lower(), port=port)
    with tempfile.TemporaryDirectory() as home:
        daemon = RunningDaemon(Path(home), settings, {"NEARLOOP_TEST_KEY": "sk-test-0123456789"})
        try:
            daemon.wait_ready(180)
            made = Asker(daemon)
            made.first_word_ms("local", ASKED[0])
            yield made
            made.close()
        finally:
            daemon.stop()


def compared(title: str, port: int, threshold: float, hedge: bool, baseline: str, rounds: int) -> None:
    """One line: medians, and what is added, over pairs in turns."""
    with asker(port, threshold, hedge) as client:
        plain, looped = [], []
        for _ in range(rounds):
            for text in ASKED:
                plain.append(client.first_word_ms(baseline, text))
                looped.append(client.first_word_ms("auto", text))
    added = sorted(loop - direct for loop, direct in zip(looped, plain, strict=True))
    p95 = added[min(len(added) - 1, round(0.95 * len(added)))]
    direct, loop = statistics.median(plain), statistics.median(looped)
    print(
        f"{title:38} {direct:8.0f} ms {loop:8.0f} ms {loop / direct:6.1f}x   added: median {statistics.median(added):5.0f} ms, "
        f"p95 {p95:5.0f} ms (n = {len(added)})"
    )


def main() -> None:
    """Print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=8)
    rounds = arguments.parse_args().rounds
    print(f"{'first word':38} {'directly':>11} {'by auto':>11} {'ratio':>7}")
    with fast_upstream() as port:
        compared("draft goes out (against local)", port, 0.0, False, "local", rounds)
        compared("draft fails (against cloud)", port, 0.9, False, "cloud", rounds)
        compared("draft fails, hedged (against cloud)", port, 0.9, True, "cloud", rounds)


if __name__ == "__main__":
    main()
