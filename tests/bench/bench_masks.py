"""Time to mask a request of 32k tokens and to turn an answer back, against replacing the same values with `str.replace`."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.boundary.clear import clear
from daemon.boundary.judge import Clearance
from daemon.boundary.restorer import Index, Restorer
from daemon.boundary.vault import Vault
from daemon.signals.base import Span
from providers.cleared import Place
from providers.contract import Message, Request, Text
from tests.fakes.aliases import VALUES

ROOT = Path(__file__).resolve().parents[2]
CHARS = 130_000
CHUNK = 5


def median_ms(work: Callable[[], object], rounds: int) -> float:
    took = []
    for _ in range(rounds):
        began = time.thread_time()
        work()
        took.append((time.thread_time() - began) * 1000)
    return statistics.median(took)


def asked(values: list[tuple[str, str]]) -> tuple[Request, tuple[Span, ...]]:
    """32 texts of prose with each value in four of them."""
    prose = "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))
    prose = (prose * (CHARS // len(prose) + 1))[:CHARS]
    texts = [prose[at : at + CHARS // 32] for at in range(0, CHARS, CHARS // 32)]
    spans = []
    for number, (label, value) in enumerate(values * 4):
        place = number % len(texts)
        start = len(texts[place]) + 1
        texts[place] += f" {value} "
        spans.append(Span(f"messages[{place}].parts[0]", start, start + len(value), label))
    messages = tuple(Message("user", (Text(text),)) for text in texts)
    return Request(id="0" * 16, model="cloud", messages=messages, protocol="bench"), tuple(spans)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    rounds = 5 if parser.parse_args().quick else 40
    for values in (
        list(VALUES[:4]),
        list(VALUES),
        [(label, f"{value}{n}") for n in range(6) for label, value in VALUES],
    ):
        request, spans = asked(values)
        vault = Vault()
        passage = clear(request, Clearance("masked", spans), Place.CLOUD, vault)
        texts = [part.text for message in request.messages for part in message.parts if isinstance(part, Text)]
        pairs = [(alias.value, alias.text) for alias in passage.aliases]

        def replaced(texts: list[str] = texts, pairs: list[tuple[str, str]] = pairs) -> None:
            for text in texts:
                for value, alias in pairs:
                    text = text.replace(value, alias)

        def cleared(request: Request = request, spans: tuple[Span, ...] = spans, vault: Vault = vault) -> None:
            clear(request, Clearance("masked", spans), Place.CLOUD, vault)

        baseline, ours = median_ms(replaced, rounds), median_ms(cleared, rounds)
        print(
            f"{len(pairs):4} values in 32k tokens: {ours:6.1f} ms, replacing alone {baseline:5.1f}, ratio {ours / baseline:.1f}"
        )

        answer = texts[0] + "".join(f" {alias}." for _, alias in pairs)
        pieces = [answer[at : at + CHUNK] for at in range(0, len(answer), CHUNK)]
        index = Index(passage.aliases)

        def turned_back(index: Index = index, pieces: list[str] = pieces) -> None:
            restorer = Restorer(index)
            for piece in pieces:
                restorer.feed(piece)

        chunk_us = median_ms(turned_back, rounds) / len(pieces) * 1000
        plain_us = (
            median_ms(lambda pieces=pieces: [piece.replace("a", "b") for piece in pieces], rounds) / len(pieces) * 1000
        )
        print(
            f"     a chunk of {CHUNK} characters: {chunk_us:.1f} µs, replacing alone {plain_us:.2f}, ratio {chunk_us / plain_us:.0f}"
        )


if __name__ == "__main__":
    main()
