"""From bytes to deltas, however they are cut."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.contract import BadAnswer, Delta, Finish, ProviderError, TextDelta, Unreachable
from providers.families.answer_bytes import AnswerReader
from providers.families.openai_answer import Hearing

EVENTS: Final = (
    b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Gr\xc3\xbc"}}]}\n\n'
    b': a comment\n\ndata: {"choices":[{"index":0,"delta":{"content":"\xc3\x9fe"}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
WHOLE: Final = '{"choices":[{"index":0,"message":{"content":"Grüße"},"finish_reason":"stop"}]}'.encode()


def read(chunks: list[bytes], said_events: bool = True) -> list[Delta]:
    reader = AnswerReader(Hearing("work", "id"))
    deltas: list[Delta] = []
    for chunk in chunks:
        deltas += reader.feed(chunk)
        if reader.ended:
            break
    return [*deltas, *reader.end(said_events)]


def text(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


@given(st.lists(st.integers(0, len(EVENTS)), max_size=8))
def test_events_are_the_same_however_they_are_cut(cuts: list[int]) -> None:
    """Wherever the pieces end, the words and the one finish are the same."""
    places = [0, *sorted(cuts), len(EVENTS)]
    deltas = read([EVENTS[a:b] for a, b in pairwise(places)])

    assert text(deltas) == "Grüße"
    assert [delta for delta in deltas if isinstance(delta, Finish)] == [deltas[-1]]


@pytest.mark.parametrize("blanks", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("said_events", [False, True])
def test_a_whole_completion_is_read_whatever_it_is_called(said_events: bool, blanks: bytes) -> None:
    """Its first character tells, behind blanks and a byte-order mark, in one piece or byte by byte."""
    body = WHOLE if b"\xef" in blanks else blanks + WHOLE
    assert text(read([blanks, body], said_events) if b"\xef" not in blanks else read([body], said_events)) == "Grüße"
    assert text(read([bytes([byte]) for byte in body], said_events)) == "Grüße"


def test_what_follows_the_end_mark_is_not_read() -> None:
    """Behind the mark there may be anything."""
    assert text(read([EVENTS, b"data: nonsense\n\n"])) == "Grüße"


def test_words_before_an_error_are_told() -> None:
    """An error in the same piece as words comes after them."""
    reader = AnswerReader(Hearing("work", "id"))
    deltas: list[Delta] = []

    with pytest.raises(ProviderError):
        for delta in reader.feed(EVENTS[: EVENTS.index(b": a")] + b'data: {"error":{"message":"no"}}\n\n'):
            deltas.append(delta)  # noqa: PERF402  # extend would lose what came before the error

    assert text(deltas) == "Grü"


@pytest.mark.parametrize(("body", "said_events"), [(b"<html>", False), (b"{}", True), (b'{"choices": 1}', False)])
def test_what_is_no_answer_is_said_to_be_none(body: bytes, said_events: bool) -> None:
    """A page, an empty object, another format: none of them ends as an empty answer."""
    with pytest.raises(BadAnswer, match="isn't OpenAI's format"):
        read([body], said_events)


def test_an_answer_that_breaks_off_is_told_from_one_that_ends() -> None:
    """Without a finish and without an end mark it did not end."""
    with pytest.raises(Unreachable, match="mid-answer"):
        read([EVENTS[: EVENTS.index(b"data: {", 10)]])
