"""Candidates to select among."""

from __future__ import annotations

from typing import Any

from daemon.decision.rules import Candidate
from daemon.recipes.algorithms import Algorithm
from daemon.recipes.model import ModelCard, ModelRef
from daemon.routing.selection.base import Option, Question
from daemon.signals.vectors import Vectors
from tests.fakes.asking import without_models


def option(name: str, description: str = "", quality: float | None = None, **more: Any) -> Option:
    card = ModelCard(name=name, description=description, quality_score=quality)
    return Option(ModelRef(model=name), Candidate("work", name), card, **more)


def question(algorithm: Algorithm | Any, words: str = "hello", vectors: Vectors | None = None) -> Question:
    made = algorithm if isinstance(algorithm, Algorithm) else Algorithm(type=algorithm)
    return Question(made, words, vectors or without_models().vectors)
