"""Pictures at the boundary: which can be painted, what in them can be, and what is said of them.

A picture that this machine looked at can be made anew from its pixels, with places painted over. Whatever else was looked at
(documents, files, addresses) could only leave byte for byte, so it counts as what can't be looked at, and what is found in
its words can't be masked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from daemon.signals.base import Observation, Span
from providers.contract import File, Image, Line, Request, Sight
from providers.texts import Carried, carried, sight_path, with_carried

FORMS: Final = frozenset({"png", "jpeg", "gif", "webp", "avif", "bmp", "tiff"})
"""What is made anew from its pixels. Of several frames the first one leaves, which is all that vendors look at."""
PAINTED_OVER: Final = "[painted over]"
"""What stands in the place of a value in a picture, for who is asked."""


def can_be_painted(part: Image | File) -> bool:
    """Whether it can leave as pixels alone."""
    whole = isinstance(part, Image) and part.url.startswith("data:")
    return whole and part.sight is not None and part.sight.form in FORMS


def leaves_as_it_is(request: Request, looked: Iterable[Observation]) -> tuple[Carried, ...]:
    """Pictures and files that nobody looked at or that would leave byte for byte. looked: what the signal said of pictures:
    of one that it doesn't name, nobody knows what it is.
    """
    named = {span.path for seen in looked if seen.error is None for span in seen.spans}
    return tuple(each for each in carried(request) if not can_be_painted(each.part) or each.path not in named)


def with_paintable(request: Request, observations: tuple[Observation, ...]) -> tuple[Observation, ...]:
    """The same observations, with what is found in words of pictures fixed only where it can't be painted over."""
    seen = {sight_path(path): part for path, part in carried(request) if part.sight is not None}
    if not seen:
        return observations
    lines = {path: Lines(part.sight) for path, part in seen.items() if part.sight and can_be_painted(part)}

    def marked(span: Span) -> Span:
        if span.path not in seen:
            return span
        fixed = span.path not in lines or not lines[span.path].hold(span.start, span.end)
        return span if span.fixed is fixed else replace(span, fixed=fixed)

    return tuple(
        replace(each, spans=tuple(map(marked, each.spans))) if any(span.path in seen for span in each.spans) else each
        for each in observations
    )


def without_sights(request: Request) -> Request:
    """The same request, with nothing of what this machine saw in its pictures and files."""
    seen = (each for each in carried(request) if each.part.sight is not None)
    return with_carried(request, {path: replace(part, sight=None) for path, part in seen})


class Lines:
    """Where the words of a sight stand."""

    def __init__(self, sight: Sight) -> None:
        self._text = sight.text
        self._lines: Sequence[Line] = sorted(sight.lines, key=lambda line: line.start)
        self._starts = [line.start for line in self._lines]

    def of(self, start: int, end: int) -> list[Line]:
        """Those that a place in the words touches."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        return [
            line
            for line in self._lines[first : bisect_right(self._starts, end)]
            if line.start < end and start < line.end
        ]

    def hold(self, start: int, end: int) -> bool:
        """Whether it is known where each character of a place stands."""
        at = start
        for line in self.of(start, end):
            if self._text[at : line.start].strip():
                return False
            at = max(at, line.end)
        return not self._text[at:end].strip()


def as_sent(part: Image | File) -> str:
    """What a client sent, as JSON, but for how long a cache shall keep it: what is let pass is this very picture."""
    value = msgspec.to_builtins(replace(part, sight=None))
    del value["sight"], value["keep"]
    return msgspec.json.encode(value).decode()


def told(part: Image | File, labels: Iterable[str]) -> str:
    """What is said of a picture to who is asked about it: no word of what stands in it. labels: of what was found in it."""
    sight = part.sight
    if sight is None:
        return as_sent(part)
    size = f", {sight.width}x{sight.height}" if sight.width and sight.height else ""
    kind, sure = max(sight.kinds.items(), key=lambda each: each[1], default=("", 0.0))
    looks = f", looks like {kind.replace('_', ' ')} ({sure:.0%})" if kind else ""
    found = ", ".join(f"{count} {label}" for label, count in sorted(Counter(labels).items()))
    return f"{sight.form}{size}{looks}; found in it: {found or 'nothing'}"
