"""How many texts of JSONL files get a hazard of `safety`: of any, of which, and how many pass the gate before them.

    python tests/bench/bench_hazards.py --limit 200 harmful.jsonl harmless.jsonl

There are no labels of hazards: it counts, and says nothing of whether the kind is right. Nothing may be tuned on what it
prints.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.signals.hazard_examples import EXAMPLES
from daemon.signals.hazards import hazards
from daemon.signals.jailbreak import HARM, positive
from daemon.signals.parts import Parts
from daemon.signals.safety import THRESHOLD


class Row(msgspec.Struct, frozen=True):
    text: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=200)
    asked = parser.parse_args()
    parts = Parts()
    for file in asked.files:
        rows = [msgspec.json.decode(line, type=Row).text for line in file.read_bytes().splitlines() if line.strip()]
        random.Random(1).shuffle(rows)
        texts = rows[: asked.limit]
        passed = named = both = 0
        kinds: Counter[str] = Counter()
        for text in texts:
            harmful = positive(parts.heads.read(text, lambda: True).of(HARM)) >= THRESHOLD
            chances, _ = hazards(parts.vectors, text, EXAMPLES, lambda: True)
            over = [kind for kind, chance in chances.items() if chance >= THRESHOLD]
            passed += harmful
            named += bool(over)
            both += harmful and bool(over)
            kinds.update(over if harmful else ())
        share = 100 / max(1, len(texts))
        print(
            f"{file.name}: n={len(texts)}   gate {passed * share:.1f} %   hazard without the gate {named * share:.1f} %"
            f"   hazard beyond it {both * share:.1f} %"
        )
        print("  " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    parts.close()


if __name__ == "__main__":
    main()
