"""The ReMoM looper: rounds of many answers, each round with the last one's before it, then one that writes the answer.

Theory of operation. `breadth_schedule` says how many answers each round has; a synthesis follows. Each is a draw of its own
at a high temperature. From the second round on a prompt holds the answers of the round before, in an order that hangs on
nothing they say, shortened from the front where that is wanted. A round ends when all have answered or its time is over;
fewer than the quorum are an end if `on_error` is `fail`, else it goes on with those, and with the round before if nobody
answered at all. Source of the scheme: PaCoRe, as upstream has it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

from daemon.decision.rules import Candidate, Decision, Way
from daemon.loopers.agreement import sides
from daemon.loopers.base import Ask, Errand
from daemon.loopers.finishing import finished
from daemon.loopers.form import form_of
from daemon.loopers.gathering import FAILURES, Answer, Round, gather, passed_on
from daemon.loopers.material import fenced
from daemon.loopers.templates import filled_for_each, is_template
from daemon.recipes.algorithms import Remom
from providers.contract import Deltas

TEMPERATURE: Final = 1.0
COMPACTION_TOKENS: Final = 1000
CHARS_PER_TOKEN: Final = 4
SEED: Final = 42
_TASK: Final = (
    "Above is a question, and below are reference answers to it, which may be wrong, each or all of them. Examine how each "
    "comes to what it says, keep what holds, mend what does not, and give your own complete answer to the question."
)


async def remom(decision: Decision, ask: Ask) -> Deltas:
    """Answer with the synthesis, or with the best of the last round if it fails. Raises what kept the first round."""
    way = decision.way
    options = (way.algorithm.remom if way else None) or Remom()
    if way is None or not options.breadth_schedule:
        async with aclosing(passed_on(ask, decision.candidates[0])) as deltas:
            async for delta in deltas:
                yield delta
        return
    answers = await _rounds(decision, way, options, ask)
    form = form_of(way)
    names = way.names
    writer = decision.candidates[names.index(options.synthesis_model) if options.synthesis_model in names else 0]
    contract = "\n\n".join(filter(None, (way.words, form.words if form else "")))
    words = _prompt(options, way, answers, contract)
    errand = Errand("synthesis", "synthesis", words, tools=True, max_tokens=options.max_completion_tokens)
    async with aclosing(finished(way, writer, errand, answers, ask)) as deltas:
        async for delta in deltas:
            yield delta


async def _rounds(decision: Decision, way: Way, options: Remom, ask: Ask) -> tuple[Answer, ...]:
    """The references of the last round that had any."""
    answers: tuple[Answer, ...] = ()
    fail = (options.on_error or way.algorithm.on_error) == "fail"
    for number, breadth in enumerate(options.breadth_schedule):
        words = _prompt(options, way, answers, way.words) if answers else way.words
        asked = [
            (
                candidate,
                Errand(
                    f"round-{number}-{place}",
                    "panel",
                    words,
                    temperature=TEMPERATURE if options.temperature is None else options.temperature,
                    max_tokens=options.max_completion_tokens,
                    draw=place,
                ),
            )
            for place, candidate in enumerate(spread(decision.candidates, way.weights, breadth, options))
        ]
        came = await gather(ask, asked, options.max_concurrent, options.round_timeout_seconds)
        try:
            came.need(min(options.min_successful_responses or breadth, breadth), ask, fail)
        except FAILURES:
            if not answers or fail:
                raise
            ask.noted("below-quorum")
            break
        _stand(came, ask)
        answers = _ordered(came.answers, options)
        if came.spent:
            break
    return answers


def _stand(came: Round, ask: Ask) -> None:
    names, _ = sides(came.answers, [1.0] * len(came.answers))
    for answer, name in zip(came.answers, names, strict=True):
        ask.rated(answer.errand.label, name, None)


def spread(
    candidates: Sequence[Candidate], weights: Sequence[float], breadth: int, options: Remom
) -> tuple[Candidate, ...]:
    """Whom a round asks, one for each answer, in the candidates' order where it gives several to one."""
    how = options.model_distribution or "weighted"
    if how == "first_only":
        return (candidates[0],) * breadth
    if how == "round_robin":
        return tuple(candidates[place % len(candidates)] for place in range(breadth))
    shares = [1.0] * len(candidates) if how == "equal" or not sum(weights) else list(weights)
    whole = [breadth * share / sum(shares) for share in shares]
    counts = [int(each) for each in whole]
    by_rest = sorted(range(len(whole)), key=lambda place: (counts[place] - whole[place], place))
    for place in by_rest[: breadth - sum(counts)]:
        counts[place] += 1
    return tuple(candidate for candidate, count in zip(candidates, counts, strict=True) for _ in range(count))


def _ordered(answers: tuple[Answer, ...], options: Remom) -> tuple[Answer, ...]:
    """By length, then shuffled by the seed: as upstream has it, and the same for the same answers."""
    ordered = sorted(answers, key=lambda answer: (len(answer.text), answer.text))
    seed = SEED if options.shuffle_seed is None else options.shuffle_seed
    random.Random(seed).shuffle(ordered)  # noqa: S311  an order that can be repeated, not a secret
    return tuple(ordered[: options.max_responses_per_round or None])


def _prompt(options: Remom, way: Way, answers: Sequence[Answer], contract: str) -> str:
    pieces = [(f"reference {number}", _shown(answer, options)) for number, answer in enumerate(answers)]
    if way.contract is None or way.contract.reference.id_format == "reference_number":
        pieces = [(f"reference {number}", text) for number, (_, text) in enumerate(pieces, 1)]
    task = options.synthesis_template or _TASK
    if is_template(task):
        values = [
            {"Model": name, "Content": fenced([(name, answer.text)]), "Reasoning": _reasoning(answer, options)}
            for (name, _), answer in zip(pieces, answers, strict=True)
        ]
        if (filled := filled_for_each(task, way.said, values)) is not None:
            return "\n\n".join(filter(None, (filled, contract)))
        task = _TASK
    return "\n\n".join(filter(None, (task, fenced(pieces), contract)))


def _shown(answer: Answer, options: Remom) -> str:
    reasoning = _reasoning(answer, options)
    return (
        f"Reasoning: {reasoning}\n\n{_compact(answer.text, options)}" if reasoning else _compact(answer.text, options)
    )


def _reasoning(answer: Answer, options: Remom) -> str:
    return _compact(answer.thoughts, options) if options.include_reasoning else ""


def _compact(text: str, options: Remom) -> str:
    if options.compaction_strategy != "last_n_tokens":
        return text
    chars = (options.compaction_tokens or COMPACTION_TOKENS) * CHARS_PER_TOKEN
    return text if len(text) <= chars else f"[…] {text[-chars:]}"
