"""The learner: what requests say of earlier answers, and the cloud's answers of drafts, becomes outcomes, off their way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from daemon.clock import Clock
from daemon.confidence.families import FAMILIES
from daemon.confidence.outcomes import Outcome, Via, outcome_of, outcome_of_attempt
from daemon.confidence.profiles import Profiles
from daemon.learning.comparing import same
from daemon.learning.conversations import Answered, Conversations, Turn
from daemon.wire import Attempt, Record
from providers.contract import Request, Text

WAITING: Final = 256
"""Lessons in line; beyond that the oldest are not learned."""


class _Doubt(Struct, frozen=True):
    """Words behind an answer, which may reject it. The only words here, for as long as a thread takes to read them."""

    draft: Outcome
    words: str


class Learner:
    """rejects: whether words reject the answer before them; blocks. on: whether the user lets more than feedback teach."""

    def __init__(
        self, profiles: Profiles, conversations: Conversations, rejects: Callable[[str], bool], clock: Clock, on: bool
    ) -> None:
        self._profiles = profiles
        self._conversations = conversations
        self._rejects = rejects
        self._clock = clock
        self._on = on
        self._waiting: deque[Outcome | _Doubt] = deque(maxlen=WAITING)
        self._more = asyncio.Event()
        self._writing = False

    def hear(self, request: Request, turn: Turn) -> None:
        """A request has come: does it say anything of an answer before it?"""
        if not self._on:
            return
        if (again := self._conversations.same_asked(turn)) is not None:
            if not again.again:  # who asks a third time is a program, or can't be helped
                self._complain(again, "regenerate")
        elif (before := self._conversations.gone_on_from(turn)) is not None and before.draft is not None:
            if turn.failed:
                self._complain(before, "tool_error")
            elif words := _last_words(request):
                self._put(_Doubt(before.draft, words))

    def answered(
        self,
        turn: Turn,
        record: Record,
        answer: str,
        question: str,
        unsure: Iterable[tuple[Attempt, str]] = (),
        collapsed: str | None = None,
    ) -> None:
        """A request is over. unsure: whole drafts that this answer was asked for instead of, with their words."""
        now = self._clock.now()
        if record.outcome != "answered" and collapsed is None:
            return
        again = self._conversations.same_asked(turn) is not None
        draft = outcome_of(record, False, now, "regenerate")
        given = self._conversations.digest(answer)
        kept = Answered(record.id, given, self._clock.monotonic(), draft, again, collapsed)
        self._conversations.keep(turn, kept)
        if not self._on:
            return
        for attempt, text in unsure:
            verdict = same(text, answer, attempt.family, question) if attempt.family in FAMILIES else None
            if verdict is not None:
                self.learn(outcome_of_attempt(record.id, attempt, verdict, now, "disagreement"))
        for attempt in record.attempts:
            if attempt.collapse == "unusable" and attempt.outcome == "failed":
                self.learn(outcome_of_attempt(record.id, attempt, False, now, "tool_error"))

    def learn(self, outcome: Outcome | None) -> None:
        """Have it written down soon."""
        if outcome is not None:
            self._put(outcome)

    @property
    def waiting(self) -> bool:
        """Whether something is still to be written down."""
        return self._writing or bool(self._waiting)

    async def run(self) -> None:
        """Write down what comes, until cancelled."""
        while True:
            await self._more.wait()
            self._more.clear()
            self._writing = True
            while self._waiting:
                await asyncio.to_thread(self._take, self._waiting.popleft())
            self._writing = False

    def forget_older(self, span: timedelta) -> None:
        """Drop what is known of conversations that are so old, and words that wait, however old they are."""
        self._waiting = deque((each for each in self._waiting if isinstance(each, Outcome)), WAITING)
        self._conversations.forget_older(span)

    def _complain(self, answered: Answered, via: Via) -> None:
        if answered.draft is not None:
            self.learn(replace(answered.draft, at=self._clock.now(), via=via))

    def _put(self, lesson: Outcome | _Doubt) -> None:
        self._waiting.append(lesson)
        self._more.set()

    def _take(self, lesson: Outcome | _Doubt) -> None:
        if isinstance(lesson, _Doubt):
            if not self._rejects(lesson.words):
                return
            lesson = replace(lesson.draft, at=self._clock.now(), via="correction")
        try:
            self._profiles.add(lesson)
        except OSError:  # a full disk: nothing is learned, and nobody waits for it
            return


def _last_words(request: Request) -> str:
    """What the user wrote last, if that is the last thing there is."""
    last = request.messages[-1]
    return "\n".join(part.text for part in last.parts if isinstance(part, Text)) if last.role == "user" else ""
