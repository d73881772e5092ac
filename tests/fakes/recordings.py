"""Recordings drawn from a known truth: how sure an answer's tokens are says how often it is right."""

from __future__ import annotations

from random import Random

from daemon.certifying.recording import Row
from daemon.confidence.calibration import sigmoid
from daemon.confidence.families import Family
from daemon.confidence.features import Features, Generation, features
from daemon.confidence.recovery import CHECKPOINTS
from daemon.confidence.setup import Setup
from providers.contract import Logprob

SETUP = Setup("f" * 64, "openvino-genai", 2)


def truth(mean: float, tells: float = 1.5, good: float = 4.0) -> float:
    """How often an answer is right whose answer tokens have this mean log-probability."""
    return sigmoid(good + 2 * tells * mean)


def drawn_row(
    number: int,
    chance: Random,
    family: Family = "short",
    author: str = "ada",
    setup: Setup = SETUP,
    tells: float = 1.5,
    good: float = 4.0,
    longest: int = 8,
    checks: float | None = None,
    by: str = "",
) -> Row:
    """One row. tells: how much sureness says; good: log-odds of a quite sure answer; longest: in tokens; checks: how much the
    model's own word says, None: it was not asked. by: who told how like further answers in prose are; empty: nobody.
    """
    level = -chance.expovariate(0.8)
    tokens = tuple(
        Logprob(b" w%d" % place, min(level * chance.uniform(0.7, 1.3), 0.0))
        for place in range(chance.randint(1, longest))
    )
    seen = _shown(tokens, "stop")
    right = chance.random() < truth(level, tells, good)
    agreeing = sum(chance.random() < (0.8 if right else 0.3) for _ in range(3))
    return Row(
        id=f"{author}-{family}-{number}",
        digest=f"{number:016x}",
        source=f"{author}_{family}",
        author=author,
        family=family,
        style="examples",
        model="drawn",
        setup=setup,
        right=right,
        reason="stop",
        prompt_tokens=50,
        features=seen,
        logprobs=tuple(round(token.logprob, 4) for token in tokens),
        bearing="1" * len(tokens),
        samples=3,
        agreeing=agreeing,
        kinds=1 + min(3 - agreeing, 1 + number % 2),
        form="drawn",
        alike=round(sum(chance.betavariate(4, 1) if right else chance.betavariate(1, 3) for _ in range(3)), 4)
        if by
        else 0,
        alike_kinds=1 + min(3 - agreeing, 1 + number % 2) if by else 0,
        alike_by=by,
        self_check=None if checks is None else Random(number).gauss(checks if right else -checks, 1.0),
        beginnings=tuple(_shown(tokens[:length], None) for length in CHECKPOINTS if length < len(tokens)),
    )


def _shown(tokens: tuple[Logprob, ...], reason: str | None) -> Features:
    seen = features(Generation(tokens, "words", frozenset(), reason))
    assert seen is not None
    return seen


def drawn_rows(
    count: int,
    seed: int = 1,
    family: Family = "short",
    author: str = "ada",
    tells: float = 1.5,
    good: float = 4.0,
    longest: int = 8,
    checks: float | None = None,
    by: str = "",
) -> list[Row]:
    """So many of one author and family."""
    chance = Random(seed)
    return [
        drawn_row(number, chance, family, author, tells=tells, good=good, longest=longest, checks=checks, by=by)
        for number in range(count)
    ]
