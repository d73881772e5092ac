"""Time to read recipes and to decide by them, against the goals: 300 ms for the largest file, 100 µs for 50 decisions.

Upstream's largest recipe stands in YAML under tests/recorded; its recipe in the language is made from that. `first` counts
the building of the language's parser, which a process does once.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.decision.engine import Engine
from daemon.decision.seen import Seen
from daemon.recipes.dsl_reader import _parser
from daemon.recipes.dsl_writer import write_dsl
from daemon.recipes.files import read_recipe
from daemon.recipes.loading import load
from daemon.recipes.model import Routing
from daemon.routing.edition import edition_of
from daemon.routing.plugins.registry import apply
from daemon.routing.settling import settle
from daemon.routing.sources import Source, built_in, folder
from daemon.signals.base import Kind, Observation
from tests.fakes.asking import asking
from tests.fakes.routing import HOUSE, chooser, scene

RECIPES = Path(__file__).resolve().parents[1] / "recorded" / "vsr" / "config" / "recipes"


def median_s(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Of wall time and of CPU time."""
    wall, cpu = [], []
    for _ in range(rounds):
        began, used = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    return statistics.median(wall), statistics.median(cpu)


def fifty() -> Routing:
    """50 decisions of 4 conditions each over 60 rules, and 3 scores with a band each."""
    seeded = random.Random(0)
    keywords = "".join(f'SIGNAL keyword k{n} {{ keywords: ["x"] }}\n' for n in range(40))
    domains = "".join(f"SIGNAL domain d{n} {{}}\n" for n in range(20))
    scores = "".join(
        f"PROJECTION score s{n} {{ inputs: ["
        + ", ".join(f'{{ type: "keyword", name: "k{m}", weight: 0.1, value_source: "confidence" }}' for m in range(10))
        + f'] }}\nPROJECTION mapping m{n} {{ source: "s{n}" outputs: [{{ name: "b{n}", gte: 0.3 }}] }}\n'
        for n in range(3)
    )
    routes = "".join(
        f"ROUTE r{n} {{ PRIORITY {seeded.randrange(100)} WHEN "
        f'(keyword("k{seeded.randrange(40)}") OR domain("d{seeded.randrange(20)}")) '
        f'AND NOT keyword("k{seeded.randrange(40)}") AND projection("b{n % 3}") MODEL "m" }}\n'
        for n in range(50)
    )
    return read_recipe(keywords + domains + scores + routes, "dsl").routing


def observations(routing: Routing) -> list[Observation]:
    seen = [Observation(signal="keyword", kind=Kind.ROUTE, name=f"k{n}", score=0.75) for n in range(0, 40, 3)]
    seen += [Observation(signal="domain", kind=Kind.ROUTE, name=f"d{n}", score=0.6) for n in range(0, 20, 5)]
    chosen = [each.name for each in (*routing.signals.keywords, *routing.signals.domains, *routing.signals.embeddings)][
        ::4
    ]
    return seen + [Observation(signal="keyword", kind=Kind.ROUTE, name=name, score=0.75) for name in chosen]


async def routed(rounds: int) -> None:
    """From a request to who is asked, by a built-in recipe without models; against the signals alone."""
    live = edition_of(built_in("default"), HOUSE).lives["default"]
    request, here, choosing = asking("why this traceback in my loop?"), scene(), chooser()
    await live.observe(request)
    looks, rests = [], []
    for _ in range(rounds * 20):
        began = time.perf_counter()
        seen = await live.observe(request)
        looked = time.perf_counter()
        verdict = live.verdict(seen)
        assert verdict.decision
        apply(request, verdict.decision.plugins)
        await settle(live, verdict, here, choosing)
        looks.append(looked - began)
        rests.append(time.perf_counter() - looked)
    print(
        f"route by `default`: signals {statistics.median(looks) * 1e6:6.1f} µs, decision, plugins and binding "
        f"{statistics.median(rests) * 1e6:6.1f} µs wall, n={rounds * 20}"
    )


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    yaml = (RECIPES / "balance" / "config.yaml").read_text(encoding="utf-8")
    dsl = write_dsl(read_recipe(yaml, "yaml"))
    for form, text in (("yaml", yaml), ("dsl", dsl)):
        began = time.perf_counter()
        _parser.cache_clear()
        load(text, form)  # type: ignore[arg-type]
        first = time.perf_counter() - began
        wall, cpu = median_s(lambda form=form, text=text: load(text, form), rounds)  # type: ignore[misc]
        print(
            f"load {form:4} {len(text.encode()):6} bytes: {wall * 1e3:6.1f} ms wall, {cpu * 1e3:6.1f} ms CPU, "
            f"first {first * 1e3:6.1f} ms (goal 300), n={rounds}"
        )
    largest = Source("balance", yaml, "yaml", RECIPES / "balance")
    wall, cpu = median_s(lambda: edition_of(largest, HOUSE).retire(), rounds)
    print(
        f"reload the largest, signals and all: {wall * 1e3:6.1f} ms wall, {cpu * 1e3:6.1f} ms CPU (goal 300), n={rounds}"
    )
    for path in sorted(folder().glob("*.dsl")):
        own = built_in(path.stem)
        wall, _ = median_s(lambda own=own: edition_of(own, HOUSE).retire(), rounds)  # type: ignore[misc]
        print(f"open the built-in {path.stem}: {wall * 1e3:6.1f} ms wall, n={rounds}")
    asyncio.run(routed(rounds))
    balance = read_recipe(yaml, "yaml").routing
    for name, routing in (("50 decisions", fifty()), ("balance, 14 decisions", balance)):
        engine = Engine(routing)
        seen = Seen(observations(routing), frozenset({"keyword", "domain", "embedding", "context"}))
        wall, cpu = median_s(lambda engine=engine, seen=seen: engine.decide(seen), rounds * 50)  # type: ignore[misc]
        made, _ = median_s(lambda routing=routing: Seen(observations(routing), frozenset({"keyword"})), rounds * 10)  # type: ignore[misc]
        build, _ = median_s(lambda routing=routing: Engine(routing), rounds)  # type: ignore[misc]
        print(
            f"decide {name}: {wall * 1e6:6.1f} µs wall, {cpu * 1e6:6.1f} µs CPU (goal 100), n={rounds * 50}; "
            f"facts of observations {made * 1e6:5.1f} µs; engine built in {build * 1e3:5.2f} ms"
        )


if __name__ == "__main__":
    main()
