"""Requests that tell too much: how many are seen, said with less or kept here, and what is left of each."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.boundary.reduction.rules import reduced
from daemon.signals.implicit.identity import told_of
from tests.fakes.implicit import CASES, HARMLESS


def main() -> None:
    shown = "--show" in sys.argv
    seen = sent = points = left = needs = kept = 0
    began = time.thread_time()
    for case in CASES:
        if shown and not told_of(case.text):
            print("unseen:", case.text)
        seen += bool(told_of(case.text))
        made = reduced(case.text)
        if made is None:
            if shown:
                print("kept:  ", case.text)
            continue
        sent += 1
        points += len(case.points)
        left += sum(point in made.text for point in case.points)
        needs += len(case.needs)
        kept += sum(need in made.text for need in case.needs)
        if shown:
            print("sent:  ", made.text, [point for point in case.points if point in made.text])
    took_ms = (time.thread_time() - began) * 1000
    false = [text for text in HARMLESS if told_of(text)]
    tokens = sum(len(case.text) for case in CASES) / 4000
    print(f"{len(CASES)} cases: {seen} seen; {sent} sent, {len(CASES) - sent} kept here")
    print(f"of what was sent: {left} of {points} pointers left, {kept} of {needs} words that are needed kept")
    print(
        f"{len(false)} of {len(HARMLESS)} harmless ones seen {false if shown else ''}; {took_ms / tokens:.1f} ms/1k tokens"
    )


if __name__ == "__main__":
    main()
