"""Answers that edit a file in several pieces, right ones and with one fault that is planted, in each format.

Made from a seed. How sure a model was is made up as well: near certain, but for the piece whose words are wrong.
"""

from __future__ import annotations

import random
from typing import Final, Literal

from msgspec import Struct

from daemon.confidence.features import Generation, features
from daemon.confidence.judgement import Judgement, Known, Sought, judge
from providers.contract import Logprob

Form = Literal["search-replace", "diff", "fenced"]
Plant = Literal["form", "words"]
FORMS: Final[tuple[Form, ...]] = ("search-replace", "diff", "fenced")
PLANTS: Final[tuple[Plant, ...]] = ("form", "words")
SURE, UNSURE = -0.02, -1.6
_NOUNS: Final = ("queue", "ledger", "window", "cursor", "bucket", "frame", "batch", "route", "signal", "record")


class Edit(Struct, frozen=True):
    """conversation: holds the file. right, draft: the answer as it should be, and with the fault. fault: which piece has it.
    tokens: of the draft, with how sure the model was.
    """

    form: Form
    conversation: str
    right: str
    draft: str
    fault: int
    pieces: tuple[str, ...]
    tokens: tuple[Logprob, ...]

    @property
    def generation(self) -> Generation:
        return Generation(self.tokens, self.draft, reason="stop")

    @property
    def judgement(self) -> Judgement:
        seen = features(self.generation)
        assert seen is not None
        return judge(seen, Sought(), 0.8, Known())


def edit(seed: int, form: Form, plant: Plant, count: int) -> Edit:
    """One with so many pieces. plant: what is wrong with one: its form, beyond doubt, or its words, of which it was unsure."""
    dice = random.Random(f"{seed} {form} {plant} {count}")
    names = [f"{dice.choice(_NOUNS)}_{number}" for number in range(count)]
    old = [_function(dice, name, "limit") for name in names]
    new = [text.replace("limit", "bound").replace("total = 0", f"total = {dice.randrange(1, 99)}") for text in old]
    fault = dice.randrange(count)
    wrong = new[fault].replace("bound", "bond", 1) if plant == "words" else None
    right = [_written(form, before, after, name) for before, after, name in zip(old, new, names, strict=True)]
    drafted = list(right)
    drafted[fault] = _broken(form, right[fault]) if wrong is None else _written(form, old[fault], wrong, names[fault])
    head = "--- a/src/parts.py\n+++ b/src/parts.py\n" if form == "diff" else "Here is the change.\n\n"
    between = "\n" if form == "diff" else "\n\nsrc/parts.py\n"
    tail = "" if form == "diff" else "\n\nThat is all."
    draft = head + between.join(drafted) + tail
    tokens: list[Logprob] = []
    for number, text in enumerate(drafted):
        sure = UNSURE if plant == "words" and number == fault else SURE
        tokens += _tokens(head if number == 0 else between, SURE) + _tokens(text, sure)
    tokens += _tokens(tail, SURE)
    conversation = "The file src/parts.py:\n\n" + "\n\n".join(old)
    return Edit(form, conversation, head + between.join(right) + tail, draft, fault, tuple(right), tuple(tokens))


def _function(dice: random.Random, name: str, limit: str) -> str:
    lines = [f"def {name}(values: list[int], {limit}: int) -> int:", "    total = 0"]
    for _ in range(dice.randrange(2, 6)):
        lines += [f"    if values[{dice.randrange(9)}] < {limit}:", f"        total += {dice.randrange(99)}"]
    return "\n".join([*lines, "    return total"])


def _written(form: Form, old: str, new: str, name: str) -> str:
    match form:
        case "search-replace":
            return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
        case "diff":
            before, after = old.split("\n"), new.split("\n")
            lines = [f"-{line}" for line in before] + [f"+{line}" for line in after]
            return "\n".join([f"@@ -1,{len(before)} +1,{len(after)} @@ {name}", *lines])
        case "fenced":
            return f"```python\n{new}\n```"


def _broken(form: Form, piece: str) -> str:
    match form:
        case "search-replace":
            return piece.replace("limit", "limits", 1)  # searches for what is not there
        case "diff":
            return piece + "\n+    # one line more than its header counts"
        case "fenced":
            return piece.replace(":\n", "\n", 1)  # does not parse


def _tokens(text: str, logprob: float) -> list[Logprob]:
    return [Logprob(text[at : at + 4].encode(), logprob) for at in range(0, len(text), 4)]
