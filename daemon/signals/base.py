"""The contract of a signal: what a request shows, without deciding anything."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from providers.contract import Request
from providers.texts import Field


class Kind(StrEnum):
    """What an observation is for. privacy: fail closed if it breaks. route: left out if it breaks."""

    PRIVACY = "privacy"
    ROUTE = "route"


class Span(Struct, frozen=True):
    """A place in a request. path: the field's, as in providers.texts. start, end: in characters of that field's text.

    fixed: the text there can't be masked.
    """

    path: str
    start: int
    end: int
    label: str
    fixed: bool = False


class Observation(Struct, frozen=True, kw_only=True):
    """What one rule of one signal saw.

    signal: the family's name, as upstream writes it (context, keyword, pii, secret). name: the rule's. label: what it
    found. score: in [0, 1]. value: a number that it measured. scanned: characters looked at. error: why it broke, a code
    and no words.
    """

    signal: str
    kind: Kind
    name: str
    label: str | None = None
    score: float = 1.0
    value: float | None = None
    spans: tuple[Span, ...] = ()
    took_ms: float = 0.0
    scanned: int = 0
    error: str | None = None


class Found(Struct, frozen=True):
    """A rule's hit in one text. start, end: in characters."""

    start: int
    end: int
    label: str
    score: float = 1.0


class TextRule(Protocol):
    """A rule over one text at a time, so that what it found can be kept for the next turn of a conversation."""

    signal: str
    kind: Kind

    def find(self, text: str) -> tuple[Found, ...]:
        """All hits, in order, none inside another. A pure function of the text; called off the event loop."""
        ...


class Signal(Protocol):
    """One family over a whole request."""

    signal: str
    kind: Kind

    def look(self, request: Request, fields: tuple[Field, ...]) -> list[Observation]:
        """What it sees; an empty list if nothing. fields: the request's texts. Called off the event loop."""
        ...
