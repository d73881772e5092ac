"""The contract of a looper: from a decision and a way to ask, an answer."""

from __future__ import annotations

from typing import Any, Final, Literal, Protocol

from msgspec import Struct

from daemon.confidence.features import Generation
from daemon.confidence.further import Further
from daemon.confidence.judgement import Judgement, Sought
from daemon.confidence.recovery import Outlook
from daemon.decision.rules import Candidate, Decision
from daemon.tools.weighing import Weighed
from providers.contract import Deltas, ToolCall, Usage

Role = Literal["panel", "judge", "synthesis", "planner", "step", "repair", "key", "audit", "sample", "verifier"]
"""What a candidate is asked for, where it isn't the client's answer itself. audit: the same, for comparison."""
BESIDE: Final[frozenset[Role]] = frozenset({"key", "sample", "verifier"})
"""What is asked about a draft: nothing of it is in the client's answer."""


class Errand(Struct, frozen=True):
    """What a candidate is asked beside or instead of the client's own question. label: its own in this request.

    words: stand behind the conversation, whose parts all stay. own: it is our question, so what the client wants of the
    form of its answer (schema, stop strings, penalties, length) doesn't hold. tools: whether it may call the client's.
    spare: whether a call has to be left behind it, since an answer is still to be asked for if it fails.
    temperature, max_tokens: None: as the client has it. draw: which of several draws of the same, so that a seed gives each
    its own. schema: of our question's answer, for models that can be held to one.
    """

    label: str
    role: Role
    words: str = ""
    own: bool = False
    tools: bool = False
    spare: bool = False
    temperature: float | None = None
    max_tokens: int | None = None
    draw: int = 0
    schema: dict[str, Any] | None = None


class Ask(Protocol):
    """The way to an answerer. A looper can't tell device from cloud by it, and can't go past the boundary."""

    def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        """Ask one candidate once. Raises what an answerer raises, NoCandidate, Private (which is one) if the boundary does
        not let it go there, BudgetSpent if the ledger has no room for it.
        """
        ...

    def now(self) -> float:
        """Seconds that never run backwards."""
        ...

    def judge(
        self, candidate: Candidate, sought: Sought, draft: Generation, further: Further | None = None
    ) -> Judgement | None:
        """How sure a candidate's draft is, and how sure it has to be; it is written down. None: nothing to judge by.

        further: what other answers of the candidate say of it; None: none was asked for.
        """
        ...

    def verified(
        self, candidate: Candidate, sought: Sought, draft: Generation, score: float | None
    ) -> Judgement | None:
        """The same by what was said of a draft when it was asked for. score: None: nothing that counts; then so is this."""
        ...

    async def self_check(self, candidate: Candidate) -> float | None:
        """What a candidate says of its own draft that has just ended, as `Features` has it. None: that isn't worth to be
        asked for, or can't be.
        """
        ...

    async def weigh(self, candidate: Candidate, calls: tuple[ToolCall, ...]) -> Weighed:
        """What a candidate's calls would do, and what they need for it; it is written down, and `judge` goes by it."""
        ...

    def agree(
        self, candidate: Candidate, calls: tuple[ToolCall, ...], label: str, others: tuple[ToolCall, ...]
    ) -> bool:
        """Whether an errand's answer calls the same as a candidate's draft; it is written down."""
        ...

    def outlook(self, candidate: Candidate, sought: Sought, beginning: Generation) -> Outlook:
        """Whether a candidate's draft would be sure enough as it stands, and whether it can still become so."""
        ...

    def hedge(self, candidate: Candidate) -> Deltas | None:
        """Ask one candidate before it is known whether it will be needed. None: the user doesn't want that, or would have to
        be asked first.
        """
        ...

    def chosen(self, candidate: Candidate) -> None:
        """Say whose answer is released where others have said something since its first words came."""
        ...

    def rated(self, label: str, side: str | None, score: float | None) -> None:
        """Say how an errand's answer stood: with which of those that say the same, and how others scored it."""
        ...

    def noted(self, code: str) -> None:
        """Say something about how it went, as a code."""
        ...

    def stands(self, text: str) -> bool:
        """Whether a text stands in the conversation as it is."""
        ...

    def spent(self) -> Usage:
        """What all calls took so far."""
        ...

    async def entailed(self, premise: str, hypothesis: str) -> dict[str, float] | None:
        """The probabilities of entailment, neutral and contradiction; None: no model for that is set up, or it failed."""
        ...

    async def alike(self, one: str, other: str, question: frozenset[str]) -> float | None:
        """How much two answers in prose say the same, in [0, 1]; None: that can't be told. question: words of what was
        asked, small.
        """
        ...

    async def keep(self, key: str, state: bytes) -> None:
        """Hold work that waits for the client, until it comes back with this key."""
        ...

    async def take(self, key: str) -> bytes | None:
        """Give back what was held, once; None: it is not known any more."""
        ...


class Looper(Protocol):
    """An async generator function. It never yields what it may take back."""

    def __call__(self, decision: Decision, ask: Ask) -> Deltas:
        """Answer. Raises what `ask` raises if nobody can."""
        ...
