"""The glass wall: what left of late, byte by byte, and the words that it was made of, in memory alone.

Theory of operation. A receipt says how many bytes left and which digest they have; what they said can be seen here, for
a while, by the owner of this machine. Held are the texts of a request's messages as its client sent them, and for each
crossing the very bytes object that was hashed and given to the socket, with the places in the texts that something else
stood for. All of it is in a ring with room for so many requests and bytes; it is in no file, no log and no record, nobody
but the admin token can ask for it (`control/wall_routes.py`), and it goes with the process, after KEPT_S, and with the
records that the user deletes. Texts are shared with the request while that is answered, so they take no room of their own
until it is over.

Where a looper or a recipe asks with other words, places are given for those texts that are the client's own: the n-th of
equal texts is the n-th.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from daemon.boundary.masking import Replaced
from daemon.clock import Clock, Moment, SystemClock
from daemon.wall_wire import GlassWall, Held, Left, Masked, OwnText
from daemon.wire import Receipt
from providers.cleared import Crossing, Ended, Witness
from providers.contract import Request, Sampling
from providers.texts import fields, seen_in

REQUESTS: Final = 64
"""Those that are likely to be looked at: a few minutes of an agent's, an afternoon of a person's."""
KEPT_BYTES: Final = 16 << 20
"""Of all together: 64 requests of 50,000 tokens. One that takes more than a quarter alone is not held."""
KEPT_S: Final = 3600.0
"""By whichever clock went further: the monotonic one stands still while a machine sleeps, the other one can be set back."""
LOOK_S: Final = 60.0
"""How often it is looked for what is too old, while nobody asks."""
_OF_A_PLACE: Final = 300
"""What the place of a masked value takes, in bytes."""
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
"""Which a client's JSON may hold and no text can be written with."""


class _Entry:
    """One request's."""

    def __init__(self, id: str, clock: Clock, texts: tuple[OwnText, ...]) -> None:
        self.id = id
        self._came = Moment(clock)
        self.texts = texts
        self.whole = True
        self.left: list[Left] = []
        self.size_bytes = sum(sys.getsizeof(each.text) for each in texts)

    @property
    def age_s(self) -> float:
        """Since it came."""
        return self._came.age_s


class Watched:
    """One crossing that may come about. written: told its receipt. watching: sees its bytes."""

    def __init__(self, pane: Pane, request: Request, replaced: tuple[Replaced, ...], attempt: int) -> None:
        self._pane = pane
        self._request = request
        self._replaced = replaced
        self._attempt = attempt
        self._receipt: Receipt | None = None

    def written(self, receipt: Receipt) -> None:
        """Its receipt is in the chain, or complete."""
        self._receipt = receipt

    def watching(self, witness: Witness) -> Witness:
        """The same witness; what it wrote down is kept for a while."""

        async def leaving(crossing: Crossing) -> Ended:
            ended = await witness(crossing)
            if self._receipt is not None:
                self._pane.take(self._receipt, crossing.body, self._request, self._replaced, self._attempt)
            return ended

        return leaving


class Pane:
    """What is held of one request while it is answered. wall: None: nothing is. behind: how many attempts its record has
    before those that are told of.
    """

    def __init__(self, wall: Wall | None, entry: _Entry, behind: int = 0) -> None:
        self._wall = wall
        self._entry = entry
        self._behind = behind

    def after(self, attempts: int) -> Pane:
        """The same for attempts that the record will have behind so many others."""
        return Pane(self._wall, self._entry, attempts)

    def crossing(self, request: Request, replaced: tuple[Replaced, ...], attempt: int) -> Watched:
        """About to come. request: as it was before anything in it was replaced. attempt: which one it is for, from 0."""
        return Watched(self, request, replaced, attempt)

    def take(
        self, receipt: Receipt, body: bytes, request: Request, replaced: tuple[Replaced, ...], attempt: int
    ) -> None:
        """It came: hold it."""
        if self._wall is None:
            return
        left = Left(
            at=receipt.at,
            receipt=receipt.number,
            attempt=self._behind + attempt,
            provider=receipt.provider,
            model=receipt.model,
            host=receipt.host,
            place=receipt.place,
            body_bytes=receipt.body_bytes,
            sha256=receipt.sha256,
            body=body,
            masked=_masked(self._entry.texts, request, replaced),
        )
        self._wall.hold(self._entry, left)


