"""The drafts of one request: how sure each was, what its calls would do, and how it turned out. Kept for the record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from daemon.attempts import Notes
from daemon.confidence.collapse import Collapse, collapse
from daemon.confidence.features import Features, Generation, features
from daemon.confidence.further import Further
from daemon.confidence.judgement import Judgement, Known, Sought, for_calls, judge, judge_calls, verified
from daemon.confidence.recovery import Outlook, looked
from daemon.decision.rules import Candidate
from daemon.tools.ranks import doubt
from daemon.tools.weighing import Weighed, Weighing
from daemon.wire import Attempt, Look
from providers.contract import Request, ToolCall


class _Judged(Struct, frozen=True):
    """What was judged last of a candidate, by what, and how."""

    sought: Sought
    draft: Generation
    known: Known
    judgement: Judgement | None


class _Whole(Struct, frozen=True):
    """An answer that was judged anew when it was there. outcome: how it turned out otherwise."""

    name: str
    judgement: Judgement
    outcome: Collapse | None


class Drafted:
    """By candidate's name. known: what is known of a candidate; noted: told of codes."""

    def __init__(
        self,
        request: Request,
        weighing: Weighing,
        known: Callable[[Candidate], Known],
        noted: Callable[[str], None],
    ) -> None:
        self._request = request
        self._weighing = weighing
        self._known_of = known
        self._noted = noted
        self._judged: dict[str, _Judged] = {}
        self._looks: dict[str, dict[int, Look]] = {}
        """By candidate's name and number of tokens."""
        self._weighed: dict[str, Weighed] = {}
        self._sides: dict[str, str] = {}
        """Of drafts and of their second keys, by candidate's name and errand's label."""
        self._ratings: dict[str, tuple[str | None, float | None]] = {}
        """By errand's label."""
        self._whole: _Whole | None = None

    # -- while they are written

    def outlook(self, candidate: Candidate, sought: Sought, beginning: Generation) -> Outlook:
        """How a draft stands that is not over yet."""
        assert candidate.threshold is not None
        found, judgement = looked(beginning, sought, candidate.threshold, self._known(candidate))
        self._look(candidate, beginning, judgement, found)
        return found

    def judge(
        self, candidate: Candidate, sought: Sought, draft: Generation, further: Further | None = None
    ) -> Judgement | None:
        """How sure a draft is, and how sure it has to be, by what is known of who wrote it."""
        known = self._known(candidate)
        judgement = self._judgement(candidate, sought, draft, known, further)
        self._judged[candidate.name] = _Judged(sought, draft, known, judgement)
        self._look(candidate, draft, judgement)
        return judgement

    def verified(
        self, candidate: Candidate, sought: Sought, draft: Generation, score: float | None
    ) -> Judgement | None:
        """The same by what was said of it. score: None: nothing was."""
        assert candidate.threshold is not None
        weighed = self._weighed.get(candidate.name)
        judgement = (
            None if score is None else verified(score, sought, candidate.threshold, self._seen(candidate, draft))
        )
        if judgement and weighed:
            judgement = for_calls(judgement, doubt(weighed.keys), weighed.barred is not None)
        self._judged[candidate.name] = _Judged(sought, draft, Known(), judgement)
        self._look(candidate, draft, judgement)
        return judgement

    def _look(
        self, candidate: Candidate, draft: Generation, judgement: Judgement | None, outlook: Outlook | None = None
    ) -> None:
        """Keep how sure it was after so many tokens; of several looks at the same beginning the last one. A draft that calls
        is judged by some of its tokens, which have no place of their own in its curve.
        """
        if judgement is None or not draft.tokens or candidate.name in self._weighed:
            return
        looks = self._looks.setdefault(candidate.name, {})
        verdict = outlook or ("passed" if judgement.passed else "failed")
        tokens = len(draft.tokens)
        looks[tokens] = Look(tokens, round(judgement.score, _DIGITS), round(judgement.required, _DIGITS), verdict)

    async def weigh(self, candidate: Candidate, calls: tuple[ToolCall, ...]) -> Weighed:
        """What a candidate's calls would do, by the user's settings."""
        weighed = await asyncio.to_thread(self._weighing.weigh, self._request, calls)
        self._weighed[candidate.name] = weighed
        self._looks.pop(candidate.name, None)
        if weighed.barred is not None:
            self._noted(weighed.barred)
        return weighed

    def agree(
        self, candidate: Candidate, calls: tuple[ToolCall, ...], label: str, others: tuple[ToolCall, ...]
    ) -> bool:
        """Whether both call the same."""
        same = self._weighing.same(self._request, calls, others)
        self._sides |= {candidate.name: "A", label: "A" if same else "B"}
        if not same:
            self._noted("keys-differ")
        return same

    def rated(self, label: str, side: str | None, score: float | None) -> None:
        """Keep how an errand's answer stood."""
        self._ratings[label] = (side, score)

    # -- when the answer is there

    async def look_back(self, candidate: Candidate, notes: Notes, broke: bool) -> None:
        """Judge all of an answer that was let begin by its beginning. broke: it called what nobody can run."""
        begun = self._judged.get(candidate.name)
        if begun is None or begun.judgement is None or not begun.judgement.passed or begun.draft.reason is not None:
            return
        if broke:
            self._whole = _Whole(candidate.name, begun.judgement, "unusable")
        elif notes.finish is not None:
            tokens = tuple(token for delta in notes.said for token in delta.logprobs)
            text = "".join(delta.text for delta in notes.said)
            made = Generation(tokens, text, begun.draft.question, notes.finish.reason)
            whole = await asyncio.to_thread(self._judgement, candidate, begun.sought, made, begun.known)
            if whole is not None:
                self._whole = _Whole(candidate.name, whole, collapse(begun.judgement, whole))

    @property
    def collapse(self) -> Collapse | None:
        """How the answer turned out otherwise than its beginning; None: it didn't."""
        return self._whole.outcome if self._whole else None

    def whole_words(self, candidate: Candidate) -> str:
        """Of a draft that came to its own end; empty if there is none."""
        judged = self._judged.get(candidate.name)
        return judged.draft.text if judged and judged.draft.reason == "stop" else ""

    # -- for the record

    @property
    def dissent(self) -> tuple[int, int]:
        """How many of the answers that were compared did not say what most of them did, and how many those were."""
        sides = [side for side, _ in self._ratings.values() if side is not None]
        return sum(side != "A" for side in sides), len(sides)

    def confidence(self, candidate: Candidate) -> str | None:
        """A score, `below`, or None if it was not judged."""
        judged = self._judged.get(candidate.name)
        if judged is None:
            return None
        return f"{judged.judgement.score:.2f}" if judged.judgement and judged.judgement.passed else "below"

    def shown(self, notes: Notes, now: float) -> Attempt:
        """An attempt with what became of it."""
        attempt = notes.attempt(now)
        if notes.errand is not None:
            side, score = self._ratings.get(notes.errand.label, (self._sides.get(notes.errand.label), None))
            return replace(attempt, side=side, score=score)
        if notes.candidate.threshold is None or notes.candidate.name not in self._judged:
            return attempt
        return self._with_judgement(notes.candidate.name, self._with_calls(notes.candidate.name, attempt))

    def _with_calls(self, name: str, attempt: Attempt) -> Attempt:
        weighed = self._weighed.get(name)
        if weighed is None:
            return attempt
        return replace(
            attempt,
            side=self._sides.get(name),
            effect=weighed.effect,
            keys=weighed.keys,
            none_fits=_rounded(weighed.none_fits),
        )

    def _with_judgement(self, name: str, attempt: Attempt) -> Attempt:
        judgement = self._judged[name].judgement
        attempt = replace(attempt, looks=tuple(self._looks.get(name, {}).values()))
        if judgement is None:
            return replace(attempt, passed=False)
        whole = self._whole if self._whole and self._whole.name == name else None
        return replace(
            attempt,
            whole=_rounded(whole.judgement.score) if whole else None,
            collapse=whole.outcome if whole else None,
            passed=judgement.passed,
            threshold=_rounded(judgement.required),
            confidence=_rounded(judgement.score),
            standing=judgement.standing,
            family=judgement.family,
            setup=judgement.setup,
            odds=judgement.odds,
            mean_logprob=_rounded(judgement.seen.answer_mean) if judgement.seen else None,
            min_logprob=_rounded(judgement.seen.answer_minimum) if judgement.seen else None,
        )

    # -- how they are judged

    def _judgement(
        self, candidate: Candidate, sought: Sought, draft: Generation, known: Known, further: Further | None = None
    ) -> Judgement | None:
        assert candidate.threshold is not None
        weighed, seen = self._weighed.get(candidate.name), self._seen(candidate, draft)
        if seen is None:
            return None
        if weighed is None:
            return judge(seen, sought, candidate.threshold, known, further)
        return judge_calls(seen, sought, candidate.threshold, doubt(weighed.keys), weighed.barred is not None)

    def _seen(self, candidate: Candidate, draft: Generation) -> Features | None:
        """What a draft shows. One that calls has no words that the client's schema is for."""
        schema = None if candidate.name in self._weighed else self._request.schema
        return features(replace(draft, schema=schema))

    def _known(self, candidate: Candidate) -> Known:
        before = (judged.judgement for name, judged in self._judged.items() if name != candidate.name)
        return replace(self._known_of(candidate), before=tuple(before))


_DIGITS: Final = 4


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
