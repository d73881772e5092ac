"""Answers that clients come back to: by their name, or to go on from them.

Theory of operation. OpenAI keeps answers for a month unless it is told not to. Here the user's word on words comes first.
With `records.content` off, as it is by default, nothing of them is written down: they are held in memory, for an hour after
they were last used and up to a number of bytes, and are gone when the daemon ends. With it on they stand beside their
records, and go when those go. `store: false` keeps nothing in either case.

Only who asked may come back: a token's answers are that token's, and those of programs without one are for whoever of those
knows the id, which is 64 random bits and told to nobody else.
How far a conversation may travel is part of it: one that was kept on this machine stays here when it goes on.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from datetime import timedelta
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.clock import Clock, Moment
from daemon.errors import NotFound
from daemon.protocols import openai_responses as codec
from daemon.protocols.base import Envelope, Problem, Writer
from daemon.protocols.responses_output import ResponseWriter, answer_id
from daemon.records import Store
from providers.contract import Delta, Reach, Request, Response
from providers.wire import openai_responses as wire

KEPT_S: Final = 3600.0
LOOK_S: Final = 60.0
"""How often those are looked for that are over their time; none is found after it."""
KEPT_BYTES: Final = 32 << 20
MOST_TURNS: Final = 10_000
"""Of one conversation: a damaged file can't make us walk in circles."""
_encode: Final = msgspec.json.Encoder().encode
_ITEM: Final = re.compile(r"[a-z]{2,3}_([0-9a-f]{16})_(\d{1,6})")
"""An item's name: of which answer, and which of its items."""


class Kept(Struct, frozen=True):
    """One answer. response: as its client saw it. items, output: what was asked and answered, without what came before."""

    id: str
    client: str | None
    project: str | None
    reach: Reach
    previous: str | None
    response: bytes
    items: tuple[bytes, ...]
    output: tuple[bytes, ...]

    @property
    def size_bytes(self) -> int:
        return len(self.response) + sum(map(len, self.items)) + sum(map(len, self.output))


_pack: Final = msgspec.msgpack.Encoder().encode
_unpack: Final = msgspec.msgpack.Decoder(Kept).decode


class _Held:
    """One of them in memory."""

    def __init__(self, kept: Kept, now: Moment) -> None:
        self.kept = kept
        self.used = self.made = now


