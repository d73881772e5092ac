"""The fusion looper: a panel answers, a judge compares what it said, and one model writes the answer of both.

Theory of operation. Whoever doesn't answer is passed over, down to the quorum. If all answers can be compared and say the
same there is nothing to judge, and the first of them is the answer. Else the judge says in JSON where they agree, where they
contradict each other, and what is missing; a verdict that can't be read is left out. How far each answer is supported by the
others (grounding, where a model for that is set up) is told with it: by default as a weight, because leaving answers out was
measured to hurt where one is right against all others (upstream's finding: -0.113 and -0.132 on 12 contested items).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final

import msgspec

from daemon.decision.rules import Candidate, Decision, Way
from daemon.errors import NoCandidate
from daemon.loopers.agreement import sides
from daemon.loopers.base import Ask, Errand
from daemon.loopers.finishing import best_of, finished
from daemon.loopers.form import form_of
from daemon.loopers.gathering import FAILURES, Answer, answered, gather, passed_on, said
from daemon.loopers.grounding import grounded, kept
from daemon.loopers.material import fenced
from daemon.loopers.templates import filled, is_template
from daemon.loopers.verdicts import the_object
from daemon.recipes.algorithms import Fusion, Grounding
from providers.contract import Deltas

KEYS: Final = ("consensus", "contradictions", "partial_coverage", "unique_insights", "blind_spots")
MOST: Final = 2
"""Remarks under each key."""
LONGEST: Final = 400
"""Characters of a remark."""
JUDGE_TOKENS: Final = 1500
"""Remarks take some 300; the rest is for models that reason first."""
_JUDGE: Final = (
    "Leave the question above unanswered. Below are answers to it. Compare them. Say only a JSON object with the keys "
    f"{', '.join(KEYS)}; each a list of at most {MOST} short strings."
)
_FINAL: Final = (
    "Above is a question, and below are answers of several models{analysed}. Use what holds, settle what they contradict "
    "each other in, and give one complete answer to the question. Speak to who asked; do not mention the answers or models."
)
JUDGING: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        key: {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": MOST} for key in KEYS
    },
    "required": list(KEYS),
}


async def fusion(decision: Decision, ask: Ask) -> Deltas:
    """Answer with what the last model writes. Raises what kept the first one if nobody of the panel answers."""
    way = decision.way
    options = (way.algorithm.fusion if way else None) or Fusion()
    panel = _panel(decision, options)
    if way is None or len(panel) == 1:
        async with aclosing(passed_on(ask, panel[0][0])) as deltas:
            async for delta in deltas:
                yield delta
        return
    answers, scores = await _answers(panel, way, options, ask)
    names, shares = sides(answers, [1.0] * len(answers))
    for answer, name in zip(answers, names, strict=True):
        ask.rated(answer.errand.label, name, scores.get(answer.errand.label))
    if len(answers) == 1 or (min(shares) > 0.5 and form_of(way) is None):
        async for delta in said(best_of(answers), ask):
            yield delta
        return
    judge = decision.candidates[way.names.index(options.model) if options.model in way.names else 0]
    analysis = await _analysis(judge, way, options, answers, scores, ask)
    words = _final(way, options, answers, scores, analysis)
    errand = Errand("synthesis", "synthesis", words, tools=True, max_tokens=options.max_completion_tokens)
    async with aclosing(finished(way, judge, errand, answers, ask)) as deltas:
        async for delta in deltas:
            yield delta


def _panel(decision: Decision, options: Fusion) -> list[tuple[Candidate, str]]:
    """Who answers, and what the recipe calls them."""
    names = decision.way.names if decision.way else tuple(each.name for each in decision.candidates)
    everybody = list(zip(decision.candidates, names, strict=True))
    wanted = [each for each in everybody if each[1] in options.analysis_models]
    return wanted or everybody


async def _answers(
    panel: Sequence[tuple[Candidate, str]], way: Way, options: Fusion, ask: Ask
) -> tuple[tuple[Answer, ...], Mapping[str, float]]:
    own = {override.model: override for override in options.analysis_overrides}
    asked = []
    for place, (candidate, name) in enumerate(panel):
        override = own.get(name)
        temperature = override.temperature if override and override.temperature is not None else options.temperature
        tokens = override.max_completion_tokens if override and override.max_completion_tokens else None
        errand = Errand(
            f"panel-{place}",
            "panel",
            way.words,
            temperature=temperature,
            max_tokens=tokens or options.max_completion_tokens,
        )
        asked.append((candidate, errand))
    came = await gather(ask, asked, options.max_concurrent, options.round_timeout_seconds)
    quorum = min(options.min_successful_responses or len(asked), len(asked))
    came.need(quorum, ask, (options.on_error or way.algorithm.on_error) == "fail")
    grounding = options.grounding
    if grounding is None or not grounding.enabled or len(came.answers) < 2:
        return came.answers, {}
    scores = await grounded(came.answers, grounding, ask)
    if not scores:
        if grounding.on_error == "fail":
            raise NoCandidate(
                "grounding needs a model for entailment: set `entailment` under [signals] in settings.toml"
            )
        ask.noted("no-grounding")
    return kept(came.answers, scores, grounding, ask), scores


async def _analysis(
    judge: Candidate, way: Way, options: Fusion, answers: Sequence[Answer], scores: Mapping[str, float], ask: Ask
) -> str:
    """The judge's object as it is passed on; empty: there is none."""
    shown = fenced(_shown(answers, scores, options.grounding))
    words = f"{_JUDGE}\n\n{shown}\n\n{_JUDGE}"
    if options.analysis_template:
        own = options.analysis_template
        placed = filled(own, {"original": way.said, "responses": shown}) if is_template(own) else f"{own}\n\n{shown}"
        words = f"{placed or shown}\n\n{_JUDGE}"
    errand = Errand("judge", "judge", words, own=True, temperature=0.0, max_tokens=JUDGE_TOKENS, schema=JUDGING)
    try:
        verdict = the_object((await answered(ask, judge, errand)).text)
    except FAILURES:
        verdict = None
    read = _read(verdict)
    if not read:
        ask.noted("verdict-unreadable")
        return ""
    return msgspec.json.encode(read).decode()


