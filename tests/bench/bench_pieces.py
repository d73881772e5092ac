"""What asking for the failing piece alone saves against asking for the whole answer, on edits of several pieces with one fault.

The edits are made from seeds (`tests/fakes/edits.py`), in each format, with a fault of form or of words; how sure the model was
is made up, so the figures tell what mending costs and whether it puts pieces back right, and not how often a model's own
sureness finds the fault. The cloud is perfect: it writes what is missing, or the whole answer. Tokens are estimated
(`signals/context.py`): read is the conversation and our words behind it, written is what comes back.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec import Struct

from daemon.decision.rules import Candidate
from daemon.loopers.mending import mended
from daemon.signals.context import estimate
from tests.fakes.edits import FORMS, PLANTS, Edit, edit
from tests.fakes.panel import Panel

BIG: Final = Candidate("work", "big")
WRITTEN_COSTS: Final = 5.0
"""Times a token that is read, as with most makers' list prices."""


class Cost(Struct, frozen=True):
    """Tokens of one way. right: answers that are as they should be."""

    read: float = 0.0
    written: float = 0.0
    right: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.read + other.read, self.written + other.written, self.right + other.right)

    @property
    def priced(self) -> float:
        return self.read + WRITTEN_COSTS * self.written


async def both_ways(made: Edit) -> tuple[Cost, Cost, bool]:
    """(with mending, whole, whether it was mended). Where mending asks nobody or fails, the whole is asked for too."""
    ask = Panel({"big repair": made.pieces[made.fault]})
    ask.conversation = made.conversation
    text = await mended(made.generation, made.judgement, BIG, ask)
    whole = Cost(estimate(made.conversation), estimate(made.right), 1)
    asked = ask.asked_as("repair")
    piece = estimate(made.pieces[made.fault]) if asked else 0.0
    read = sum(estimate(made.conversation) + estimate(errand.words) for _, errand in asked)
    if text is None:
        return Cost(read, piece) + whole, whole, False
    return Cost(read, piece, int(text == made.right)), whole, True


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=20, help="edits of each format and fault, of 3 to 10 pieces")
    wanted = parser.parse_args()
    print(f"{'':24} {'n':>4} {'mended':>7} {'right':>6}   {'tokens read':^17}   {'written':^17}   saved at 1:5")
    all_ways = [Cost(), Cost()]
    for form in FORMS:
        for plant in PLANTS:
            found = [await both_ways(edit(seed, form, plant, 3 + seed % 8)) for seed in range(wanted.each)]
            some = sum((each[0] for each in found), Cost())
            whole = sum((each[1] for each in found), Cost())
            all_ways = [all_ways[0] + some, all_ways[1] + whole]
            row(f"{form}, {plant}", len(found), sum(each[2] for each in found), some, whole)
    row("all", wanted.each * len(FORMS) * len(PLANTS), None, *all_ways)


def row(name: str, count: int, times: int | None, some: Cost, whole: Cost) -> None:
    told = f"{times:7}" if times is not None else " " * 7
    print(
        f"{name:24} {count:4} {told} {some.right:6}   {some.read:7.0f} / {whole.read:7.0f}   "
        f"{some.written:7.0f} / {whole.written:7.0f}   {1 - some.priced / whole.priced:6.0%}"
    )


if __name__ == "__main__":
    asyncio.run(main())
