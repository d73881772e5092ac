"""What one generation shows of how sure the model was: pure numbers of its tokens, words and end.

Answer-bearing tokens count apart: those with a letter or digit that do not repeat the question. Small models wrap an answer
in words of the question ("The capital of France is"), which are near certain whatever the answer, and drown it (measured:
AUROC 0.58 over all tokens of chatty answers, 0.89 where the answer stands alone).
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from daemon.confidence.wording import hedges, refuses, repetition
from daemon.schema_fit import misfit
from providers.contract import Alternative, Logprob

WINDOW: Final = 16
"""Tokens of the window whose mean is looked at; a sentence or a line of code."""
TAIL: Final = 32
"""Tokens of the end, where a long answer's result stands."""
UNCERTAIN: Final = math.log(0.5)
"""Below it, the model would rather have written something else."""
_WORD: Final = re.compile(r"\w+")
_FENCED: Final = re.compile(r"```([\w+-]*)\n(.*?)(?:```|\Z)", re.DOTALL)
_PYTHON: Final = frozenset({"python", "py", "python3"})


class Generation(Struct, frozen=True):
    """A local answer, whole or as far as it is there.

    question: words of what was asked, which carry no answer. reason: why it ended, None while it goes on. schema: what it
    was held to, None: nothing. self_check: what the model says of it, None: it was not asked.
    """

    tokens: tuple[Logprob, ...]
    text: str
    question: frozenset[str] = frozenset()
    reason: str | None = None
    schema: dict[str, Any] | None = None
    self_check: float | None = None


class Features(Struct, frozen=True):
    """Natural logs of probabilities where a name doesn't say otherwise.

    mean, minimum, q05, q10, q25: over all tokens. window: the worst mean of WINDOW tokens in a row. tail: the mean of the
    last TAIL. uncertain: the share of tokens that had less than even odds. margin: from the best to the second alternative,
    entropy: in nats; None where the engine doesn't tell. answer_*: over answer-bearing tokens, first: the first of them.
    ended: whether it came to its own end; None while it goes on. repetition: the share of runs of words that came before.
    valid: whether JSON fits its schema, or code parses; None where there is nothing to check. self_check: how much rather
    the model calls it right than wrong, as a difference of log-probabilities; None where it was not asked.
    """

    tokens: int
    mean: float
    minimum: float
    q05: float
    q10: float
    q25: float
    window: float
    tail: float
    uncertain: float
    answer_tokens: int
    answer_mean: float
    answer_minimum: float
    answer_q10: float
    answer_first: float
    answer_uncertain: float
    hedges: int
    refuses: bool
    repetition: float
    question_words: int
    margin: float | None = None
    margin_minimum: float | None = None
    entropy: float | None = None
    entropy_q90: float | None = None
    ended: bool | None = None
    valid: bool | None = None
    self_check: float | None = None


def features(made: Generation) -> Features | None:
    """What a generation shows. None if it has no log-probabilities."""
    if not made.tokens:
        return None
    every = [token.logprob for token in made.tokens]
    answer = answer_bearing(made.tokens, made.question)
    margins = [margin for token in made.tokens if (margin := _margin(token.top)) is not None]
    entropies = [token.entropy for token in made.tokens if token.entropy is not None]
    return Features(
        tokens=len(every),
        mean=_mean(every),
        minimum=min(every),
        q05=quantile(every, 0.05),
        q10=quantile(every, 0.10),
        q25=quantile(every, 0.25),
        window=worst_window(every),
        tail=_mean(every[-TAIL:]),
        uncertain=_share_below(every, UNCERTAIN),
        answer_tokens=len(answer),
        answer_mean=_mean(answer),
        answer_minimum=min(answer),
        answer_q10=quantile(answer, 0.10),
        answer_first=answer[0],
        answer_uncertain=_share_below(answer, UNCERTAIN),
        hedges=hedges(made.text),
        refuses=refuses(made.text),
        repetition=repetition(made.text),
        question_words=len(made.question),
        margin=_mean(margins) if margins else None,
        margin_minimum=min(margins) if margins else None,
        entropy=_mean(entropies) if entropies else None,
        entropy_q90=quantile(entropies, 0.90) if entropies else None,
        ended=None if made.reason is None else made.reason != "length",
        valid=valid(made.text, made.schema) if made.reason is not None else None,
        self_check=made.self_check,
    )


def words(text: str) -> frozenset[str]:
    """The words of a question, as answers repeat them."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def answer_bearing(logprobs: Sequence[Logprob], question: frozenset[str]) -> list[float]:
    """Log-probabilities of the tokens that carry the answer; all tokens if none does."""
    kept = [token.logprob for token in logprobs if bears(token.piece, question)]
    return kept or [token.logprob for token in logprobs]


def bears(piece: bytes, question: frozenset[str]) -> bool:
    """Whether a token can carry an answer: a letter or digit in it, and no word of the question."""
    word = piece.decode(errors="ignore").strip().casefold()
    return any(letter.isalnum() for letter in word) and word not in question


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie, between neighbours by proportion. values: at least one."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def worst_window(values: Sequence[float], width: int = WINDOW) -> float:
    """The least mean of so many neighbours; of all, where there are fewer. values: at least one."""
    width = min(width, len(values))
    total = least = math.fsum(values[:width])
    for place in range(width, len(values)):
        total += values[place] - values[place - width]
        least = min(least, total)
    return least / width


def valid(text: str, schema: dict[str, Any] | None) -> bool | None:
    """Whether an answer can be used as what it has to be: JSON that fits its schema, or code that parses.

    Looked at is JSON where a schema was given, and what stands in fences that say python or json. None: nothing of that.
    """
    if schema is not None:
        try:
            return misfit(json.loads(text), schema) is None
        except (ValueError, RecursionError):
            return False
    checked = [good for tag, code in _FENCED.findall(text) if (good := _parses(tag.casefold(), code)) is not None]
    return all(checked) if checked else None


def _parses(tag: str, code: str) -> bool | None:
    try:
        if tag in _PYTHON:
            ast.parse(code)
        elif tag == "json":
            msgspec.json.decode(code)
        else:
            return None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _margin(top: tuple[Alternative, ...]) -> float | None:
    if len(top) < 2:
        return None
    first, second = sorted((alternative.logprob for alternative in top), reverse=True)[:2]
    return first - second


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _share_below(values: Sequence[float], limit: float) -> float:
    return sum(value < limit for value in values) / len(values)
