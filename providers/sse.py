"""Event streams (WHATWG HTML, "server-sent events"), from bytes cut anywhere to events; no I/O.

A line ends with CR LF, LF or CR. A CR ends its line at once, without waiting whether an LF follows: that LF is skipped when
it comes. Lines are looked at whole and as bytes, so a character cut in two is no case of its own.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from providers.contract import BadAnswer

LIMIT_BYTES: Final = 16 * 1024 * 1024
"""For one line, and for one event. The longest honest line seen is a whole file in one tool call."""

_END_OF_LINE: Final = re.compile(rb"\r\n|\n|\r")
_BOM: Final = b"\xef\xbb\xbf"


class Event(Struct, frozen=True):
    """One event. name: empty if it has none, as with OpenAI. data: UTF-8, as it came."""

    name: str
    data: bytes


class EventParser:
    """Reads one stream. Raises BadAnswer if a line or an event is longer than the limit."""

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._tail: list[bytes] = []  # of a line whose end hasn't come
        self._tail_bytes = 0
        self._skip_line_feed = False
        self._at_start = True
        self._name = ""
        self._data: list[bytes] = []
        self._data_bytes = 0

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that are complete with this chunk."""
        if self._skip_line_feed and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._skip_line_feed = False
        events: list[Event] = []
        start = 0
        for end in _END_OF_LINE.finditer(chunk):
            line = chunk[start : end.start()]
            start = end.end()
            if self._tail:
                line = b"".join((*self._tail, line))
                self._tail, self._tail_bytes = [], 0
            self._check(len(line))
            self._line(line, events)
        if start < len(chunk):
            self._tail.append(chunk[start:])
            self._tail_bytes += len(chunk) - start
            self._check(self._tail_bytes)
        self._skip_line_feed = chunk.endswith(b"\r")
        return events

    def end(self) -> list[Event]:
        """The event that was not closed by an empty line: some servers leave it out at the very end."""
        events: list[Event] = []
        if self._tail:
            self._line(b"".join(self._tail), events)
            self._tail, self._tail_bytes = [], 0
        self._line(b"", events)
        return events

    def _check(self, size_bytes: int) -> None:
        if size_bytes > self._limit_bytes:
            raise BadAnswer(f"an event of its stream is longer than {self._limit_bytes} bytes")

    def _line(self, line: bytes, events: list[Event]) -> None:
        if self._at_start:
            line = line.removeprefix(_BOM)
            self._at_start = False
        if not line:
            if self._data:
                events.append(Event(self._name, b"\n".join(self._data)))
            self._name, self._data, self._data_bytes = "", [], 0
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data_bytes += len(value) + 1
            self._check(self._data_bytes)
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode(errors="replace")
