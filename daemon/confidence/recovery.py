"""Whether an answer that does not look sure enough so far can still become so.

Theory of operation. A draft is judged when it is over, or after JUDGED_TOKENS tokens. Until then it is looked at after
CHECKPOINTS tokens. It is *hopeless* if even the best end can't lift it to what it needs, and then every further token is
waste; *amber* if it would not pass as it stands; else *open*.

The best end of a plain score is a proof: all tokens to come certain, as many as there may be. A learned score has features
that no proof covers, such as how long the answer becomes, so its best end is what was measured: the rise from a beginning to
the whole that recordings went beyond in almost no case (`certifying/fit.py` says in how few); where further answers may lift
a whole one, the best end is one that all of them agree with.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec.structs import replace

from daemon.confidence.features import Features, Generation, bears, features, quantile
from daemon.confidence.judgement import Judgement, Known, Sought, Threshold, judge, plain_mean
from daemon.confidence.upstream import normalised_logprob

Outlook = Literal["open", "amber", "hopeless"]
JUDGED_TOKENS: Final = 64
HOLD_S: Final = 0.35
"""What a client that reads along waits for, from the first word on; the next word may come 50 ms later."""
CHECKPOINTS: Final = (4, 8, 16, 32)


def outlook(beginning: Generation, sought: Sought, threshold: Threshold, known: Known) -> Outlook:
    """How a draft stands that is not over yet."""
    return looked(beginning, sought, threshold, known)[0]


def looked(
    beginning: Generation, sought: Sought, threshold: Threshold, known: Known
) -> tuple[Outlook, Judgement | None]:
    """The same, with how sure it is so far; None: there is nothing to judge by."""
    seen = features(beginning)
    if seen is None:
        return "open", None
    judgement = judge(seen, sought, threshold, known)
    if judgement.passed:
        return "open", judgement
    # as a whole it may need less, since a promise may hold for it
    required = min(judgement.required, judge(replace(seen, ended=True), sought, threshold, known).required)
    best = _best(beginning, seen, judgement, sought, known)
    return "hopeless" if best is not None and best < required else "amber", judgement


def _best(beginning: Generation, seen: Features, judgement: Judgement, sought: Sought, known: Known) -> float | None:
    """The score that it can come to at most; None where nothing bounds it."""
    if judgement.standing == "upstream":
        return _best_upstream(beginning, sought)
    if known.profile is None or not (judgement.setup or judgement.liftable):
        return _best_plain(beginning)
    stated = known.profile.best_probability(seen, sought.family, known.likens)
    learned = None if stated is None else known.as_refined(stated, sought.family)
    if judgement.setup or learned is None:
        return learned
    plain = _best_plain(beginning)  # of a family that nothing is known of but what further answers say
    return None if plain is None else max(plain, learned)


def _best_plain(beginning: Generation) -> float | None:
    answer = [token.logprob for token in beginning.tokens if bears(token.piece, beginning.question)]
    if not answer:
        return None  # what stands in for an answer now will not count once there is one
    ended = answer + [0.0] * max(0, JUDGED_TOKENS - len(beginning.tokens))
    return plain_mean(sum(ended) / len(ended), quantile(ended, 0.10))


def _best_upstream(beginning: Generation, sought: Sought) -> float | None:
    every = [token.logprob for token in beginning.tokens]
    logprob = normalised_logprob(sum(every) / max(JUDGED_TOKENS, len(every)))
    if sought.method == "avg_logprob":
        return logprob
    of_logprob, of_margin = sought.weights
    return of_logprob * logprob + of_margin if sought.method == "hybrid" else None
