"""Time of all signals over texts of 1k and 32k tokens, against one pass of a regular expression over the same text.

The baseline's pattern is one alternation of an address, a number and a key, as a short script would have it. `again` is a
text that was seen before. The goals of the boundary are held against it: rules 3 ms for 4,000 characters (1k tokens) and 40 ms for
130,000 (32k); with the votes of the trained head 60 ms for a turn of a conversation of 32k tokens of which all but the last message
was seen. What such a conversation takes cold is told as well, and what `strict` looks for on top. Hostile texts must cost no more per character than ordinary ones, by a small factor.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.recipes.signals import Keyword, Signals
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from daemon.signals.pii import Pii
from daemon.signals.secret import Secrets
from providers.contract import Message, Request, Text

BASELINE = re.compile(r"[\w.]+@[\w.]+|\d{3}-\d{2}-\d{4}|(?:sk|ghp)[-_]\w{20,}")
ROOT = Path(__file__).resolve().parents[2]
RULES = Signals(keywords=(Keyword(name="code", keywords=("Python", "C++", "traceback")),))


def median_ms(work: Callable[[], object], rounds: int) -> float:
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def request(text: str) -> Request:
    return Request(id="0" * 16, model="auto", protocol="bench", messages=(Message("user", (Text(text),)),))


def texts() -> dict[str, str]:
    code = "".join(path.read_text() for path in sorted((ROOT / "daemon").glob("*.py")))
    prose = "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))
    log = "".join(
        f"2024-01-{n % 28 + 1:02}T12:{n % 60:02}:33.{n * 37 % 1000:03}Z INFO api[{n * 991 % 99999}] GET /v1/users/{n * 7919} "
        f"from 52.14.{n % 256}.{n * 7 % 256} 200 {n * 31 % 977}ms id={n * 2654435761 % 2**32:08x}\n"
        for n in range(2000)
    )
    return {"code": code * 4, "prose": prose * 8, "log": log, "dense": "".join(dense_lines(2000))}


def dense_lines(count: int) -> Iterator[str]:
    """Log lines of many forms, of which numbers, addresses, hashes and what looks like a telephone's are the most."""
    seeded = random.Random(0)

    def digits(many: int) -> str:
        return "".join(seeded.choices("0123456789", k=many))

    def hexes(many: int) -> str:
        return "".join(seeded.choices("0123456789abcdef", k=many))

    for n in range(count):
        at = f"2024-{n % 12 + 1:02}-{n % 28 + 1:02}T12:{n % 60:02}:33.{digits(3)}Z"
        address = ".".join(str(seeded.randrange(256)) for _ in range(4))
        forms = (
            f"{at} INFO [pool-{n % 9}] req={hexes(8)}-{hexes(4)}-{hexes(4)}-{hexes(12)} from {address}:{digits(5)} 200 {n}ms",
            f"{at} DEBUG order={digits(12)} account {digits(8)} sha1={hexes(40)}",
            f'{address} - - [{n % 28 + 1:02}/Jan/2024:12:00:33 +0000] "GET /v1/users/{digits(7)} HTTP/1.1" 200 {digits(6)}',
            f"{at} WARN trace_id={hexes(32)} epoch=17{digits(11)} dial {digits(3)}-{digits(3)}-{digits(4)}",
            f"{at} ERROR callback 5{digits(2)} {digits(3)} {digits(4)} id={digits(9)} token={hexes(24)}",
            f"kernel: [{digits(5)}.{digits(6)}] eth0: 0a:1b:{hexes(2)}:3c:{hexes(2)}:5e rx {digits(10)} tx {digits(10)}",
            f"{at} INFO phone=+1{digits(10)} session={hexes(16)} {address} {digits(9)}.{digits(6)}",
        )
        yield f"{seeded.choice(forms)}\n"


HOSTILE = {
    "letters": "a",
    "digits": "1",
    "dots": ".",
    "at signs": "@",
    "a@": "a@",
    "1.": "1.",
    "digits and blanks": "4 ",
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0",
    "eyJ": "eyJ-",
    "blanks": " ",
    "colons": "a:",
    "::": "::",
    "password": "password ",
    "token=": "token=",
    "://": "://a:",
    "BEGIN": "-----BEGIN PRIVATE KEY-----",
    "capitals": "12 Aaaa ",
    "plus": "+1 ",
    "phone": "call ",
    "born": "born ",
    "curl": "curl -u ",
    "sk-": "sk-",
}


