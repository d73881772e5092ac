"""An answer as a stream of events or one whole object, from bytes cut anywhere to deltas; no I/O.

It is a stream of events or one whole completion, and which one shows in its first character, since servers mislabel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, Protocol

import msgspec

from providers.contract import BadAnswer, Delta
from providers.sse import EventParser

_BEFORE: Final = b"\xef\xbb\xbf \r\n\t"
"""What may stand in front of a body: a byte order mark, which may itself be cut, and blanks."""


class Heard(Protocol):
    """What a family understands of an answer's parts."""

    @property
    def ended(self) -> bool:
        """The end mark came: nothing follows."""
        ...

    @property
    def heard(self) -> bool:
        """Anything of an answer came."""
        ...

    def frame(self, data: bytes) -> list[Delta]:
        """What one `data:` says, or the whole answer. Raises ProviderError for an error in it."""
        ...

    def foreign(self) -> BadAnswer:
        """For what isn't in this format at all."""
        ...

    def end(self) -> list[Delta]:
        """The finishes. Raises NoAnswer for silence, Unreachable for an answer that broke off."""
        ...


class AnswerReader:
    """Reads one answer. Raises what `hearing` raises."""

    def __init__(self, hearing: Heard) -> None:
        self._hearing = hearing
        self._parser = EventParser()
        self._form: Literal["events", "whole"] | None = None
        self._whole: list[bytes] = []

    @property
    def ended(self) -> bool:
        """The end mark came: what follows is not read."""
        return self._hearing.ended

    def feed(self, chunk: bytes) -> Iterator[Delta]:
        """The deltas that are complete with this chunk, those before an error included."""
        self._form = self._form or _form(chunk)
        if self._form == "whole":
            self._whole.append(chunk)
            return
        for event in self._parser.feed(chunk):
            yield from self._hearing.frame(event.data)
            if self._hearing.ended:
                return

    def end(self, said_events: bool) -> Iterator[Delta]:
        """What is left when no more comes. said_events: whether the server called its answer a stream of events."""
        if self._form == "whole":
            yield from self._hearing.frame(b"".join(self._whole).lstrip(_BEFORE))
        for event in self._parser.end():
            if not self._hearing.ended and _is_whole(event.data):
                yield from self._hearing.frame(event.data)
        if not self._hearing.heard and (self._form == "whole" or not said_events):
            raise self._hearing.foreign()
        yield from self._hearing.end()


def _form(chunk: bytes) -> Literal["events", "whole"] | None:
    """JSON opens with a brace. None: only blanks so far."""
    start = chunk.lstrip(_BEFORE)
    if not start:
        return None
    return "whole" if start.startswith(b"{") else "events"


def _is_whole(data: bytes) -> bool:
    """Whether an event that the end of the stream closed is one. A cut one is left to `Heard.end` to tell as such."""
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return data.strip() == b"[DONE]"
    return True
