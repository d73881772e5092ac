"""How often a recipe decides otherwise about a paraphrase: `bench_paraphrases.py PAIRS.jsonl [--recipe FILE …] [--limit N]`.

PAIRS: lines with `text1`, `text2`, `label` (1: they mean the same) and `kind`. Without --recipe, the built-in `default` and
`light` and upstream's largest. Nothing may be tuned on what it prints.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.decision.engine import Engine
from daemon.decision.reach import reached
from daemon.decision.seen import Seen
from daemon.recipes.embedder import embedder_of
from daemon.recipes.files import form_of, text_of
from daemon.recipes.loading import load
from daemon.routing.sources import folder
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from tests.fakes.asking import asking

UPSTREAMS = Path(__file__).resolve().parents[1] / "recorded" / "vsr" / "config" / "recipes"
USUAL = (folder() / "default.dsl", folder() / "light.dsl", UPSTREAMS / "balance" / "config.yaml")


async def flips(file: Path, pairs: list[tuple[str, str, str]], parts: Parts, own_scale: bool) -> None:
    """Print the share of pairs of each kind that two decisions are taken about."""
    recipe = load(text_of(file), form_of(file)).recipe
    ours = own_scale or file.parent == folder()
    parts = Parts(parts.heads, parts.vectors, embedder=None if ours else embedder_of(recipe.global_))
    engine, observer = Engine(recipe.routing), Observer(reached(recipe.routing), parts, deadline_s=60)
    all_, flipped, ways = Counter[str](), Counter[str](), Counter[str]()
    for kind, one, other in pairs:
        taken = [
            engine.decide(Seen(await observer.observe(asking(text)), observer.looked)).decision for text in (one, other)
        ]
        all_[kind] += 1
        if taken[0] != taken[1]:
            flipped[kind] += 1
            ways[" / ".join(sorted(map(str, taken)))] += 1
    observer.close()
    told = ", ".join(f"{kind} {flipped[kind]} of {n} ({flipped[kind] / n:.1%})" for kind, n in all_.items())
    print(f"{file.parent.name}/{file.name}: {told}; most: {ways.most_common(4)}")


async def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--recipe", type=Path, action="append")
    parser.add_argument("--limit", type=int, help="Of each kind.")
    parser.add_argument("--own-scale", action="store_true", help="Take thresholds of likeness for ours.")
    wanted = parser.parse_args()
    taken: Counter[str] = Counter()
    pairs = []
    for line in wanted.pairs.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        taken[row["kind"]] += row["label"] == 1
        if row["label"] == 1 and (wanted.limit is None or taken[row["kind"]] <= wanted.limit):
            pairs.append((row["kind"], row["text1"], row["text2"]))
    parts = Parts()
    for file in wanted.recipe or USUAL:
        await flips(file, pairs, parts, wanted.own_scale)
    parts.close()


if __name__ == "__main__":
    asyncio.run(main())
