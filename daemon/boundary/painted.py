"""What painting left: pictures that may leave, which only the boundary's painting can make.

As `Cleared` takes a seal, so does this: a picture that was looked at has no other way out (`clear.py`), so nobody can forget
to have it painted. What is kept is the picture as it was, what stands in its place, and which places of its words are
painted over; whether that covers what has to be masked is seen when the request is cleared.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NoReturn, Protocol

from msgspec import Struct

from daemon.boundary.aliases.base import Alias
from daemon.boundary.masking import Replaced
from daemon.boundary.pictures import PAINTED_OVER, can_be_painted
from daemon.errors import Refused
from daemon.signals.base import Span
from providers.contract import Image, Request
from providers.texts import carried, sight_path, with_carried


class Painting(Struct, frozen=True):
    """One picture. before: as it was. after: what stands in its place, with what was seen in that. over: what is painted
    over, as places in the words of the first.
    """

    before: Image
    after: Image
    over: frozenset[Span] = frozenset()

    def __repr__(self) -> str:
        return f"<Painting over {len(self.over)}>"


class TellsPlaces(Protocol):
    """Who knows what has to be masked."""

    def places(self, path: str, text: str) -> list[Span]:
        """Of the words of one picture."""
        ...


class _Brush:
    """What making a Painted takes."""


_BRUSH: Final = _Brush()


class Painted:
    """Pictures of one request, by path, as they may leave."""

    __slots__ = ("_paintings",)

    _paintings: Mapping[str, Painting]

    def __init__(self, brush: object, paintings: Mapping[str, Painting]) -> None:
        if brush is not _BRUSH:
            raise TypeError("only the privacy boundary paints pictures: call daemon.boundary.painting")
        object.__setattr__(self, "_paintings", MappingProxyType(dict(paintings)))

    def put_into(self, request: Request, masking: TellsPlaces | None = None) -> Request:
        """The request with each picture that was looked at as it may leave. masking: what has to be masked; None: nothing.

        Raises Refused if one of them was not painted, or not over all of that.
        """
        instead: dict[str, Image] = {}
        for path, part in carried(request):
            if part.sight is None:
                continue  # nobody looked, and the clearance covers that
            words = masking.places(sight_path(path), part.sight.text) if masking else []
            painting = self._paintings.get(path)
            if not can_be_painted(part):
                if words:
                    raise Refused("a value that has to be masked stands in a file, where nothing can be replaced")
                continue
            if painting is None or painting.before != part:
                raise Refused(
                    "a picture can leave only as a painter makes it anew, and nobody did: the request stays here"
                )
            if not painting.over.issuperset(words):
                raise Refused("a value that has to be masked stands in a picture and isn't painted over")
            instead[path] = painting.after
        return with_carried(request, instead)

    def replaced(self, request: Request) -> tuple[Replaced, ...]:
        """Every value that is painted over in it, in order."""
        texts = {sight_path(path): part.sight.text for path, part in carried(request) if part.sight is not None}
        over = (span for each in self._paintings.values() for span in each.over if span.path in texts)
        return tuple(
            Replaced(
                span.path,
                span.start,
                span.end,
                Alias(PAINTED_OVER, texts[span.path][span.start : span.end], span.label, "exact"),
            )
            for span in sorted(over, key=lambda span: (span.path, span.start))
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("what was painted can't be changed")

    def __reduce__(self) -> NoReturn:
        raise TypeError("what was painted can't be copied or stored")

    def __repr__(self) -> str:
        return f"<Painted {len(self._paintings)}>"


NOTHING: Final = Painted(_BRUSH, {})
"""For a request without pictures that were looked at."""
