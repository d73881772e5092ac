"""A draft: a candidate's answer that nobody has seen yet, held back until it is known whether it is sure enough."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing

from msgspec.structs import replace

from daemon.confidence.features import Generation
from daemon.confidence.recovery import CHECKPOINTS, HOLD_S, JUDGED_TOKENS, Outlook
from daemon.decision.rules import Candidate, Decision
from daemon.loopers.base import Ask
from daemon.loopers.two_keys import calls_of, guarded
from daemon.tools.call_tokens import deciding
from daemon.tools.weighing import Weighed
from providers.contract import Delta, Deltas, Finish, Logprob, Progress, TextDelta, ToolCall, ToolCallDelta


class Draft:
    """A candidate's answer while it is written. Closed by whoever asked for it, or by `stop`."""

    def __init__(self, candidate: Candidate, deltas: Deltas, decision: Decision) -> None:
        self.candidate = candidate
        self.ended = False
        """Whether it came to its end."""
        self.stopped = False
        """Whether it was given up in the middle: then there is no rest."""
        self.keyed = False
        """Whether its calls have the keys that they need."""
        self.weighed: Weighed | None = None
        """What its calls weigh, if it calls."""
        self.self_check: float | None = None
        """What its candidate says of it."""
        self._decision = decision
        self._deltas = deltas
        self._held: list[Delta] = []
        self._logprobs: list[Logprob] = []
        self._called: list[Logprob] = []
        self._first_at: float | None = None

    async def looks(self, ask: Ask) -> AsyncGenerator[Outlook, None]:
        """How it stands at each checkpoint, until there is enough to judge by. Raises what the candidate raises."""
        for tokens in CHECKPOINTS:
            if await self._enough(tokens, ask):
                return
            yield ask.outlook(self.candidate, self._decision.sought, self.generation)
        await self._enough(JUDGED_TOKENS, ask)

    async def finish(self, ask: Ask) -> None:
        """Take in all of it."""
        await self._enough(None, ask)

    @property
    def generation(self) -> Generation:
        """What is there of it, to be judged."""
        text = "".join(delta.text for delta in self._held if isinstance(delta, TextDelta))
        last = self._held[-1] if self._held else None
        reason = last.reason if isinstance(last, Finish) else None
        if calls := self.calls:
            tokens = deciding(self._called, [call.name for call in calls])
            return Generation(tokens, text, frozenset(), reason)
        return Generation(tuple(self._logprobs), text, self._decision.question, reason, self_check=self.self_check)

    @property
    def all_calls(self) -> tuple[ToolCall, ...]:
        """Of tools, as far as they are there, whoever made them."""
        return calls_of(self._held)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of a model of this machine, as far as they are there; others' need no more than their words."""
        keyring = self._decision.keyring
        return calls_of(self._held) if keyring and keyring.covers(self.candidate) else ()

    @property
    def words_alone(self) -> bool:
        """Whether it came to its end and is nothing but words."""
        return self.ended and all(isinstance(delta, TextDelta | Finish) for delta in self._held)

    async def stop(self) -> None:
        """No more of it is wanted. What has ended already is kept."""
        self.stopped = not self.ended
        await self._deltas.aclose()

    async def release(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        """What was held, and the rest as it comes; if it was stopped, an answer that is asked for anew.

        Raises NoSecondKey.
        """
        async with AsyncExitStack() as opened:
            deltas: Deltas = await opened.enter_async_context(aclosing(self._all(ask)))
            if not self.keyed:
                kept = guarded(deltas, self.candidate, self._decision, ask)
                deltas = await opened.enter_async_context(aclosing(kept))
            async for delta in deltas:
                yield delta

    async def _all(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        if self.stopped:
            async with aclosing(ask(replace(self.candidate, threshold=None))) as deltas:
                async for delta in deltas:
                    yield delta
            return
        for delta in self._held:
            yield delta
        if not self.ended:
            async for delta in self._deltas:
                yield delta

    async def _enough(self, tokens: int | None, ask: Ask) -> bool:
        """Take in what comes up to so many tokens, None: all. Whether there is nothing more to wait for."""
        while not self.ended:
            if tokens is not None and len(self._logprobs) >= tokens:
                return False
            if tokens is not None and self._time_is_up(ask):
                return True
            try:
                delta = await anext(self._deltas)
            except StopAsyncIteration:
                self.ended = True
            else:
                self._take(delta, ask)
        return True

    def _take(self, delta: Delta, ask: Ask) -> None:
        if isinstance(delta, Progress):
            return
        self._held.append(delta)
        if isinstance(delta, Finish):
            self.ended = True
        elif isinstance(delta, TextDelta):
            self._first_at = ask.now() if self._first_at is None else self._first_at
            self._logprobs += delta.logprobs
        elif isinstance(delta, ToolCallDelta):
            self._called += delta.logprobs

    def _time_is_up(self, ask: Ask) -> bool:
        return not self._decision.whole and self._first_at is not None and ask.now() - self._first_at >= HOLD_S