class Wall:
    """All that is held. on: whether the user wants it. requests, kept_bytes: see REQUESTS and KEPT_BYTES."""

    def __init__(self, clock: Clock, on: bool = True, requests: int = REQUESTS, kept_bytes: int = KEPT_BYTES) -> None:
        self._clock = clock
        self._on = on
        self._most = requests
        self._most_bytes = kept_bytes
        self._held: OrderedDict[str, _Entry] = OrderedDict()
        self.size_bytes = 0

    def open(self, request: Request) -> Pane:
        """A request came."""
        if not self._on:
            return UNSEEN
        entry = _Entry(request.id, self._clock, _own(request))
        if entry.size_bytes > self._most_bytes // 4:
            entry.texts, entry.whole, entry.size_bytes = (), False, 0
        self._drop(request.id)
        self._held[request.id] = entry
        self.size_bytes += entry.size_bytes
        self._make_room()
        return Pane(self, entry)

    def hold(self, entry: _Entry, left: Left) -> None:
        """Something left for a request. Of one that is gone already nothing is held."""
        if self._held.get(entry.id) is not entry:
            return
        size = len(left.body or b"") + _OF_A_PLACE * len(left.masked)
        if entry.size_bytes + size > self._most_bytes // 4:
            left, size = replace(left, body=None, masked=()), 0
        entry.left.append(left)
        entry.size_bytes += size
        self.size_bytes += size
        self._make_room()

    def find(self, id: str) -> GlassWall:
        """Both sides for one request, by its record's id."""
        self.forget_older(timedelta(seconds=KEPT_S))
        entry = self._held.get(id)
        if entry is None:
            return self._shown(id, "gone" if self._on else "off")
        texts = tuple(replace(each, text=_writable(each.text)) for each in entry.texts)
        return replace(
            self._shown(id, "yes"), texts=texts, left=tuple(map(_with_writable, entry.left)), whole=entry.whole
        )

    def forget_older(self, span: timedelta) -> None:
        """What came longer ago."""
        too_old = [entry.id for entry in self._held.values() if entry.age_s >= span.total_seconds()]
        for id in too_old:
            self._drop(id)

    async def keep(self) -> None:
        """Forget what is older than KEPT_S, until cancelled; then everything."""
        try:
            while True:
                await asyncio.sleep(LOOK_S)
                self.forget_older(timedelta(seconds=KEPT_S - LOOK_S))  # the next look would be too late
        finally:
            self.forget_older(timedelta())

    def _shown(self, id: str, held: Held) -> GlassWall:
        return GlassWall(id, held, self._most, self._most_bytes, KEPT_S)

    def _make_room(self) -> None:
        while len(self._held) > self._most or self.size_bytes > self._most_bytes:
            self._drop(next(iter(self._held)))

    def _drop(self, id: str) -> None:
        if (entry := self._held.pop(id, None)) is not None:
            self.size_bytes -= entry.size_bytes


UNSEEN: Final = Pane(None, _Entry("", SystemClock(), ()))
"""Holds nothing."""


def _own(request: Request) -> tuple[OwnText, ...]:
    """The texts of a request's messages, with who said them. What its tools do is nobody's words, and as many again."""
    said = replace(request, tools=(), schema=None, extras={}, sampling=Sampling())
    return tuple(
        OwnText(each.path, _role(request, each.path), each.text)
        for each in fields(said)
        if each.path.startswith("messages[") and not each.fixed
    )


def _role(request: Request, path: str) -> str:
    return request.messages[int(path[len("messages[") : path.index("]")])].role


def _masked(texts: tuple[OwnText, ...], request: Request, replaced: Iterable[Replaced]) -> tuple[Masked, ...]:
    """Each value that something stood for, at its place in the own texts if it is theirs."""
    places = list(replaced)
    if not places:
        return ()
    found = {each.path: each.text for each in fields(request)}
    own: dict[str, deque[int]] = defaultdict(deque)
    for number, each in enumerate(texts):
        own[each.text].append(number)
    number_of: dict[str, int] = {}
    for path, text in found.items():
        if own.get(text) and seen_in(path) is None:
            number_of[path] = own[text].popleft()
    return tuple(
        Masked(each.alias.label, each.alias.value, each.alias.text, number_of.get(each.path), each.start, each.end)
        for each in places
    )


def _with_writable(left: Left) -> Left:
    return replace(left, masked=tuple(replace(each, value=_writable(each.value)) for each in left.masked))


def _writable(text: str) -> str:
    """A text of as many characters that JSON can be made of."""
    return _SURROGATES.sub("\ufffd", text)
