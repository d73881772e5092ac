"""What was answered of late, so that the next turn of a conversation can be told from a new one, and its word be understood.

Theory of operation. A conversation is known by a keyed digest of its messages as far as they go, chained from the first one
on, so that one pass over a request gives both its own digest and that of the turn before: of all that stands before the last
answer. Whoever asks with the first is asking the same again; whoever asks with the second goes on from an answer. The
client's label and session are part of it. Instructions are, too: programs ask for a title with the same words and other
instructions. Of the answer itself a digest is kept, since what goes on from other words than were given is no word on them.

No words are kept, nothing outlives the process, and what the user deletes records of is forgotten with them.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import timedelta
from hashlib import blake2b
from secrets import token_bytes
from typing import Final

import msgspec
from msgspec import Struct

from daemon.clock import Clock
from daemon.confidence.outcomes import Outcome
from providers.contract import Message, Part, Request, Text, ToolCall, ToolResult

AGAIN_WITHIN_S: Final = 600.0
"""Who asks the same again later than this may want to know what is new."""
KEPT_S: Final = 4 * 3600.0
KEPT: Final = 4096
"""Turns, 300 bytes each."""
_encode: Final = msgspec.msgpack.Encoder().encode
Digest = bytes


class Turn(Struct, frozen=True):
    """A conversation as a request has it. asked: all of it. before: up to the last answer in it, None if there is none.

    session: the client's, None if it names none. went_on: the text of that answer. failed: whether a tool that it called
    came back marked as failed.
    """

    asked: Digest
    before: Digest | None = None
    session: Digest | None = None
    went_on: Digest | None = None
    failed: bool = False


class Answered(Struct, frozen=True):
    """What a turn was answered with. given: the answer's text. at: of the monotonic clock. draft: what there is to say of a
    local answer, should it turn out wrong; None: it wasn't one that a calibration spoke for. again: whether the same was
    asked before. collapsed: the provider whose answer turned out not to be what was thought when it began.
    """

    record: str
    given: Digest
    at: float
    draft: Outcome | None = None
    again: bool = False
    collapsed: str | None = None


class Conversations:
    """By digest, the most recent KEPT of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._key = token_bytes(32)
        self._known: OrderedDict[Digest, Answered] = OrderedDict()

    def turn(self, request: Request) -> Turn:
        """Reads all words once: 0.3 ms for 300 kB (test_conversations.py prints it)."""
        whose = self._begun(request.client or "", request.session or "")
        chain = whose.copy()
        began, ended = _last_answer(request.messages)
        before: Digest | None = None
        for place, message in enumerate(request.messages):
            if place == began < ended:
                before = chain.digest()
            chain.update(_encode(message))
        session = whose.digest() if request.session else None
        if before is None:
            return Turn(chain.digest(), session=session)
        said = [part for message in request.messages[began:ended] for part in message.parts]
        text = "".join(part.text for part in said if isinstance(part, Text))
        return Turn(chain.digest(), before, session, self.digest(text), _failed(said, request.messages[ended:]))

    def digest(self, answer: str) -> Digest:
        """Of an answer's text."""
        made = self._begun("answer")
        made.update(answer.strip().encode("utf-8", "surrogatepass"))
        return made.digest()

    def same_asked(self, turn: Turn) -> Answered | None:
        """The answer to the very same, if it is not long ago."""
        return self._within(turn.asked, AGAIN_WITHIN_S)

    def gone_on_from(self, turn: Turn) -> Answered | None:
        """The answer that a turn goes on from, if it is the one that was given."""
        found = self._within(turn.before, KEPT_S)
        return found if found is not None and found.given == turn.went_on else None

    def collapsed(self, turn: Turn) -> str | None:
        """Whose answer collapsed that this turn comes behind: in its conversation, else in its session."""
        found = self._within(turn.before, KEPT_S) or self._within(turn.asked, KEPT_S)
        if found is None:
            found = self._within(turn.session, KEPT_S)
        return found.collapsed if found else None

    def keep(self, turn: Turn, answered: Answered) -> None:
        """This is how a turn was answered."""
        for key in (turn.asked, turn.session):
            if key is not None:
                self._known[key] = answered
                self._known.move_to_end(key)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)

    def forget_older(self, span: timedelta) -> None:
        """Drop what was answered so long ago or longer."""
        limit = self._clock.monotonic() - span.total_seconds()
        for key in [key for key, answered in self._known.items() if answered.at <= limit]:
            del self._known[key]

    def _within(self, key: Digest | None, seconds: float) -> Answered | None:
        found = self._known.get(key) if key is not None else None
        return found if found is not None and self._clock.monotonic() - found.at <= seconds else None

    def _begun(self, *words: str) -> blake2b:
        begun = blake2b(digest_size=16, key=self._key)
        begun.update(_encode(words))
        return begun


def _last_answer(messages: tuple[Message, ...]) -> tuple[int, int]:
    """Where the last answer that something came behind begins and ends; some protocols have a message for each of its parts.

    Twice the same place: there is none.
    """
    ended = len(messages) - 1
    while ended > 0 and messages[ended - 1].role != "assistant":
        ended -= 1
    began = max(ended, 0)
    while began > 0 and messages[began - 1].role == "assistant":
        began -= 1
    return began, max(ended, 0)


def _failed(answer: list[Part], behind: tuple[Message, ...]) -> bool:
    called = {part.id for part in answer if isinstance(part, ToolCall)}
    results = (part for message in behind for part in message.parts if isinstance(part, ToolResult))
    return any(part.failed and part.call_id in called for part in results)
