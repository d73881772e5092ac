"""The corridor: one request from its neutral form to its deltas and its record."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from datetime import datetime

import msgspec

from daemon import wire
from daemon.calls import Calls
from daemon.clock import Clock
from daemon.decision.rules import Decision, decide
from daemon.errors import NearloopError
from daemon.events import EventRing
from daemon.loopers.registry import LOOPERS
from daemon.pool import Pool
from daemon.records import Store
from providers.contract import Deltas, Finish, Message, ProviderError, Request, Text, TextDelta, ToolResult


class Visit:
    """One request on its way. Read `deltas` once; the rest tells what is known by now."""

    def __init__(self, pipeline: Pipeline, request: Request, may_cloud: bool) -> None:
        self.request = request
        self.egress: wire.Egress = "none"
        self._pipeline = pipeline
        self._may_cloud = may_cloud
        self._calls = Calls(request, pipeline.pool, pipeline.clock)
        self._decision: Decision | None = None
        self._finished = False
        self._answer: list[str] = []

    @property
    def answered_by(self) -> str:
        """`PROVIDER/MODEL` once somebody answers; before that, what was asked for."""
        by = self._calls.answered_by
        return by.name if by else self.request.model

    @property
    def aside(self) -> tuple[str, ...]:
        """Fields of the request, by neutral name, that who answers leaves aside."""
        return self._calls.aside

    async def deltas(self) -> Deltas:
        """Walk the corridor. Raises NearloopError, ProviderError; leaves a record however it ends."""
        began, at = self._pipeline.clock.monotonic(), self._pipeline.clock.now()
        outcome: wire.Outcome = "cancelled"
        error: str | None = None
        self._pipeline.arrived(self.request)
        try:
            self._decision = decide(self.request, self._pipeline.pool.names(), self._may_cloud)
            looper = LOOPERS[self._decision.looper]
            async with aclosing(looper(self._decision, self._calls.ask)) as deltas:
                async for delta in deltas:
                    self._note(delta)
                    yield delta
        except (NearloopError, ProviderError) as problem:
            outcome, error = "failed" if self._calls.attempts else "refused", type(problem).__name__
            raise
        except (GeneratorExit, asyncio.CancelledError):
            raise  # the client hung up, or the daemon stops
        except BaseException as problem:
            outcome, error = "failed", type(problem).__name__
            raise
        finally:
            took_ms = (self._pipeline.clock.monotonic() - began) * 1000
            self._pipeline.left(
                self._record(at, took_ms, "answered" if self._finished else outcome, error), self._words()
            )

    def _note(self, delta: object) -> None:
        if isinstance(delta, TextDelta):
            self._answer.append(delta.text)
        elif isinstance(delta, Finish):
            self._finished = True

    def _record(self, at: datetime, took_ms: float, outcome: wire.Outcome, error: str | None) -> wire.Record:
        request, decision = self.request, self._decision
        return wire.Record(
            id=request.id,
            at=at,
            protocol=request.protocol,
            client=request.client,
            project=request.project,
            session=request.session,
            model=request.model if decision else "?",  # an unknown name is the client's words, not ours
            streamed=request.stream,
            outcome=outcome,
            egress=self.egress,
            took_ms=took_ms,
            waited_ms=self._calls.waited_ms,
            messages=len(request.messages),
            prompt_chars=sum(map(_chars, request.messages)),
            answer_chars=sum(map(len, self._answer)),
            decision=_decision_shape(decision),
            attempts=tuple(self._calls.attempts),
            ledger=self._calls.ledger,
            ignored=request.ignored + self.aside,
            error=error,
        )

    def _words(self) -> wire.Content | None:
        if not self._pipeline.keep_content:
            return None
        return wire.Content(msgspec.to_builtins(list(self.request.messages)), "".join(self._answer))


def _chars(message: Message) -> int:
    total = 0
    for part in message.parts:
        if isinstance(part, Text):
            total += len(part.text)
        elif isinstance(part, ToolResult):
            total += sum(len(inner.text) for inner in part.parts if isinstance(inner, Text))
    return total


def _decision_shape(decision: Decision | None) -> wire.Decision | None:
    if decision is None:
        return None
    return wire.Decision(decision.rule, decision.looper, tuple(candidate.name for candidate in decision.candidates))


class Pipeline:
    """The rooms of the corridor, put together."""

    def __init__(self, pool: Pool, store: Store, events: EventRing, clock: Clock, keep_content: bool) -> None:
        self.pool = pool
        self.clock = clock
        self.keep_content = keep_content
        self.requests = 0
        self.in_flight = 0
        self._store = store
        self._events = events

    def visit(self, request: Request, may_cloud: bool) -> Visit:
        """Take a request in. may_cloud: whether its sender may have cloud answers."""
        return Visit(self, request, may_cloud)

    def arrived(self, request: Request) -> None:
        """Called by a visit at its start."""
        self.requests += 1
        self.in_flight += 1
        self._events.emit("request", {"protocol": request.protocol, "client": request.client}, request.id)

    def left(self, record: wire.Record, content: wire.Content | None) -> None:
        """Called by a visit at its end."""
        self.in_flight -= 1
        self._store.write(record, content)
        self._events.emit("record", msgspec.to_builtins(record), record.id)
