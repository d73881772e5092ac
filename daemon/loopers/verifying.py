"""Upstream's methods that ask about a draft: a model's grade of its own answer, and whether its further answers support it.

Theory of operation. Both take a whole draft, so nothing of it goes out before it is graded, and grades are held against the
recipe's threshold. A grade that can't be had or read does not count: the draft is passed over, as upstream's evaluation
errors are.

- `self_verify`: the answer stands in the prompt as data, between marks that it can't know; the verdict is one JSON object.
- `automix_entailment`: the share of AUTOMIX_SAMPLES further answers that support the draft. Upstream has a server draw and
  judge them (`verifier_server_url`). A recipe may come from anywhere, so an address in it opens no connection: the
  answers are drawn from the draft's own candidate, and held against it by the local entailment model, or by their form
  where there is none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from daemon.confidence.canonical import form_of
from daemon.confidence.judgement import Judgement
from daemon.decision.rules import Decision
from daemon.loopers.base import Ask, Errand
from daemon.loopers.drafts import Draft
from daemon.loopers.evidence import drawn
from daemon.loopers.gathering import FAILURES, answered
from daemon.loopers.material import fenced
from daemon.loopers.verdicts import confidence_of

AUTOMIX_SAMPLES: Final = 5
"""With the usual threshold of 0.7, four of them have to support a draft."""
SUPPORTS: Final = 0.5
"""The probability of entailment from which an answer supports another."""
_TOKENS: Final = 256
_TEMPERATURE: Final = 0.1
"""Of a grade: both are upstream's."""
VERDICT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "confidence": {"type": "number"}},
    "required": ["reason", "confidence"],
    "additionalProperties": False,
}
RUBRIC: Final = """Grade the answer below, which was given to the request above. Do not answer the request again.

1. Say to yourself what exactly is asked, and what a full answer must contain.
2. Check each fact in the answer against what you know. One that you can't confirm counts against it.
3. Go through each step of reasoning, calculation or code, and look for the first one that does not follow.
4. Look for what is missing, and for anything that contradicts the request or itself.
5. Look at the form: does it keep to the format, length and language that were asked for?
6. Put it into one number from 0 to 1, how likely it is that a careful expert would accept the answer as it stands: 1 for no
   doubt, 0.5 for as likely wrong as right, 0 for surely wrong. When in doubt, go lower.

{answer}

Reply with one JSON object and nothing else: {{"reason": "one short sentence", "confidence": a number from 0 to 1}}"""


async def verified(decision: Decision, ask: Ask, draft: Draft) -> Judgement | None:
    """How sure a whole draft is, by the recipe's method. None if that can't be known."""
    await draft.stop()  # it has ended, and what it holds is free for others
    score = await _METHODS[decision.sought.method](decision, ask, draft)
    if score is None:
        ask.noted("not-verified")
    return ask.verified(draft.candidate, decision.sought, draft.generation, score)


async def _own_grade(decision: Decision, ask: Ask, draft: Draft) -> float | None:
    words = RUBRIC.format(answer=fenced([("answer", _said(draft))]))
    errand = Errand(
        "verifier", "verifier", words, own=True, temperature=_TEMPERATURE, max_tokens=_TOKENS, schema=VERDICT
    )
    try:
        verdict = await answered(ask, draft.candidate, errand)
    except FAILURES:
        return None
    return confidence_of(verdict.text)


async def _support(decision: Decision, ask: Ask, draft: Draft) -> float | None:
    """The share of further answers that support it; those that could not change what it comes to any more are not drawn, and
    count against it.
    """
    threshold = draft.candidate.threshold
    assert isinstance(threshold, int | float)
    supporting = 0
    for number in range(1, AUTOMIX_SAMPLES + 1):
        left = AUTOMIX_SAMPLES - number + 1
        if supporting / AUTOMIX_SAMPLES >= threshold or (supporting + left) / AUTOMIX_SAMPLES < threshold:
            break
        try:
            said = await drawn(ask, draft.candidate, number)
        except FAILURES:
            return None
        supports = await _supports(said, decision, ask, draft)
        if supports is None:
            return None
        supporting += supports
    return supporting / AUTOMIX_SAMPLES


async def _supports(said: str, decision: Decision, ask: Ask, draft: Draft) -> bool | None:
    """None where nothing tells."""
    if not said:
        return False
    first = draft.generation.text.strip()
    judged = await ask.entailed(said, first)
    if judged is not None:
        return judged.get("entailment", 0.0) >= SUPPORTS
    family = decision.sought.family
    form = "" if family == "prose" else form_of(first, family, decision.said)
    return form_of(said, family, decision.said) == form if form else None


def _said(draft: Draft) -> str:
    """Its words, and its calls of tools."""
    calls = [f"call of the tool {call.name}: {call.arguments}" for call in draft.all_calls]
    return "\n".join((draft.generation.text.strip(), *calls)).strip()


_METHODS: Final[dict[str, Callable[[Decision, Ask, Draft], Awaitable[float | None]]]] = {
    "self_verify": _own_grade,
    "automix_entailment": _support,
}
