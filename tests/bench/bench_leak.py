"""`nearloop bench leak` on the texts that come with Nearloop, in `balanced` and `strict`, as tables for docs/bench.md.

    python tests/bench/bench_leak.py [--table docs/bench.md]

The baseline is the number of values and texts.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.boundary.policy import Policy, Privacy
from daemon.leakage.corridor import Corridor
from daemon.leakage.measures import Share
from daemon.leakage.report import Report
from daemon.leakage.rows import read_rows, shipped
from daemon.leakage.work import measure

MARKS = "<!-- leak -->", "<!-- /leak -->"


def report(privacy: Privacy) -> Report:
    """Of all rows."""
    corridor = Corridor(Policy(privacy))
    try:
        return asyncio.run(measure(corridor, read_rows(shipped()), privacy, lambda done: None))
    finally:
        corridor.close()


def told(share: Share) -> str:
    """In percent, with its interval."""
    if not share.n:
        return ""
    return f"{100 * share.share:.0f} ({100 * share.low:.0f}–{100 * share.high:.0f})"


def tables(found: Report) -> str:
    """By class, and by language and type."""
    rows = ["| in % | texts | values | whole | net | leak | sent | lost | utility |", "|---|" + "---|" * 8]
    for line in found.lines:
        plain = (f"{100 * each.share:.1f}" if each.n else "" for each in (line.exact, line.net))
        lost = f"{100 * line.lost.share:.1f}" if line.lost.n else ""
        cells = (line.texts, line.values, *plain, told(line.leak), told(line.sent), lost, told(line.utility))
        rows.append(f"| {line.name} | " + " | ".join(map(str, cells)) + " |")
    types = sorted({each.type for each in found.recalls if each.language})
    rows += ["", "| kept back, in % | " + " | ".join(types) + " |", "|---|" + "---|" * len(types)]
    by_place = {(each.language, each.type): each.kept for each in found.recalls}
    for language in sorted({each.language for each in found.recalls if each.language}):
        kept = (by_place.get((language, type)) for type in types)
        rows.append(
            f"| {language} | " + " | ".join(f"{told(each)} of {each.n}" if each else "" for each in kept) + " |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path)
    given = parser.parse_args()
    balanced, strict = report("balanced"), report("strict")
    made = tables(balanced)
    print(made)
    leaks = sum(line.leak.hits for line in strict.lines), sum(line.leak.n for line in strict.lines)
    print(
        f"strict: {leaks[0]} of {leaks[1]} values leaked; sent "
        + ", ".join(f"{x.name} {told(x.sent)}" for x in strict.lines)
    )
    if given.table:
        text = given.table.read_text(encoding="utf-8")
        between = re.compile(f"{MARKS[0]}.*{MARKS[1]}", re.DOTALL)
        given.table.write_text(between.sub(lambda _: f"{MARKS[0]}\n{made}\n{MARKS[1]}", text), encoding="utf-8")


if __name__ == "__main__":
    main()
