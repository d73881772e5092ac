"""Painting: a request's pictures as they may leave, between its clearance and `clear`.

Theory of operation. A picture that this machine looked at leaves only as its pixels, made anew: without whatever else its
file holds, no larger than whoever is asked looks at, and with everything painted over that the clearance wants masked. Who
paints is the process that decodes pictures; whether nothing but pixels is left in the file is seen here (`bare.py`). Where
something was painted over, the picture is looked at again, as it would leave, and all privacy signals read the request with
it: what still can be read of what had to be masked, or of what was only read now, is painted over once more. If then
something can still be read, the request does not leave.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct

from daemon.boundary.bare import form_of
from daemon.boundary.boxes import Box, boxes
from daemon.boundary.judge import Clearance
from daemon.boundary.masking import Masking
from daemon.boundary.painted import _BRUSH, NOTHING, Painted, Painting
from daemon.boundary.papers import Papers
from daemon.boundary.pictures import Lines, can_be_painted
from daemon.boundary.vault import Vault
from daemon.errors import NotPainted
from daemon.signals.base import Observation, Span
from providers.contract import Image, Request, Sight
from providers.texts import carried, sight_path, with_carried

Form = Literal["png", "jpeg"]
COATS: Final = 2
"""How often a picture is painted at most. OCR reads the painted one otherwise, and words that it didn't read before."""
_PHOTOGRAPH: Final = 0.5
"""From here on a picture is taken for a photograph, whatever form its file has: as PNG it would be five times as large."""


class Painter(Protocol):
    """Who decodes and encodes pictures, in a process of its own."""

    async def paint(self, url: str, boxes: tuple[Box, ...], max_side: int, form: Form | None) -> bytes:
        """A picture (its first frame) held upright, with areas filled, as a file of nothing but pixels.

        url: it has to be read by whoever reads it for those who look at it, so that both have the same picture. boxes: in
        pixels of the picture as it is held upright, before it is made smaller; they may reach beyond its edges. max_side:
        the longer one's length at most; it is never made larger. form: None: what suits it. Raises NotPainted.
        """
        ...


Look: TypeAlias = Callable[[Request], Awaitable[Request]]
"""Puts sights into a request where it has none."""
Observe: TypeAlias = Callable[[Request], Awaitable[tuple[Observation, ...]]]


class Studio(Struct, frozen=True):
    """Where pictures are painted: who does, who looks at them again, and who reads what is seen then."""

    painter: Painter
    look: Look
    observe: Observe


class Easel:
    """Of one request. studio: None: nobody here can paint."""

    def __init__(self, studio: Studio | None, papers: Papers, vault: Vault) -> None:
        self._studio = studio
        self._papers = papers
        self._vault = vault
        self._known: dict[tuple[str, str, int, frozenset[Span]], Painting] = {}
        self._one_at_a_time = asyncio.Lock()

    async def painted(
        self, request: Request, clearance: Clearance, provider: str, max_side: Callable[[Image], int]
    ) -> Painted:
        """The pictures of a request, or of one that an errand made of it, for one provider. Raises Refused, NotPainted.

        max_side: how many pixels of a picture's longer side are looked at there.
        """
        pictures = {path: part for path, part in carried(request) if isinstance(part, Image) and can_be_painted(part)}
        if not pictures:
            return NOTHING
        if self._studio is None:
            raise NotPainted(
                "not-painted", "pictures can't be made anew here, so they stay: install the extra `vision`"
            )
        async with self._one_at_a_time:
            masking = Masking(self._vault.masker(request), request, clearance)
            keys = {
                path: (path, provider, max_side(part), frozenset(masking.places(sight_path(path), _sight(part).text)))
                for path, part in pictures.items()
            }
            new = {path: part for path, part in pictures.items() if keys[path] not in self._known}
            painted = _Canvas(self._studio, self._papers, request, provider, masking)
            for path, part in new.items():
                await painted.paint(path, part, keys[path][3], keys[path][2])
            await painted.look_again()
            self._known |= {keys[path]: painted.painting(path, part, keys[path][3]) for path, part in new.items()}
            return Painted(_BRUSH, {path: self._known[key] for path, key in keys.items()})


class _Canvas:
    """Pictures while they are painted."""

    def __init__(self, studio: Studio, papers: Papers, request: Request, provider: str, masking: Masking) -> None:
        self._studio = studio
        self._papers = papers
        self._request = request
        self._provider = provider
        self._masking = masking
        self._after: dict[str, Image] = {}
        self._sides: dict[str, int] = {}
        self._to_see: set[str] = set()

    def painting(self, path: str, before: Image, over: frozenset[Span]) -> Painting:
        """One of them."""
        return Painting(before, self._after[path], over)

    async def paint(self, path: str, part: Image, over: Iterable[Span], max_side: int) -> None:
        """Make a picture anew, with places in its words painted over. Raises NotPainted."""
        sight, places = _sight(part), tuple(over)
        lines = Lines(sight)
        if not all(lines.hold(place.start, place.end) for place in places):
            raise NotPainted("not-painted", "it isn't known where in a picture a value stands that has to be masked")
        wanted: Form | None = "jpeg" if sight.kinds.get("photo", 0.0) >= _PHOTOGRAPH else None
        made = await self._studio.painter.paint(part.url, boxes(sight, places), max_side, wanted)
        form = form_of(made)
        if form is None:
            raise NotPainted(
                "not-painted", "a picture that was made anew holds more than pixels: the request stays here"
            )
        url = f"data:image/{form};base64,{base64.b64encode(made).decode()}"
        self._after[path] = Image(url, part.detail, None if places else sight, part.keep)
        self._sides[path] = max_side
        if places:
            self._to_see.add(path)

    async def look_again(self) -> None:
        """At those in which something was painted over, and paint once more what can still be read. Raises NotPainted."""
        for coat in range(1, COATS + 1):
            if not self._to_see:
                return
            left = await self._still_read()
            self._to_see.clear()
            if left and coat == COATS:
                raise NotPainted("still-readable", "a value could still be read in a picture after it was painted over")
            for path, places in left.items():
                await self.paint(path, self._after[path], places, self._sides[path])

    async def _still_read(self) -> dict[str, list[Span]]:
        """By the pictures that are looked at now: what in their words may not leave."""
        request = await self._studio.look(with_carried(self._request, self._after))
        for path, part in carried(request):
            if path in self._to_see:
                if not isinstance(part, Image) or part.sight is None or part.url != self._after[path].url:
                    raise NotPainted("still-readable", "a painted picture could not be looked at again")
                self._after[path] = part
        found = self._papers.left_in_pictures(self._provider, request, await self._studio.observe(request))
        left = {path: list(found.get(path, ())) for path in self._to_see}
        for path, spans in left.items():
            spans += self._masking.elsewhere(sight_path(path), _sight(self._after[path]).text)
        return {path: spans for path, spans in left.items() if spans}


def _sight(part: Image) -> Sight:
    assert part.sight is not None
    return part.sight
