"""An `ask` for loopers of several: it says what a test wants of each model in each role, and keeps what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from daemon.confidence.features import Generation
from daemon.confidence.further import Further
from daemon.confidence.judgement import Sought
from daemon.confidence.recovery import Outlook
from daemon.decision.rules import Candidate, Decision, Way
from daemon.loopers.base import Errand
from daemon.loopers.registry import LOOPERS
from daemon.recipes.algorithms import Algorithm
from daemon.recipes.contracts import OutputContract
from daemon.tools.weighing import Weighed
from providers.contract import (
    Delta,
    Deltas,
    Finish,
    Response,
    Text,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
    fold,
)

Say = str | Exception | ToolCall | None | Callable[[Errand | None], str]
"""Words; an error; a call; None: silence without an end; or words that depend on the errand."""
END = Usage(1, 1)


class Panel:
    """plays: by `MODEL` or `MODEL ROLE`; a list is one after the other, its last one repeated."""

    def __init__(self, plays: dict[str, Say | list[Say]], thoughts: str = "") -> None:
        self._plays = {key: list(play) if isinstance(play, list) else [play] for key, play in plays.items()}
        self._thoughts = thoughts
        self.asked: list[tuple[str, Errand | None]] = []
        self.running = self.most = 0
        self.ratings: dict[str, tuple[str | None, float | None]] = {}
        self.notes: list[str] = []
        self.winner: str | None = None
        self.kept: dict[str, bytes] = {}
        self.conversation = ""
        self.entailment: Callable[[str, str], dict[str, float]] | None = None

    async def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        role = errand.role if errand else "answer"
        key = f"{candidate.model} {role}"
        plays = self._plays.get(key) or self._plays[candidate.model]
        say = plays.pop(0) if len(plays) > 1 else plays[0]
        self.asked.append((candidate.model, errand))
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(0)
            if say is None:
                await asyncio.Event().wait()
            if isinstance(say, Exception):
                raise say
            if self._thoughts:
                yield ThoughtDelta(self._thoughts)
            if isinstance(say, ToolCall):
                yield ToolCallDelta(0, say.id, say.name, say.arguments)
                yield Finish("tool_calls", END)
                return
            words = say(errand) if callable(say) else say
            assert isinstance(words, str)
            yield TextDelta(words)
            yield Finish("stop", END)
        finally:
            self.running -= 1

    def now(self) -> float:
        return 0.0

    def judge(self, candidate: Candidate, sought: Sought, draft: Generation, further: Further | None = None) -> None:
        raise AssertionError("no looper of several has thresholds")

    async def weigh(self, candidate: Candidate, calls: tuple[ToolCall, ...]) -> Weighed:
        raise AssertionError("no looper of several weighs calls")

    def agree(
        self, candidate: Candidate, calls: tuple[ToolCall, ...], label: str, others: tuple[ToolCall, ...]
    ) -> bool:
        raise AssertionError("no looper of several asks for keys")

    def verified(self, candidate: Candidate, sought: Sought, draft: Generation, score: float | None) -> None:
        raise AssertionError("no looper of several has thresholds")

    async def self_check(self, candidate: Candidate) -> None:
        raise AssertionError("no looper of several has drafts")

    def outlook(self, candidate: Candidate, sought: Sought, beginning: Generation) -> Outlook:
        raise AssertionError("no looper of several has thresholds")

    def hedge(self, candidate: Candidate) -> None:
        raise AssertionError("no looper of several has drafts")

    def chosen(self, candidate: Candidate) -> None:
        self.winner = candidate.model

    def rated(self, label: str, side: str | None, score: float | None) -> None:
        self.ratings[label] = (side, score)

    def noted(self, code: str) -> None:
        self.notes.append(code)

    def stands(self, text: str) -> bool:
        return text in self.conversation

    def spent(self) -> Usage:
        return Usage(len(self.asked), len(self.asked))

    async def alike(self, one: str, other: str, question: frozenset[str]) -> float | None:
        return None

    async def entailed(self, premise: str, hypothesis: str) -> dict[str, float] | None:
        return self.entailment(premise, hypothesis) if self.entailment else None

    async def keep(self, key: str, state: bytes) -> None:
        self.kept[key] = state

    async def take(self, key: str) -> bytes | None:
        return self.kept.pop(key, None)

    def asked_as(self, role: str) -> list[tuple[str, Errand]]:
        """Whom it asked in a role, and how."""
        return [(model, errand) for model, errand in self.asked if errand is not None and errand.role == role]


def decision(
    algorithm: Algorithm,
    models: Sequence[str],
    said: str = "",
    weights: Sequence[float] = (),
    contract: OutputContract | None = None,
    words: str = "",
    resumes: str | None = None,
) -> Decision:
    """One whose recipe calls its candidates as they are called here."""
    way = Way(
        algorithm=algorithm,
        names=tuple(models),
        weights=tuple(weights) or (1.0,) * len(models),
        words=words,
        contract=contract,
        said=said,
    )
    candidates = tuple(Candidate("local", model) for model in models)
    return Decision("test", algorithm.type, candidates, way=way, resumes=resumes)


async def response(ask: Panel, decided: Decision) -> Response:
    return await fold(LOOPERS[decided.looper](decided, ask))


async def deltas(ask: Panel, decided: Decision) -> list[Delta]:
    return [delta async for delta in LOOPERS[decided.looper](decided, ask)]


async def text(ask: Panel, decided: Decision) -> str:
    """The words of the answer."""
    answer = await response(ask, decided)
    return "".join(part.text for part in answer.choices[0].parts if isinstance(part, Text))
