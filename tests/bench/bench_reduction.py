"""Requests that tell too much: how many are seen, said with less or kept here, and what is left of each."""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.boundary.reduction.checks import fault_of
from daemon.boundary.reduction.rules import reduced
from daemon.reducing import prompt_of
from daemon.signals.implicit.identity import told_of
from daemon.signals.shipped import shipped_vectors
from tests.fakes.described import ORDINARY, PUT_ASIDE, WORKED_WITH, Described
from tests.fakes.implicit import CASES, HARMLESS
from tests.fakes.running import RunningDaemon


def by_model(shown: bool) -> None:
    """What the embedded model makes of the same cases, and what of that is believed."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = RunningDaemon(Path(folder), "")
        try:
            _asked(daemon, shown)
        finally:
            daemon.stop()


def _asked(daemon: RunningDaemon, shown: bool) -> None:
    vectors = shipped_vectors()
    faults: Counter[str] = Counter()
    points = left = asked = 0
    with httpx.Client(base_url=daemon.url, timeout=300, trust_env=False) as client:
        began = time.monotonic()
        for case in CASES:
            request = prompt_of(case.text, "0" * 16)
            messages = [{"role": turn.role, "content": turn.parts[0].text} for turn in request.messages]
            body = {"model": "local", "messages": messages, "temperature": 0, "max_tokens": request.sampling.max_tokens}
            answer = client.post("/v1/chat/completions", json=body).raise_for_status().json()["choices"][0]
            made = answer["message"]["content"].strip()
            asked += 1
            fault = "length" if answer["finish_reason"] != "stop" else None
            fault = fault or fault_of(case.text, made, vectors.likeness(case.text, made))
            faults[fault or "believed"] += 1
            if shown:
                print(fault or "believed", "|", made)
            if fault is None:
                points += len(case.points)
                left += sum(point in made for point in case.points)
        took_s = (time.monotonic() - began) / asked
    print(f"model, {asked} cases: {dict(faults)}; {left} of {points} pointers left; {took_s:.1f} s each")


def tells(case: Described, sent: str) -> bool:
    """Whether four characters in a row of a description arrive that the rest of the text doesn't have."""
    rest, at = "", 0
    for start, end in case.descriptions:
        rest += case.text[at:start] + " " * (end - start)
        at = end
    harmless = runs(rest + case.text[at:])
    return any((runs(case.text[start:end]) - harmless) & runs(sent) for start, end in case.descriptions)


def runs(text: str) -> set[str]:
    return {text[at : at + 4] for at in range(len(text) - 3)}


def described(name: str, cases: tuple[Described, ...]) -> None:
    sent = [(case, made.text) for case in cases if (made := reduced(case.text))]
    seen = sum(bool(told_of(case.text)) for case in cases)
    left = sum(tells(case, text) for case, text in sent)
    needed = sum(case.needs.lower() in text.lower() for case, text in sent)
    print(
        f"{len(cases)} {name}: {seen} seen, {len(sent)} sent, of {left} something of the description, {needed} with what is needed"
    )


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
    described("described, worked with", WORKED_WITH)
    described("described, put aside", PUT_ASIDE)
    print(f"{sum(bool(told_of(text)) for text in ORDINARY)} of {len(ORDINARY)} ordinary ones seen")
    if "--model" in sys.argv:
        by_model(shown)


if __name__ == "__main__":
    main()