async def conversations(rounds: int) -> None:
    """A conversation of 32k tokens in 64 messages, cold and with one new message of 100 tokens."""
    prose = texts()["prose"]
    size = 130_000 // 64
    turns = [prose[at : at + size] for at in range(0, 64 * size, size)]
    for name, parts in (
        ("rules", Parts(guard=True, votes=False)),
        ("rules and votes", Parts(guard=True)),
        ("rules, votes and doubts", Parts(guard=True, reduce=frozenset({"doubt"}))),
    ):
        observer = Observer(Signals(), parts, deadline_s=600)
        await observer.observe(request("a first text, so that models are open"))
        began, busy = time.perf_counter(), time.process_time()
        await observer.observe(talk(turns))
        cold_ms, cold_busy_ms = (time.perf_counter() - began) * 1000, (time.process_time() - busy) * 1000
        warm, warm_busy = [], []
        for number in range(rounds):
            asked = talk([*turns, f"{number} and now tell me: {prose[number * 400 : number * 400 + 400]}"])
            began, busy = time.perf_counter(), time.process_time()
            await observer.observe(asked)
            warm.append((time.perf_counter() - began) * 1000)
            warm_busy.append((time.process_time() - busy) * 1000)
        print(
            f"conversation of 32k tokens, {name}: cold {cold_ms:.0f} ms ({cold_busy_ms:.0f} of the processor), a new turn"
            f" {statistics.median(warm):.1f} ms ({statistics.median(warm_busy):.1f} of the processor; goal 60), n={rounds}"
        )
        observer.close()
        parts.close()


def talk(turns: list[str]) -> Request:
    messages = tuple(Message("user" if n % 2 == 0 else "assistant", (Text(turn),)) for n, turn in enumerate(turns))
    return Request(id="0" * 16, model="auto", protocol="bench", messages=messages)


async def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    observer = Observer(RULES, Parts(guard=True, votes=False))
    rules = {"pii": Pii().find, "secret": Secrets().find}
    for kind, long in texts().items():
        for size in (200, 4_000, 130_000):
            text = long[:size]
            parts = {name: median_ms(lambda find=find, text=text: find(text), rounds) for name, find in rules.items()}  # type: ignore[misc]
            base = median_ms(lambda text=text: BASELINE.findall(text), rounds)  # type: ignore[misc]
            whole = []
            for n in range(rounds):
                asked = request(chr(0x100 + n) + text[1:])  # never seen before
                began = time.perf_counter()
                await observer.observe(asked)
                whole.append((time.perf_counter() - began) * 1000)
            known = []
            for _ in range(rounds):
                began = time.perf_counter()
                await observer.observe(asked)
                known.append((time.perf_counter() - began) * 1000)
            again = statistics.median(known)
            new = statistics.median(whole)
            shown = "  ".join(f"{name} {took:7.3f}" for name, took in parts.items())
            print(
                f"{kind:6}{len(text):7} chars: all {new:7.3f} ms  again {again:6.3f}  {shown}  "
                f"one regex {base:6.3f} (baseline)  ratio {new / base:5.1f}, n={rounds}"
            )
    await conversations(5 if rounds < 20 else 9)
    hop = []
    for _ in range(rounds * 3):
        began = time.perf_counter()
        await asyncio.wrap_future(observer._rules.submit(int))
        hop.append((time.perf_counter() - began) * 1000)
    print(f"a hop to a thread and back: {statistics.median(hop):.3f} ms")
    for name, unit in HOSTILE.items():
        took = {}
        for size in (10_000, 100_000):
            text = (unit * (size // len(unit) + 1))[:size]
            took[size] = sum(median_ms(lambda find=find, text=text: find(text), 1) for find in rules.values())  # type: ignore[misc]
        print(
            f"hostile {name:18} 10k {took[10_000]:8.2f} ms  100k {took[100_000]:8.2f} ms  growth {took[100_000] / took[10_000]:5.1f}"
        )
    observer.close()


if __name__ == "__main__":
    asyncio.run(main())
