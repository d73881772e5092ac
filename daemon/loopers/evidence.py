"""Further answers of a draft's candidate, drawn while they can still let the draft pass."""

from __future__ import annotations

from daemon.confidence.canonical import form_of
from daemon.confidence.further import LIKENED, SAMPLES, TEMPERATURE, TOKENS, Further, Kinds, compared
from daemon.confidence.judgement import Judgement
from daemon.decision.rules import Candidate, Decision
from daemon.loopers.base import Ask, Errand
from daemon.loopers.drafts import Draft
from daemon.loopers.gathering import FAILURES, answered
from providers.contract import NoAnswer


async def further(decision: Decision, ask: Ask, draft: Draft, judged: Judgement | None) -> Judgement | None:
    """What further answers make of a draft's judgement. It is given back as it is where none can change it."""
    generation = draft.generation
    if judged is None or not judged.undecided or not draft.ended or draft.all_calls:
        return judged
    beside = _beside(generation.text, decision, ask)
    if beside is None:
        return judged
    await draft.stop()  # it has ended, and what it holds is free for others
    samples = 0
    try:
        while judged and judged.undecided and samples < SAMPLES:
            samples += 1
            seen = await beside.take(await drawn(ask, draft.candidate, samples))
            if seen is None:
                ask.noted("samples-failed")
                break
            judged = ask.judge(draft.candidate, decision.sought, generation, seen)
    except FAILURES:
        ask.noted("samples-failed")
    return judged


class _Forms:
    """Answers beside one that has a form. form: its own, not empty."""

    def __init__(self, form: str, decision: Decision) -> None:
        self._form = form
        self._decision = decision
        self._others: list[str] = []

    async def take(self, text: str) -> Further | None:
        self._others.append(form_of(text, self._decision.sought.family, self._decision.said))
        return compared(self._form, self._others)


class _Prose:
    """Answers beside one in prose."""

    def __init__(self, text: str, decision: Decision, ask: Ask) -> None:
        self._kinds = Kinds(text)
        self._decision = decision
        self._ask = ask

    async def take(self, text: str) -> Further | None:
        """None: nobody could tell how like they are."""
        likenesses = []
        for other in self._kinds.each:
            alike = await self._ask.alike(text, other, self._decision.question) if text and other else 0.0
            if alike is None:
                return None
            likenesses.append(alike)
        return self._kinds.take(text, likenesses)


def _beside(text: str, decision: Decision, ask: Ask) -> _Forms | _Prose | None:
    """None where an answer has nothing to compare it by."""
    if decision.sought.family in LIKENED:
        said = text.strip()
        return _Prose(said, decision, ask) if any(map(str.isalnum, said)) else None
    form = form_of(text, decision.sought.family, decision.said)
    return _Forms(form, decision) if form else None


async def drawn(ask: Ask, candidate: Candidate, number: int) -> str:
    """The words of one more answer, empty if there are none. Raises what `ask` raises."""
    errand = Errand(f"sample-{number}", "sample", max_tokens=TOKENS, temperature=TEMPERATURE, draw=number)
    try:
        return (await answered(ask, candidate, errand)).text
    except NoAnswer:
        return ""
