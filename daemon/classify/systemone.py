"""`POST /v1/systemone`: typed questions about one state, answered with probabilities and without a word of prose.

The shape is System One's, as vLLM Semantic Router's decision runtime serves it. Who answers is the shipped encoder, by
likeness (`daemon.signals.questions`): it is named `nearloop/decisions`, and its probabilities are not calibrated.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from daemon.errors import BadRequest, UnknownModel
from daemon.protocols.reading import read_as
from daemon.signals import questions
from daemon.signals.missing import readable
from daemon.signals.parts import Parts

_MOST: Final = 255
Words = str | dict[str, Any] | list[Any]
"""Plain, or JSON that is read as its text."""


class Noul(Struct, frozen=True, tag="noul", forbid_unknown_fields=True):
    """Yes or no. criteria: what `true` and `false` mean."""

    instructions: Words
    criteria: dict[Literal["true", "false"], str] = {}


class Choice(Struct, frozen=True, tag="choice", forbid_unknown_fields=True):
    """One of several. criteria: from a key to what it means; the key itself, if that is null."""

    instructions: Words
    criteria: Annotated[dict[str, str | None], Meta(min_length=2, max_length=_MOST)]


class Score(Struct, frozen=True, tag="score", forbid_unknown_fields=True):
    """A level, lowest first."""

    instructions: Words
    criteria: Annotated[tuple[str, ...], Meta(min_length=2, max_length=_MOST)]


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole request."""

    model: str
    state: Words
    questions: Annotated[dict[str, Noul | Choice | Score], Meta(min_length=1, max_length=256)]


class NoulAnswer(Struct, frozen=True, tag="noul"):
    noul: float


class ChoiceAnswer(Struct, frozen=True, tag="choice"):
    choice: str
    confidence: float
    probabilities: dict[str, float]


class ScoreAnswer(Struct, frozen=True, tag="score"):
    score: float
    confidence: float
    legend: dict[str, str]
    probabilities: dict[str, float]


class Usage(Struct, frozen=True):
    input_tokens: int
    output_tokens: int = 0


class Answered(Struct, frozen=True):
    """The whole answer."""

    model: str
    answers: dict[str, NoulAnswer | ChoiceAnswer | ScoreAnswer]
    usage: Usage


_decode: Final = msgspec.json.Decoder(Asked).decode


def read(body: bytes) -> Asked:
    """Understand a request. Raises BadRequest, UnknownModel."""
    try:
        asked = read_as(_decode, body)
    except BadRequest as error:
        raise BadRequest(
            f"a request is {{model, state, questions}} with questions of noul, choice or score: {error}",
            error.parameter,
        ) from error
    if asked.model != questions.MODEL:
        raise UnknownModel(f"decisions are answered by {questions.MODEL}: no other model of this name does")
    return asked


def answer(parts: Parts, asked: Asked) -> Answered:
    """Answer all questions. Called in a thread. Raises ModelMissing."""
    state = _plain(asked.state)
    with readable(parts, "vectors"):
        answers = {name: _one(parts, state, question) for name, question in asked.questions.items()}
    read_chars = len(state) + sum(len(_plain(question.instructions)) for question in asked.questions.values())
    return Answered(questions.MODEL, answers, Usage(round(read_chars / 4)))


def _one(parts: Parts, state: str, question: Noul | Choice | Score) -> NoulAnswer | ChoiceAnswer | ScoreAnswer:
    instructions = _plain(question.instructions)
    match question:
        case Noul(criteria=criteria):
            yes, no = criteria.get("true", ""), criteria.get("false", "")
            return NoulAnswer(questions.affirm(parts.vectors, state, instructions, yes, no).value)
        case Choice(criteria=criteria):
            options = {key: words or "" for key, words in criteria.items()}
            told = questions.choose(parts.vectors, state, instructions, options)
            assert told.chosen is not None
            return ChoiceAnswer(told.chosen, told.confidence, told.chances)
        case Score(criteria=levels):
            told = questions.rate(parts.vectors, state, instructions, levels)
            return ScoreAnswer(
                told.value, told.confidence, {str(n): level for n, level in enumerate(levels)}, told.chances
            )


def _plain(words: Words) -> str:
    return words if isinstance(words, str) else msgspec.json.encode(words).decode()
