"""The contract of a client protocol: pure functions between bytes and the neutral model, with no I/O."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from providers.contract import Delta, Reach, Request, Response


class Envelope(Struct, frozen=True):
    """What the daemon knows of a request besides its body. created_s: Unix time of its arrival.

    deadline: of the monotonic clock, when it is no use any more to begin with it. monotonic: that clock, for protocols whose
    answers say how long they took. earlier: items of the conversation that the body goes on from by its name, as their codec
    keeps them; named: those that it names one by one. betas: what
    a client of Anthropic's switches on by a header.
    """

    id: str
    client: str | None
    session: str | None
    project: str | None
    reach: Reach
    created_s: int
    deadline: float | None = None
    monotonic: Callable[[], float] = float
    earlier: tuple[bytes, ...] = ()
    named: dict[str, bytes] = {}
    betas: tuple[str, ...] = ()


class Problem(Struct, frozen=True):
    """An error, before a protocol gives it its shape.

    code: stable, from `daemon/protocols/errors.py`. parameter: the field at fault, in neutral names or the client's.
    """

    status: int
    code: str
    message: str
    parameter: str | None = None
    retry_after_s: float | None = None


class Habits(Struct, frozen=True):
    """What a protocol's clients expect of HTTP besides its bodies.

    sign: a header that they alone send, by which they are known at addresses that protocols share. id_header: where they
    look for the request's id. statuses: by our code, where theirs is another than ours. untyped: whether they send bodies
    without saying that these are JSON. come_back: whether they go on from answers by name, which are kept for that.
    """

    sign: str | None = None
    id_header: str | None = None
    statuses: dict[str, int] = {}
    untyped: bool = False
    come_back: bool = False


class Writer(Protocol):
    """Writes one answer in the client's protocol."""

    media_type: str
    """Of a streamed answer."""

    def feed(self, delta: Delta, answered_by: str) -> bytes:
        """The frames for one delta; may be empty."""
        ...

    def end(self) -> bytes:
        """What closes a stream that went well."""
        ...

    def heartbeat(self) -> bytes:
        """A frame that clients skip, to show that the daemon is at work."""
        ...

    def failed(self, problem: Problem) -> bytes:
        """An error in mid-stream, and the end."""
        ...

    def whole(self, response: Response, answered_by: str) -> bytes:
        """The answer in one body."""
        ...


class Codec(Protocol):
    """One client protocol: a module of this package."""

    NAME: str
    PATH: str
    """Where clients post."""
    AREAS: tuple[str, ...]
    """Beginnings of addresses whose errors have this protocol's shape, whoever finds them."""
    HABITS: Habits

    def read(self, body: bytes, envelope: Envelope) -> Request:
        """Understand a request. Raises BadRequest with the field at fault."""
        ...

    def writer(self, request: Request, envelope: Envelope) -> Writer:
        """For the answer to one request."""
        ...

    def refusal(self, problem: Problem) -> bytes:
        """The body of an error that is an HTTP status."""
        ...

    def field(self, neutral: str) -> str:
        """The client's name of a field that the neutral model calls otherwise."""
        ...
