"""Recorded answers of three models, made up: `small` and `middle` are cheap, `large` is dear."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.replaying.prices import Price
from daemon.replaying.recordings import Item, Recorded

MODELS = ("small", "middle", "large")
PRICES = {"small": Price(0, 1), "middle": Price(0, 2), "large": Price(0, 100)}
"""Answers are as long as each other, so this is what a call costs."""
EASY, HARD = (
    "Add {0:03} and 1.",
    "Add {0:03} and 1, then take the root of what comes out, and explain each of the steps well.",
)


def replayed(
    patterns: Sequence[str], times: int = 60, question: str = "Question {0}?", worded: bool = True
) -> list[Item]:
    """In turn by pattern, a letter for each model: right (`r`), wrong in one way (`w`), or wrong in its own way (`x`). times: under 1,000."""
    made = []
    for number in range(times):
        texts = {"r": f"#### {number + 1000}", "w": f"#### {number + 2000}"}
        answers = {
            model: Recorded(texts.get(kind, f"#### {number + 3000 + 1000 * place}"), kind == "r", worded=worded)
            for place, (model, kind) in enumerate(zip(MODELS, patterns[number % len(patterns)], strict=True))
        }
        made.append(Item(question.format(number), answers))
    return made
