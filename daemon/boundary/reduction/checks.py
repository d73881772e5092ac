"""Whether a model's rewriting of a text may be believed to say less and to ask the same.

A model may keep what it was to drop, add what was not there, or answer instead of rewriting. So nothing of what pointed at
somebody may stand in it, nothing new that points at anything, and the task has to.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from daemon.boundary.reduction.rules import TASK, still_tells
from daemon.signals.implicit.identity import told_of

Fault = Literal["length", "tells", "run", "new", "task", "unlike"]
"""length: much shorter or longer. tells: somebody could be guessed from it. run: words of a fact stand in it. new: a name or
a number that the rest of the text didn't have. task: not what was asked for. unlike: about something else.
"""
SHORTEST: Final = 0.15
LONGEST: Final = 1.3
RUN: Final = 3
"""So many words of a fact in a row tell it."""
LIKENESS: Final = 0.25
"""Of the texts' vectors, at least. Of our cases, nine in ten of what rules make are above it (median 0.48), and nine in ten
of what they make of another case below (0.16).
"""
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NUMBER: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][\w'’-]+")


def fault_of(text: str, made: str, likeness: float) -> Fault | None:
    """Why a rewriting is not believed; None: it is. likeness: of both, as the encoder has it."""
    if not SHORTEST * len(text) <= len(made) <= LONGEST * len(text):
        return "length"
    if told_of(made) or still_tells(made):
        return "tells"
    facts = [text[fact.start : fact.end] for told in told_of(text) for fact in told.facts if fact.kind != "self"]
    words = " ".join(_words(made))
    if any(f" {run} " in f" {words} " for fact in facts for run in _runs(fact)):
        return "run"
    rest = text
    for fact in sorted(facts, key=len, reverse=True):
        rest = rest.replace(fact, " ")
    if set(_NUMBER.findall(made)) - set(_NUMBER.findall(rest)) or set(_NAME.findall(made)) - set(_NAME.findall(rest)):
        return "new"
    if not _asks_the_same(text, made):
        return "task"
    return None if likeness >= LIKENESS else "unlike"


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _runs(fact: str) -> list[str]:
    """Words of a fact in a row; all of a short one, but for a single small word."""
    words = _words(fact)
    if len(words) < RUN:
        return [" ".join(words)] if len(words) > 1 or any(map(str.isupper, fact)) or fact.isdigit() else []
    return [" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1)]


def _asks_the_same(text: str, made: str) -> bool:
    if "?" in text and "?" not in made:
        return False
    asked = {found[0].lower() for found in TASK.finditer(text) if found[0] != "?"}
    return not asked or bool(asked & {found[0].lower() for found in TASK.finditer(made)})
