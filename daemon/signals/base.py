"""The contract of a signal: what a request shows, without deciding anything."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from math import inf
from time import monotonic, perf_counter
from typing import Literal, Protocol

from msgspec import Struct

from edge_models.heads.manifest import CalibratedBy
from providers.contract import File, Image, Request, Text
from providers.texts import Field, sight_path

OnError = Literal["unknown", "match", "no_match"]
"""What the rules of a family count as that could not look."""
Lane = Literal["rules", "models"]
"""Families of one lane look one after the other, the two lanes side by side."""
UNSCANNED = "Unscanned"
"""The error of a rule whose text was not read whole."""
LATE = "Late"
"""The error of a family that was not done in time."""


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


class Held(Struct, frozen=True):
    """How a likeness stands to a recipe's threshold, where their scales differ. likeness: as our encoder measured it.
    threshold: as the recipe has it. here: the same place on our encoder's scale; None where it can't be told.
    """

    likeness: float
    threshold: float | None = None
    here: float | None = None


class Observation(Struct, frozen=True, kw_only=True):
    """What one rule of one signal saw.

    signal: the family's name, as upstream writes it (context, keyword, pii, secret). name: the rule's. label: what it
    found. score: in [0, 1]. value: a number that it measured. matched: False if it only measured. scanned: characters
    looked at. error: why it broke, a code and no words; of the whole family, or of this rule `only`. counts: what a rule
    that broke is taken for; None: as its kind says. validated: False for an answer by a head or by examples of ours that
    nobody measured on texts of others. held: how a likeness was held against a threshold of another scale. model: which one
    read the text, where it isn't the English one. calibrated_by: of a head's probability, whether it was fitted on texts of
    the text's `language` or on those of others, `pooled`; None: it is no head's, or nobody looked.
    """

    signal: str
    kind: Kind
    name: str
    label: str | None = None
    score: float = 1.0
    value: float | None = None
    matched: bool = True
    spans: tuple[Span, ...] = ()
    took_ms: float = 0.0
    scanned: int = 0
    error: str | None = None
    only: bool = False
    counts: OnError | None = None
    validated: bool = True
    held: Held | None = None
    model: str | None = None
    calibrated_by: CalibratedBy | None = None


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


class Asked:
    """A request that signals are asked about. fields: its texts. until: of the system's monotonic clock, when an answer is
    no use any more.
    """

    def __init__(self, request: Request, fields: tuple[Field, ...], until: float = inf) -> None:
        self.request = request
        self.fields = fields
        self.until = until

    def in_time(self) -> bool:
        """Whether to go on."""
        return self.until == inf or monotonic() < self.until

    @cached_property
    def said(self) -> tuple[Field, ...]:
        """The texts of the last message that the user wrote, and in its pictures: what upstream's classifiers read."""
        places = self._user_places()
        return self._texts_of(places[-1]) if places else ()

    @cached_property
    def words(self) -> str:
        """The same as one text."""
        return "\n".join(field.text for field in self.said)

    @cached_property
    def turns(self) -> tuple[str, ...]:
        """What the user wrote, message by message, the last one last; messages without words left out."""
        texts = ("\n".join(field.text for field in self._texts_of(place)) for place in self._user_places())
        return tuple(text for text in texts if text.strip())

    def _user_places(self) -> list[int]:
        return [place for place, message in enumerate(self.request.messages) if message.role == "user"]

    def _texts_of(self, place: int) -> tuple[Field, ...]:
        parts = self.request.messages[place].parts
        paths = [(f"messages[{place}].parts[{n}]", part) for n, part in enumerate(parts)]
        said = {path for path, part in paths if isinstance(part, Text)}
        said |= {sight_path(path) for path, part in paths if isinstance(part, Image | File)}
        return tuple(field for field in self.fields if field.path in said)


class Signal(Protocol):
    """One family over a whole request. lane: `models` if it may ask one."""

    signal: str
    kind: Kind
    lane: Lane

    def look(self, asked: Asked) -> list[Observation]:
        """What its rules see; an empty list if nothing. Called off the event loop."""
        ...


def unreadable(signal: Signal, name: str, error: str) -> Observation:
    """What a rule says that could not look."""
    return Observation(signal=signal.signal, kind=signal.kind, name=name, error=error, only=True)


def measured(
    signal: Signal, asked: Asked, began: float, kinds: Iterable[tuple[str, float, bool]], *, validated: bool
) -> list[Observation]:
    """What a family says whose rules are called like kinds of texts. kinds: name, how sure it is, whether it matched.

    began: when it started to look, by perf_counter. validated: as Observation has it.
    """
    took_ms = (perf_counter() - began) * 1000
    return [
        Observation(
            signal=signal.signal,
            kind=signal.kind,
            name=name,
            score=score,
            value=score,
            matched=matched,
            took_ms=took_ms,
            scanned=len(asked.words),
            validated=validated,
        )
        for name, score, matched in kinds
    ]
