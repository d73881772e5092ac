"""Further answers of a draft's candidate, drawn while they can still let the draft pass."""

from __future__ import annotations

from daemon.confidence.canonical import form_of
from daemon.confidence.further import SAMPLES, TEMPERATURE, TOKENS, compared
from daemon.confidence.judgement import Judgement
from daemon.decision.rules import Candidate, Decision
from daemon.loopers.base import Ask, Errand
from daemon.loopers.drafts import Draft
from daemon.loopers.gathering import FAILURES, answered
from providers.contract import NoAnswer


async def further(decision: Decision, ask: Ask, draft: Draft, judged: Judgement | None) -> Judgement | None:
    """What further answers make of a draft's judgement. It is given back as it is where none can change it."""
    generation, family = draft.generation, decision.sought.family
    if judged is None or not judged.undecided or not draft.ended or draft.all_calls:
        return judged
    form = form_of(generation.text, family, decision.said)
    if not form:
        return judged
    await draft.stop()  # it has ended, and what it holds is free for others
    forms: list[str] = []
    try:
        while judged and judged.undecided and len(forms) < SAMPLES:
            said = await drawn(ask, draft.candidate, len(forms) + 1)
            forms.append(form_of(said, family, decision.said))
            judged = ask.judge(draft.candidate, decision.sought, generation, compared(form, forms))
    except FAILURES:
        ask.noted("samples-failed")
    return judged


async def drawn(ask: Ask, candidate: Candidate, number: int) -> str:
    """The words of one more answer, empty if there are none. Raises what `ask` raises."""
    errand = Errand(f"sample-{number}", "sample", max_tokens=TOKENS, temperature=TEMPERATURE, draw=number)
    try:
        return (await answered(ask, candidate, errand)).text
    except NoAnswer:
        return ""
