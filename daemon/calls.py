"""ask: one attempt of one candidate, timed and written down."""

from __future__ import annotations

from contextlib import aclosing

from daemon import local
from daemon.clock import Clock
from daemon.decision.rules import Candidate
from daemon.pool import Pool
from daemon.wire import Attempt, Ledger, Outcome
from providers.contract import Deltas, Finish, Progress, ProviderError, Request, Usage

ANONYMOUS = "anonymous"


class Calls:
    """All attempts for one request."""

    def __init__(self, request: Request, pool: Pool, clock: Clock) -> None:
        self._request = request
        self._pool = pool
        self._clock = clock
        self.attempts: list[Attempt] = []
        self.waited_ms = 0.0
        self.answered_by: Candidate | None = None
        """Whose deltas are being passed on."""
        self.aside: tuple[str, ...] = ()
        """Fields, by neutral name, that who answers leaves aside."""

    @property
    def ledger(self) -> Ledger:
        """What it cost so far."""
        return Ledger(
            calls=len(self.attempts),
            prompt_tokens=sum(attempt.prompt_tokens for attempt in self.attempts),
            completion_tokens=sum(attempt.completion_tokens for attempt in self.attempts),
        )

    async def ask(self, candidate: Candidate) -> Deltas:
        """Ask once. Raises ProviderError, NoCandidate."""
        model = self._pool.find(candidate.model)
        queued = self._clock.monotonic()
        async with model.lease(self._request.client or self._request.session or ANONYMOUS) as (worker, release):
            began = self._clock.monotonic()
            self.waited_ms += (began - queued) * 1000
            assert worker.ready
            self.answered_by = candidate
            first: float | None = None
            finish: Finish | None = None
            outcome: Outcome = "cancelled"
            error: str | None = None
            try:
                self.aside = local.not_honoured(self._request, worker.ready.capabilities)
                async with aclosing(local.stream(worker, self._request, release)) as deltas:
                    async for delta in deltas:
                        if first is None and not isinstance(delta, Progress):
                            first = self._clock.monotonic()
                        if isinstance(delta, Finish):
                            finish, outcome = delta, "answered"
                        yield delta
            except ProviderError as problem:
                outcome, error = "failed", type(problem).__name__
                raise
            finally:
                usage = finish.usage if finish else Usage(0, 0)
                self.attempts.append(
                    Attempt(
                        provider=candidate.provider,
                        model=candidate.model,
                        outcome=outcome,
                        took_ms=(self._clock.monotonic() - began) * 1000,
                        first_token_ms=(first - began) * 1000 if first is not None else None,
                        prompt_tokens=usage.prompt_tokens,
                        completion_tokens=usage.completion_tokens,
                        reason=finish.reason if finish else None,
                        error=error,
                        engine=model.ref.engine,
                        device=worker.ready.device,
                    )
                )
