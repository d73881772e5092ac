"""Time of all text signals together, models included, over prompts that upstream's authors wrote.

The prompts are those of its end-to-end cases and of its recipes' probes, each seen for the first time. `8k cold` is a document
of about 8,000 tokens that was never seen; `warm turn` is 1,000 new tokens after 32,000 that were seen before. Without the
shipped models (assets/models) it says so and times the rest; `--tiny` takes the tests' own, whose times mean nothing. `other
languages` are requests of ours in six of them, after one that opens what reads them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.recipes.files import read_recipe
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from daemon.signals.shipped import folder
from edge_models.training.parallel import languages, requests
from providers.contract import Message, Request, Text

ROOT = Path(__file__).resolve().parents[2]
VSR = ROOT / "tests" / "recorded" / "vsr"
DOMAINS = (
    *("biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history", "law"),
    *("math", "other", "philosophy", "physics", "psychology"),
)
HEADS = f"""
{"".join(f'SIGNAL domain "{name}" {{}} ' for name in DOMAINS)}
SIGNAL jailbreak attack {{}}
SIGNAL fact_check needs_fact_check {{}}
SIGNAL complexity trained {{ threshold: 0.2 hard: {{}} easy: {{}} }}
SIGNAL task_shape code {{}}
SIGNAL safety unsafe {{}}
SIGNAL pii personal {{}}
"""
RULES = """
SIGNAL keyword code { keywords: ["code", "function", "debug"] }
SIGNAL keyword stems { method: "bm25" keywords: ["machine learning", "gradient"] }
SIGNAL keyword letters { method: "ngram" keywords: ["urgent", "asap"] }
SIGNAL context long { min_tokens: "8K" }
SIGNAL structure questions { feature: { type: "count" source: { type: "regex" pattern: "[?？]" } } predicate: { gte: 4 } }
SIGNAL conversation turns { feature: { type: "count" source: { type: "message" role: "user" } } predicate: { gte: 2 } }
SIGNAL language en {}
SIGNAL event alert { event_types: ["payment_failed"] severities: ["high"] }
SIGNAL secret keys {}
"""
VECTORS = """
SIGNAL embedding support { threshold: 0.7 candidates: ["reset my password", "how do I install it", "error message"] }
SIGNAL preference terse { examples: ["keep it concise", "one paragraph"] threshold: 0.7 }
SIGNAL complexity compared {
  threshold: 0.1
  hard: { candidates: ["prove it step by step", "find the root cause"] }
  easy: { candidates: ["say hello", "what time is it"] }
}
SIGNAL modality AR {}
SIGNAL reask again {}
"""


def prompts() -> list[str]:
    """Each once."""
    found: dict[str, None] = {}
    files = [*sorted(VSR.glob("e2e/*.json")), *sorted(VSR.glob("config/recipes/**/probes.yaml"))]
    for file in files:
        text = file.read_text(encoding="utf-8")
        for words in _queries(json.loads(text) if file.suffix == ".json" else yaml.safe_load(text)):
            found.setdefault(words)
    return list(found)


def _queries(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("query", "content") and isinstance(inner, str):
                yield inner
            else:
                yield from _queries(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _queries(inner)


def request(*said: str) -> Request:
    messages = tuple(Message("user", (Text(text),)) for text in said)
    return Request(id="0" * 16, model="auto", protocol="bench", messages=messages)


def percentiles(took: list[float]) -> str:
    ordered = sorted(took)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95, 0.99)]
    return " / ".join(f"{value:.2f}" for value in at)


async def timed(observer: Observer, asked: Request) -> float:
    began = time.perf_counter()
    await observer.observe(asked)
    return (time.perf_counter() - began) * 1000


async def measure(name: str, rules: str, texts: list[str], models: Parts | None) -> None:
    """Fresh services each time, so that nothing was seen before."""
    parts = models or Parts()
    observer = Observer(read_recipe(rules, "dsl").routing.signals, parts)
    observer.warm()
    await observer.observe(request("What does a bridge weigh, and who builds it?"))
    took = [await timed(observer, request(text)) for text in texts]
    document = [text for n in range(4000) for text in (f"Part {n}.", texts[n % len(texts)])]
    eight = " ".join(document)[: 8_000 * 4]
    cold = await timed(observer, request(eight))
    turns = [" ".join(document[n * 60 : n * 60 + 60])[:4_000] for n in range(1, 34)]
    await timed(observer, request(*turns[:32]))
    warm = [await timed(observer, request(*turns[:32], turns[32] + f" {n}")) for n in range(3)]
    shown = f"p50/p95/p99 {percentiles(took)} ms (n={len(took)})"
    print(f"{name:24} {shown}   8k cold {cold:.0f} ms   warm turn {statistics.median(warm):.1f} ms (n=3)")
    observer.close()
    if models is None:
        parts.close()


async def abroad(texts: list[str]) -> None:
    """All text signals in other languages, with what the first such text costs."""
    parts = Parts()
    observer = Observer(read_recipe(RULES + HEADS + VECTORS, "dsl").routing.signals, parts)
    await observer.observe(request("What does a bridge weigh, and who builds it?"))
    before = psutil.Process().memory_info().rss
    first = await timed(observer, request("Wie viel wiegt eine Brücke, und wer baut sie eigentlich?"))
    took = [await timed(observer, request(text)) for text in texts]
    more = (psutil.Process().memory_info().rss - before) / 1e6
    print(
        f"{'other languages':24} p50/p95/p99 {percentiles(took)} ms (n={len(took)})   first {first:.0f} ms, {more:.0f} MB more"
    )
    observer.close()
    parts.close()


async def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", type=int, default=0, help="Only so many prompts.")
    parser.add_argument("--tiny", action="store_true", help="The tests' models.")
    options = parser.parse_args()
    texts = prompts()[: options.few or None]
    models = None
    if options.tiny:
        from tests.fakes.signal_parts import with_models

        models = with_models()
    elif not (folder() / "signals").is_dir():
        print("the shipped heads are not in assets/models: families that ask them only say so")
    before = psutil.Process().memory_info().rss
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    await measure("rules", RULES, texts, models)
    await measure("heads (one pass), pii", HEADS, texts, models)
    await measure("vectors", VECTORS, texts, models)
    await measure("all text signals", RULES + HEADS + VECTORS, texts, models)
    if models is None:
        await abroad([text for language in languages() for text in requests(language)[:: 5 if options.few else 1]])
    print(f"memory for all of it: {(psutil.Process().memory_info().rss - before) / 1e6:.0f} MB")


if __name__ == "__main__":
    asyncio.run(main())
