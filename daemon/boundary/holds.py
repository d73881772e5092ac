"""What waits for the user's word: requests that may leave if they are let, and tool calls with a secret in them.

Theory of operation. Whoever holds one awaits `ask`. It stands in a list, in memory alone, with the very words that it is
about, until the user answers, the time is over, or whoever awaits it goes away; then the words are let go. Only so many wait
at once: who comes later is answered at once, as if nobody had answered. Nobody has to look for a request to come to its end.

Programs ask again for what failed, some six times. So a no, and that nobody answered, stands as long again as a question
waits: of the same values for the same addressee, the same session is told so at once.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final, Literal

from msgspec import Struct

from daemon.boundary.approvals import Approvals, Scope
from daemon.clock import Clock
from daemon.errors import BadRequest, NotFound

MOST: Final = 64
"""How many wait at once. Each holds its client's request in memory, as every request that is being answered does."""
REMEMBERED: Final = 500
"""Of how many questions it is known that there was no yes."""
SHOWN: Final = 50
SHOWN_CHARS: Final = 200
"""How many values of a class in a field are shown, and how much of each."""

Kind = Literal["request", "call"]
Answer = Literal["allow", "mask", "deny"]
Outcome = Literal["allowed", "masked", "denied", "not-answered", "crowded"]
State = Literal["waiting", "allowed", "masked", "denied", "not-answered", "crowded", "gone"]
_STAND: Final = frozenset({"denied", "not-answered"})
_OUTCOMES: Final[dict[Answer, Outcome]] = {"allow": "allowed", "mask": "masked", "deny": "denied"}


class Held(Struct, frozen=True):
    """Values of one class in one field. words: as they stand there. masked: what would stand in their place; empty if
    nothing could. count: how many, of which some may not be shown.
    """

    label: str
    path: str
    count: int
    words: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()


class Question(Struct, frozen=True):
    """What the user is asked. to: whom an answer for longer is about. tool: of a call. hashes: of the values."""

    kind: Kind
    record: str
    to: str
    finds: tuple[Held, ...]
    hashes: frozenset[str]
    client: str | None = None
    session: str | None = None
    project: str | None = None
    provider: str = ""
    model: str = ""
    tool: str | None = None
    may_mask: bool = False


class Asked(Struct, frozen=True):
    """That the user was asked. to: which provider it was about, or `tool`. waited_s: how long that took."""

    to: str
    outcome: Outcome
    waited_s: float


class Hold:
    """One that waits. until: when its time is over."""

    def __init__(self, question: Question, at: datetime, until: datetime) -> None:
        self.id = os.urandom(4).hex()
        self.question = question
        self.at = at
        self.until = until
        self.answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()


class Holds:
    """All that wait. wait_s: how long one does. tell: called with each that comes and, with how it ended, goes."""

    def __init__(
        self,
        approvals: Approvals,
        clock: Clock,
        wait_s: float,
        tell: Callable[[Hold, State], None] = lambda hold, state: None,
    ) -> None:
        self.wait_s = wait_s
        self._approvals = approvals
        self._clock = clock
        self._tell = tell
        self._waiting: dict[str, Hold] = {}
        self._closed = False
        self._refused: OrderedDict[tuple[str | None, str | None, str, frozenset[str]], tuple[float, Outcome]] = (
            OrderedDict()
        )

    @property
    def waiting(self) -> tuple[Hold, ...]:
        """The oldest first."""
        return tuple(self._waiting.values())

    async def ask(self, question: Question) -> Outcome:
        """Wait for the user's word. Whoever is cancelled meanwhile takes the question along."""
        if self._closed:
            return "not-answered"
        if (stands := self._standing(question)) is not None:
            return stands
        if len(self._waiting) >= MOST:
            return "crowded"
        at = self._clock.now()
        hold = Hold(question, at, at + timedelta(seconds=self.wait_s))
        self._waiting[hold.id] = hold
        self._tell(hold, "waiting")
        outcome: Outcome | None = None
        try:
            async with asyncio.timeout(self.wait_s):
                outcome = await hold.answer
        except TimeoutError:
            outcome = "not-answered"
        finally:
            del self._waiting[hold.id]
            self._tell(hold, outcome or "gone")
        if outcome in _STAND:
            self._refused[_subject(question)] = self._clock.monotonic() + self.wait_s, outcome
            while len(self._refused) > REMEMBERED:
                self._refused.popitem(last=False)
        return outcome

    def _standing(self, question: Question) -> Outcome | None:
        """What was said of the same a moment ago, if that was no yes."""
        until, outcome = self._refused.get(_subject(question), (float("-inf"), None))
        return outcome if self._clock.monotonic() < until else None

    def find(self, prefix: str) -> Hold:
        """By the beginning of its id, or of its record's. Raises NotFound."""
        holds = self._waiting.values()
        found = [hold for hold in holds if prefix and prefix in (hold.id, hold.question.record)] or [
            hold for hold in holds if prefix and (hold.id.startswith(prefix) or hold.question.record.startswith(prefix))
        ]
        if len(found) != 1:
            raise NotFound("nothing that waits has this id, or more than one: `nearloop approvals` lists what does")
        return found[0]

    async def answer(self, prefix: str, answer: Answer, scope: Scope = "once") -> Hold:
        """Let it pass, masked or as it is, or don't. scope: for how long it holds that it may pass as it is.

        Raises NotFound, BadRequest, StoreError; then it waits on.
        """
        hold = self.find(prefix)
        question = hold.question
        if answer != "allow" and scope != "once":
            raise BadRequest("only what may pass as it is can be let for longer than once", "scope")
        if answer == "mask" and not question.may_mask:
            raise BadRequest("some of it can't be masked: let it pass as it is, or don't", "answer")
        if scope != "once":
            keep = self._approvals.keep
            await asyncio.to_thread(keep, question.client, question.session, question.to, question.hashes, scope)
        if not hold.answer.done():
            hold.answer.set_result(_OUTCOMES[answer])
        return hold

    def close(self) -> None:
        """Nobody is asked any more: what waits goes on as if nobody had answered."""
        self._closed = True
        for hold in self._waiting.values():
            if not hold.answer.done():
                hold.answer.set_result("not-answered")


def _subject(question: Question) -> tuple[str | None, str | None, str, frozenset[str]]:
    return question.client, question.session, question.to, question.hashes


def held(label: str, path: str, values: Iterable[tuple[str, str | None]]) -> Held:
    """Of values and what would stand in their place."""
    every = list(values)
    shown = every[:SHOWN]
    masked = tuple(mask for _, mask in shown if mask is not None)
    return Held(label, path, len(every), tuple(_short(value) for value, _ in shown), masked)


def _short(value: str) -> str:
    return value if len(value) <= SHOWN_CHARS else f"{value[:SHOWN_CHARS]}… ({len(value)} characters)"
