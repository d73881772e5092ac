"""What the eyes' worker and its owner say to each other, in the frames of `edge_models.ipc`.

The first command is Open; the answers are Hello, then Opened or Failed(id=None). Then any number of Look and Paint, each
answered by Looked, Painted, Unseen or Failed with its id, in order. End of input ends the worker.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import Struct

from edge_models.ipc import Failed, Hello, framed
from edge_models.vision.limits import Limits
from edge_models.vision.seen import Box, Seen

Want = Literal["words", "kinds", "explicit", "detail"]
ALL: Final[frozenset[Want]] = frozenset({"words", "kinds", "explicit", "detail"})


class Open(Struct, frozen=True, tag="open"):
    """Begin. timeout_s: after it the worker ends itself. memory_cap_bytes: what it may take. threads: for networks."""

    timeout_s: float
    memory_cap_bytes: int
    limits: Limits
    threads: int


class Look(Struct, frozen=True, tag="look"):
    """A file to look at, whatever it is. timeout_s: after it the worker ends itself."""

    id: int
    data: bytes
    wants: frozenset[Want]
    timeout_s: float


class Paint(Struct, frozen=True, tag="paint"):
    """A picture to make anew. boxes: to paint over, in pixels of the picture as it is held upright.

    max_side: pixels; None: as it is. form: None: what its own is closest to.
    """

    id: int
    data: bytes
    boxes: tuple[Box, ...]
    max_side: int | None
    form: Literal["jpeg", "png"] | None
    timeout_s: float


class Opened(Struct, frozen=True, tag="opened"):
    """The eyes are open. able: what they can tell."""

    able: frozenset[Want]


class Looked(Struct, frozen=True, tag="looked"):
    """What was seen."""

    id: int
    seen: Seen


class Painted(Struct, frozen=True, tag="painted"):
    """The new file."""

    id: int
    data: bytes
    form: Literal["jpeg", "png"]
    width: int
    height: int


class Unseen(Struct, frozen=True, tag="unseen"):
    """It can't be looked at. code: why."""

    id: int
    code: str


Command = Open | Look | Paint
Event = Hello | Opened | Looked | Painted | Unseen | Failed

_encoder: Final = msgspec.msgpack.Encoder()
decode_command: Final = msgspec.msgpack.Decoder(Command).decode
decode_event: Final = msgspec.msgpack.Decoder(Event).decode


def frame(message: Command | Event) -> bytes:
    """One message as a whole frame. Raises ValueError if it is over the limit."""
    return framed(_encoder.encode(message))
