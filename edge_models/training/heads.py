"""The heads that are trained together, and how each is fitted."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

DOMAINS: Final = (
    "biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history", "law",
    "math", "other", "philosophy", "physics", "psychology",
)  # fmt: skip
SHAPES: Final = (
    "multiple_choice", "short_answer", "code", "math", "writing", "tool_call", "extraction", "chat",
)  # fmt: skip
PII: Final = ("O", "B-PERSON", "I-PERSON", "B-ORGANIZATION", "I-ORGANIZATION", "B-ADDRESS", "I-ADDRESS")


class ByWords(Struct, frozen=True):
    """How a head also hears a line over a text's tokens (`edge_models.training.words`).

    freedom: of the line: how much the sum of cross-entropy counts beside the weights' squares. share: what its logits are
    multiplied by before they are added to the trunk's. source: of the rows that it learns from; None: all.
    """

    freedom: float
    share: float
    source: str | None = None


class Head(Struct, frozen=True):
    """One head. weight: of its loss beside the others'. pool: how a long text's windows become one answer.
    spreads: whether a text's label holds for its later windows too, as a subject does; what is asked stands in the first.

    wary: whether it raises no alarm in another language, by default, where the mix's calibration and threshold raise none.
    likened: whether texts in other languages have no label but what the English heads say of their originals.
    note: what a reader of the artefact should know. validated: whether `edge_models.training.evaluate` measures it on texts
    by other authors.
    """

    name: str
    labels: tuple[str, ...]
    task: Literal["sequence", "token"] = "sequence"
    pool: Literal["max", "mean"] = "mean"
    weight: float = 1.0
    note: str = ""
    validated: bool = False
    spreads: bool = False
    likened: bool = False
    wary: bool = False
    words: ByWords | None = None


HEADS: Final = (
    Head("domain", DOMAINS, weight=1.5, validated=True, spreads=True, words=ByWords(freedom=10, share=1)),
    Head(
        "complexity",
        ("easy", "hard"),
        weight=0.5,
        note="hard: the chance that a model of 7 to 70 billion parameters errs",
        validated=True,
        spreads=True,
        likened=True,
        words=ByWords(freedom=0.3, share=1, source="mmlu_pro"),
    ),
    Head(
        "injection",
        ("benign", "injection"),
        pool="max",
        weight=1.5,
        note="an instruction that overrides, or hides in data",
        validated=True,
        words=ByWords(freedom=0.1, share=0.7),
    ),
    Head(
        "persona",
        ("benign", "persona"),
        pool="max",
        note="an assistant dressed as somebody without rules; soft",
        # at an even chance by our texts 85 of 210 translated security questions of others are alarms, by the mix 49
        wary=True,
    ),
    Head("harm", ("benign", "harm"), pool="max", note="a wish for something harmful, whatever its form; soft"),
    Head("fact_check", ("not_needed", "needed"), weight=0.7, note="whether facts decide what a good answer is"),
    Head("task_shape", SHAPES, weight=0.7),
    Head("pii", PII, task="token", weight=1.5, note="names and addresses; patterns find the rest", validated=True),
)
