"""Shapes of the glass wall: what left for one request, byte by byte, beside the words that it was made of."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

Held = Literal["yes", "off", "gone"]


class OwnText(Struct, frozen=True):
    """A text of a message as the client sent it. path: where it stands, as in findings. role: who said it."""

    path: str
    role: str
    text: str

    def __repr__(self) -> str:
        return f"<OwnText {self.path}>"


class Masked(Struct, frozen=True):
    """A value of the user's, and what stood for it in what left. text: which of the own texts it stands in, by number, and
    start, end: where, in characters; None: in others, such as a recipe's or what a tool does.
    """

    label: str
    value: str
    alias: str
    text: int | None = None
    start: int = 0
    end: int = 0

    def __repr__(self) -> str:
        return f"<Masked {self.label}>"


class Left(Struct, frozen=True):
    """One crossing. receipt: its number in the chain. attempt: which of the record's, from 0. place: where it went: one to
    `device` did not leave this machine. body: the very bytes that were handed to the socket, None: too many to be held.
    sha256: of them, as hashed there.
    """

    at: Annotated[datetime, Meta(tz=True)]
    receipt: int
    attempt: int
    provider: str
    model: str | None
    host: str
    place: str
    body_bytes: int
    sha256: str
    body: bytes | None
    masked: tuple[Masked, ...] = ()

    def __repr__(self) -> str:
        return f"<Left {self.receipt}>"


class GlassWall(Struct, frozen=True):
    """Both sides for one request. held: `off`: the settings don't want it. gone: it is not held, or not any more.

    whole: False: the words were too many to be held. requests, kept_bytes, kept_s: how many requests are held at most, how
    many bytes of all together, and for how long.
    """

    record: str
    held: Held
    requests: int
    kept_bytes: int
    kept_s: float
    texts: tuple[OwnText, ...] = ()
    left: tuple[Left, ...] = ()
    whole: bool = True
