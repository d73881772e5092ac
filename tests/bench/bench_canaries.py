"""Plants private values in every field of every protocol, in every writing, and counts what arrives at a provider.

    python tests/bench/bench_canaries.py [--count 10000] [--seed 1] [--policy strict]… [--table FILE] [--show N]

A real daemon, a provider of ours on a real socket that keeps each byte, one value a request. The bytes are searched for
the value in all writings: packings undone wherever they begin, escapes, look-alikes, without marks and blanks, over the borders of
texts. `strict` must let none out. For `balanced` a table by kind of value and writing is printed; `--table` writes it between
the marks in a document. The baseline is the number planted.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fakes.canary_campaign import Counts, campaign
from tests.fakes.canary_requests import cases
from tests.fakes.canary_values import KINDS, WRITINGS

MARKS = "<!-- canaries -->", "<!-- /canaries -->"


def table(counts: Counts) -> str:
    """What arrived of what was planted, a row a writing and a column a kind, as Markdown."""
    rows = ["| of … arrived | " + " | ".join(KINDS) + " |", "|---|" + "---|" * len(KINDS)]
    for writing in WRITINGS:
        cells = []
        for kind in KINDS:
            planted, arrived = counts.planted[kind, writing], counts.arrived[kind, writing]
            cells.append(f"{arrived} of {planted}" if planted else "")
        rows.append(f"| {writing} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def write(document: Path, made: str) -> None:
    """Put a table between the marks."""
    text = document.read_text(encoding="utf-8")
    between = re.compile(f"{MARKS[0]}.*{MARKS[1]}", re.DOTALL)
    document.write_text(between.sub(lambda _: f"{MARKS[0]}\n{made}\n{MARKS[1]}", text), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", action="append", choices=("strict", "balanced", "open"))
    parser.add_argument("--table", type=Path)
    parser.add_argument("--show", type=int, default=0, help="so many of those that arrived, whole")
    given = parser.parse_args()
    failed = False
    for policy in given.policy or ("strict", "balanced"):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as home:
            counts = asyncio.run(campaign(Path(home), policy, cases(given.count, given.seed)))
        arrived = counts.arrived.total()
        print(
            f"{policy}: {arrived} of {given.count} values arrived, {counts.sent} requests left,"
            f" {time.monotonic() - began:.0f} s; statuses {dict(counts.statuses.most_common())}"
        )
        print("  by place:", ", ".join(f"{path} {field} {n}" for (path, field), n in counts.fields.most_common(12)))
        print("  not read:", ", ".join(f"{path} {field} {n}" for (path, field), n in counts.not_read.most_common()))
        for case, body in counts.examples[: given.show]:
            print("  ", case.path, case.field, case.writing, repr(case.value.text), body.decode()[:600])
        if policy == "balanced":
            made = table(counts)
            print(made)
            if given.table:
                write(given.table, made)
        failed = failed or (policy == "strict" and arrived > 0)
    sys.exit(failed)


if __name__ == "__main__":
    main()