def _read(verdict: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """Short remarks under the known keys, and nothing else of it."""
    found: dict[str, list[str]] = {}
    for key in KEYS:
        remarks = (verdict or {}).get(key)
        remarks = [remarks] if isinstance(remarks, str) else remarks
        if isinstance(remarks, list):
            short = [each[:LONGEST] for each in remarks if isinstance(each, str) and each.strip()][:MOST]
            if short:
                found[key] = short
    return found


def _final(way: Way, options: Fusion, answers: Sequence[Answer], scores: Mapping[str, float], analysis: str) -> str:
    pieces = _shown(answers, scores, options.grounding)
    form = form_of(way)
    contract = "\n\n".join(filter(None, (way.words, form.words if form else "")))
    shown = [("analysis", analysis)] if analysis and options.include_analysis is not False else []
    own = options.synthesis_template or ""
    if is_template(own):
        values = {"original": way.said, "responses": fenced(pieces), "analysis": fenced(shown) if shown else ""}
        if (words := filled(own, values)) is not None:
            return "\n\n".join(filter(None, (words, contract)))
        own = ""
    task = own or _FINAL.format(analysed=", and a comparison of them" if shown else "")
    return "\n\n".join(filter(None, (task, fenced([*pieces, *shown]), contract)))


def _shown(
    answers: Sequence[Answer], scores: Mapping[str, float], grounding: Grounding | None
) -> list[tuple[str, str]]:
    """Each with its name; with how far the others support it, where that was measured."""
    weighs = grounding is None or grounding.policy in (None, "weight", "filter")
    pieces = []
    for number, answer in enumerate(answers, 1):
        score = scores.get(answer.errand.label)
        if score is None:
            name = f"answer {number}"
        elif weighs:
            name = f"answer {number}, to be weighed with {score:.2f} of 1"
        else:
            name = f"answer {number}, supported by the others to {score:.2f} of 1"
        pieces.append((name, answer.text))
    return pieces
