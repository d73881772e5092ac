"""What rules and votes of the trained head find together, on texts whose personal data others marked.

    python tests/bench/bench_pii.py --dev DIR

DIR holds `llm_redactor/wl1_pii.jsonl.gz` and `pii_code_negatives/pii_code_negatives.jsonl.gz`. A span counts as found if type
and characters are the same; `touched` counts marked values that any span shares a character with. The negatives are code,
documents and logs without personal data: an altered line is one in which anything was found. The baseline is the rules alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked
from daemon.signals.parts import Parts
from daemon.signals.personal import PersonalData
from providers.contract import Message, Request, Text
from providers.texts import fields

TYPES = {
    "PERSON": "person",
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "ORGANIZATION": "org_name",
    "STREET_ADDRESS": "address",
    "EMPLOYEE_ID": "employee_id",
    "IP_ADDRESS": "ip_address",
    "US_SSN": "ssn",
}
Marked = tuple[str, int, int]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a set; none if it isn't there."""
    if path.is_file():
        yield from (json.loads(line) for line in gzip.decompress(path.read_bytes()).split(b"\n") if line.strip())


def asked(text: str) -> Asked:
    """A request that says this one text."""
    request = Request(id="0" * 16, model="auto", protocol="bench", messages=(Message("user", (Text(text),)),))
    return Asked(request, fields(request))


def found(family: PersonalData, text: str) -> set[Marked]:
    """All that it sees in one text."""
    return {
        (TYPES.get(span.label, span.label), span.start, span.end)
        for seen in family.look(asked(text))
        for span in seen.spans
    }


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", type=Path, required=True)
    dev: Path = parser.parse_args().dev
    for name, votes in (("rules", False), ("rules and votes", True)):
        family = PersonalData(Signals(), Parts(guard=True, votes=votes))
        hits: dict[str, int] = defaultdict(int)
        ours: dict[str, int] = defaultdict(int)
        theirs: dict[str, int] = defaultdict(int)
        touched: dict[str, int] = defaultdict(int)
        for row in rows(dev / "llm_redactor/wl1_pii.jsonl.gz"):
            wanted = {(span["type"], span["start"], span["end"]) for span in row["spans"]}
            given = found(family, row["text"])
            for kind, start, end in wanted:
                theirs[kind] += 1
                touched[kind] += any(first < end and start < last for _, first, last in given)
                hits[kind] += (kind, start, end) in given
            for kind, _, _ in given:
                ours[kind] += 1
        for kind in sorted(theirs.keys() | ours.keys()):
            share = 2 * hits[kind] / max(ours[kind] + theirs[kind], 1)
            print(
                f"{name}: {kind}: strict F1 {share:.3f}, touched {touched[kind] / max(theirs[kind], 1):.3f},"
                f" found {ours[kind]}, marked {theirs[kind]}"
            )
        micro = 2 * sum(hits.values()) / max(sum(ours.values()) + sum(theirs.values()), 1)
        print(f"{name}: all types: strict F1 {micro:.3f}, n = {sum(theirs.values())} marked values")
        lines: dict[str, int] = defaultdict(int)
        altered: dict[str, int] = defaultdict(int)
        for row in rows(dev / "pii_code_negatives/pii_code_negatives.jsonl.gz"):
            text = row["text"]
            group = f"{row['kind']}, {row['source']}"
            lines[group] += text.count("\n") + 1
            altered[group] += len({text.count("\n", 0, start) for _, start, _ in found(family, text)})
        for group in lines:
            print(
                f"{name}: {group}: {1000 * altered[group] / lines[group]:.1f} altered of 1,000 lines, n = {lines[group]}"
            )
        total = sum(lines.values())
        print(f"{name}: {1000 * sum(altered.values()) / max(total, 1):.2f} altered of 1,000 lines, n = {total}")


if __name__ == "__main__":
    main()
