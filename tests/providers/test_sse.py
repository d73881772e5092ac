"""Event streams: the same events wherever the bytes are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.contract import BadAnswer
from providers.sse import Event, EventParser

STREAM = (
    "\ufeff: a comment\n\n"
    "data: one\n\n"
    "event: ping\r\ndata: zwei ä€😀\r\n\r\n"
    "data:no blank\rdata: second line\r\r"
    "id: 7\nretry: 100\nnothing\n\n"
    "event: silent\n\n"
    "data\n\n"
    "data: last\n\n"
).encode()
EVENTS = [
    Event("", b"one"),
    Event("ping", "zwei ä€😀".encode()),
    Event("", b"no blank\nsecond line"),
    Event("", b""),
    Event("", b"last"),
]


def parsed(*chunks: bytes) -> list[Event]:
    parser = EventParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


def test_what_an_event_stream_holds() -> None:
    """Comments, ids and retry times are skipped; data lines are joined; a byte order mark and three line ends are known."""
    assert parsed(STREAM) == EVENTS


@pytest.mark.parametrize("cut", range(len(STREAM) + 1))
def test_one_cut_changes_nothing(cut: int) -> None:
    """Cut at any byte, in a character, a CR LF or the byte order mark, the events are the same."""
    assert parsed(STREAM[:cut], STREAM[cut:]) == EVENTS


def test_single_bytes_change_nothing() -> None:
    """Byte by byte, the events are the same."""
    assert parsed(*(bytes([byte]) for byte in STREAM)) == EVENTS


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8))
def test_any_bytes_cut_anywhere_mean_the_same(stream: bytes, cuts: list[int]) -> None:
    """Whatever the bytes are, cutting them never changes what they say."""
    stream = stream.replace(b"a", b"\n").replace(b"b", b"\r").replace(b"c", b"data: ")
    places = sorted({0, *cuts, len(stream)})
    pieces = [stream[start:end] for start, end in pairwise(places)]

    def whole(*chunks: bytes) -> list[Event]:
        parser = EventParser()
        return [event for chunk in chunks for event in parser.feed(chunk)] + parser.end()

    assert whole(*pieces) == whole(stream)


def test_a_lone_carriage_return_ends_its_event_at_once() -> None:
    """An event is there as soon as its last CR is: nobody waits for a line feed that may not come."""
    parser = EventParser()

    assert parser.feed(b"data: x\r\r") == [Event("", b"x")]
    assert parser.feed(b"\ndata: y\n\n") == [Event("", b"y")]


def test_the_end_closes_an_open_event() -> None:
    """An event without its empty line is given at the end."""
    parser = EventParser()
    assert parser.feed(b"data: [DONE]") == []

    assert parser.end() == [Event("", b"[DONE]")]
    assert parser.end() == []


@pytest.mark.parametrize("stream", [b"data: " + b"x" * 200, b"data: 0123456789\n" * 20, b"x" * 90 + b"y" * 90])
def test_a_line_or_event_over_the_limit_is_refused(stream: bytes) -> None:
    """Neither one endless line nor endless lines of one event are kept."""
    parser = EventParser(limit_bytes=100)

    with pytest.raises(BadAnswer, match="longer than 100 bytes"):
        for start in range(0, len(stream), 7):
            parser.feed(stream[start : start + 7])