class Turns:
    """All of them. store: where the user lets words be kept, None for memory alone."""

    def __init__(self, clock: Clock, store: Store | None, kept_s: float = KEPT_S, kept_bytes: int = KEPT_BYTES) -> None:
        self._clock = clock
        self._store = store
        self._kept_s = kept_s
        self._kept_bytes = kept_bytes
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self.size_bytes = 0

    # -- for the handler

    async def recalled(self, body: bytes, envelope: Envelope) -> Envelope:
        """With the conversation that a request goes on from, and the items that it names. Raises BadRequest, NotFound."""
        previous, named = codec.follows(body), codec.references(body)
        if previous is None and not named:
            return envelope
        turns = await self.conversation(previous, envelope.client) if previous is not None else []
        found = {id: item for id in named if (item := await self._item(id, envelope.client)) is not None}
        behind = [*turns, *(turn for turn, _ in found.values())]
        return replace(
            envelope,
            earlier=tuple(item for turn in turns for item in (*turn.items, *turn.output)),
            named={id: item for id, (_, item) in found.items()},
            reach="device" if any(turn.reach == "device" for turn in behind) else envelope.reach,
            project=envelope.project or next((turn.project for turn in reversed(behind)), None),
        )

    async def _item(self, id: str, client: str | None) -> tuple[Kept, bytes] | None:
        """An item by its name, and the answer that it is of; None if it isn't kept."""
        if (parts := _ITEM.fullmatch(id)) is None:
            return None
        try:
            kept = await self.find(answer_id(parts[1]), client)
        except NotFound:
            return None
        place = int(parts[2])
        return (kept, kept.output[place]) if place < len(kept.output) else None

    def keeping(self, writer: Writer, request: Request, envelope: Envelope) -> Writer:
        """A writer that leaves its answer here, unless the client wants nothing kept."""
        asked = request.echo
        if not isinstance(writer, ResponseWriter) or not isinstance(asked, wire.ResponseRequest):
            return writer
        return writer if asked.store is False else _Keeping(writer, asked, envelope, self)

    # -- for its routes

    async def find(self, id: str, client: str | None) -> Kept:
        """Raises NotFound, also for what is somebody else's."""
        found = self._held_one(id)
        if found is None and self._store is not None:
            body = await self._store.answer(id.removeprefix(answer_id("")))
            found = _unpack(body) if body is not None else None
        if found is None or found.id != id or found.client != client:
            raise NotFound(
                "no answer of yours with this id is kept: without records.content they are held for an hour, in memory"
            )
        return found

    async def conversation(self, id: str, client: str | None) -> list[Kept]:
        """An answer and those before it, the oldest first. Raises NotFound if one of them isn't kept any more."""
        turns = [await self.find(id, client)]
        while turns[-1].previous is not None and len(turns) < MOST_TURNS:
            turns.append(await self.find(turns[-1].previous, client))
        return turns[::-1]

    async def forget(self, id: str, client: str | None) -> None:
        """Raises NotFound."""
        await self.find(id, client)
        self._drop(id)
        if self._store is not None:
            await self._store.forget_answer(id.removeprefix(answer_id("")))

    def forget_older(self, span: timedelta) -> None:
        """What is in memory and older than so long; what stands beside records goes with them."""
        for id in [id for id, held in self._held.items() if held.made.age_s >= span.total_seconds()]:
            self._drop(id)

    async def watch(self) -> None:
        """Let go of what is over its time, also while nobody asks; until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            self._clear()

    # -- keeping

    def keep(self, kept: Kept) -> None:
        """Until its time is over."""
        if self._store is not None:
            self._store.write_answer(kept.id.removeprefix(answer_id("")), _pack(kept))
            return
        self._drop(kept.id)
        self._held[kept.id] = _Held(kept, Moment(self._clock))
        self.size_bytes += kept.size_bytes
        self._clear()

    def _held_one(self, id: str) -> Kept | None:
        self._clear()
        if (held := self._held.get(id)) is None:
            return None
        held.used = Moment(self._clock)
        self._held.move_to_end(id)
        return held.kept

    def _clear(self) -> None:
        """Let go of what is over its time, and of the longest unused while there is too much."""
        while self._held:
            id, held = next(iter(self._held.items()))
            if held.used.age_s < self._kept_s and self.size_bytes <= self._kept_bytes:
                return
            self._drop(id)

    def _drop(self, id: str) -> None:
        if (held := self._held.pop(id, None)) is not None:
            self.size_bytes -= held.kept.size_bytes


class _Keeping:
    """A writer that keeps what it wrote before the client has its last byte, since that one may go on at once."""

    def __init__(self, writer: ResponseWriter, asked: wire.ResponseRequest, envelope: Envelope, turns: Turns) -> None:
        self.media_type = writer.media_type
        self._writer = writer
        self._asked = asked
        self._envelope = envelope
        self._turns = turns

    def feed(self, delta: Delta, answered_by: str) -> bytes:
        return self._writer.feed(delta, answered_by)

    def heartbeat(self) -> bytes:
        return self._writer.heartbeat()

    def failed(self, problem: Problem) -> bytes:
        return self._writer.failed(problem)

    def end(self) -> bytes:
        return self._kept(self._writer.end())

    def whole(self, response: Response, answered_by: str) -> bytes:
        return self._kept(self._writer.whole(response, answered_by))

    def _kept(self, written: bytes) -> bytes:
        final = self._writer.final
        assert final
        kept = Kept(
            id=final.id,
            client=self._envelope.client,
            project=self._envelope.project,
            reach=self._envelope.reach,
            previous=self._asked.previous_response_id,
            response=_encode(final),
            items=codec.own_items(self._asked, self._envelope.named),
            output=tuple(map(_encode, final.output)),
        )
        self._turns.keep(kept)
        return written
