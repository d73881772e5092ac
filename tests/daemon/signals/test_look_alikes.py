"""Lines that only look private: digests, ids, placeholders, names and numbers that documents are written with.

`look_alikes/tuned.txt` is what the rules were shaped on, `look_alikes/measured.txt` was written afterwards. In both, `{h40}`
stands for forty random hex digits, `{u43}` for as many of base64 for URLs, and so on, so that no line holds a key.
"""

from __future__ import annotations

import random
import re
import string
from collections import Counter
from pathlib import Path

import pytest

from daemon.signals.as_read import InAnyWriting
from daemon.signals.packed import Unpacked
from daemon.signals.pii import Pii
from daemon.signals.secret import Secrets

HERE = Path(__file__).parent / "look_alikes"
RULES = (InAnyWriting(Unpacked(Pii())), InAnyWriting(Unpacked(Secrets())))
HEX = "0123456789abcdef"
SIGNS = {
    "h": HEX,
    "H": HEX.upper(),
    "b64:": string.ascii_letters + string.digits + "+/",
    "b62:": string.ascii_letters + string.digits,
    "b36:": string.ascii_lowercase + string.digits,
    "u": string.ascii_letters + string.digits + "-_",
    "B": string.ascii_uppercase + string.digits,
}
TO_FILL = re.compile(r"\{uuid\}|\{(x|h|H|u|B|b64:|b62:|b36:)(\d+)\}")
STILL_FOUND = {
    "tuned": {"ids": 1, "placeholders": 2, "ips": 1, "hosts": 2, "clouds": 1, "persons": 5, "companies": 2, "streets": 10,
              "phones": 13, "mails": 8},
    "measured": {"digests": 6, "ids": 3, "placeholders": 4, "ips": 5, "hosts": 8, "clouds": 3, "persons": 3, "companies": 1,
                 "streets": 6},
}  # fmt: skip
"""By kind, lines in which the rules find something still. Persons of fiction, streets and numbers that somebody could have
are what most of them are.
"""


def filled(line: str) -> str:
    seeded = random.Random(line)

    def run(signs: str, count: int) -> str:
        return "".join(seeded.choices(signs, k=count))

    def one(hit: re.Match[str]) -> str:
        if hit[1] is None:
            return f"{run(HEX, 8)}-{run(HEX, 4)}-4{run(HEX, 3)}-a{run(HEX, 3)}-{run(HEX, 12)}"
        count = int(hit[2])
        return ":".join(run(HEX, 2) for _ in range(count)) if hit[1] == "x" else run(SIGNS[hit[1]], count)

    return TO_FILL.sub(one, line)


def lines(name: str) -> list[tuple[str, str]]:
    """Each line with its kind."""
    kind, found = "", []
    for line in (HERE / f"{name}.txt").read_text().splitlines():
        if line.startswith("== "):
            kind = line.removeprefix("== ")
        elif line.strip():
            found.append((kind, filled(line)))
    return found


@pytest.mark.parametrize("name", sorted(STILL_FOUND))
def test_what_looks_private_is_left_alone(name: str) -> None:
    """No kind of line is found more often than is known."""
    found = {kind: [line for of, line in lines(name) if of == kind and any(rule.find(line) for rule in RULES)]
             for kind in dict(lines(name))}  # fmt: skip

    assert {kind: hits for kind, hits in found.items() if len(hits) > STILL_FOUND[name].get(kind, 0)} == {}


def test_there_are_enough_lines_to_measure() -> None:
    """Four hundred at least, and five of each kind."""
    kinds = Counter(kind for name in STILL_FOUND for kind, _ in lines(name))

    assert kinds.total() >= 400
    assert min(kinds.values()) >= 5
