"""From tokens to text: however the bytes are cut, the same words come out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from edge_models.assembly import Assembler
from edge_models.engines.base import Token
from edge_models.ipc import TokenInfo

TEXT = st.text(st.sampled_from("ab\nä\u2028😀 "), max_size=30)
STOP = st.lists(st.text("ab\nä😀", min_size=1, max_size=4), max_size=3).map(tuple)
CUTS = st.lists(st.integers(0, 120), max_size=20)


def cut(data: bytes, places: list[int]) -> list[Token]:
    """The bytes as tokens that end at these places; a place named twice is an empty piece. Each has its own logprob."""
    ends = [*sorted(min(place, len(data)) for place in places), len(data)]
    pieces = [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return [Token(piece, -float(number), ((piece, -0.5),), number / 2) for number, piece in enumerate(pieces)]


def info(token: Token) -> TokenInfo:
    assert token.logprob is not None
    return TokenInfo(token.piece, token.logprob, token.top, token.entropy)


class Heard:
    """What comes out when tokens go in, until a stop string ends it."""

    def __init__(self, tokens: Sequence[Token], stop: tuple[str, ...] = (), details: bool = False) -> None:
        assembler = Assembler(stop, details)
        self.texts: list[str] = []
        self.infos: list[TokenInfo] = []
        self.used = 0
        for token in tokens:
            self.used += 1
            text, infos = assembler.feed(token)
            assert text or not infos, "details travel with text: a worker sends no frame without any"
            self._take(text, infos)
            if assembler.stopped:
                break
        else:
            self._take(*assembler.finish())
        self.stopped = assembler.stopped

    def _take(self, text: str, infos: tuple[TokenInfo, ...]) -> None:
        self.texts.append(text)
        self.infos += infos

    @property
    def text(self) -> str:
        return "".join(self.texts)


def until_stop(text: str, stop: tuple[str, ...]) -> tuple[str, bool]:
    """What may be said of a text that is written letter by letter: up to the first stop string that becomes complete."""
    for end in range(1, len(text) + 1):
        if complete := [len(words) for words in stop if text[:end].endswith(words)]:
            return text[: end - max(complete)], True
    return text, False


@settings(deadline=None)
@given(TEXT, CUTS)
def test_without_stop_strings_the_text_is_whole(text: str, places: list[int]) -> None:
    """However a text is cut into tokens, also inside characters, all of it comes out and nothing is replaced."""
    assert Heard(cut(text.encode(), places)).text == text


@settings(deadline=None)
@given(TEXT, STOP, CUTS)
@example("abcd", ("abcd", "bc"), [])
@example("abcd", ("abcd", "bc"), [1, 2, 3])
@example("aab", ("ab", "aab"), [1, 2])
def test_the_text_ends_before_the_first_stop_string(text: str, stop: tuple[str, ...], places: list[int]) -> None:
    """However a text is cut, what comes out is what stands before the stop string that is complete first."""
    heard = Heard(cut(text.encode(), places), stop)

    assert (heard.text, heard.stopped) == until_stop(text, stop)


@settings(deadline=None)
@given(TEXT, st.text("ab\nä", min_size=1, max_size=4), CUTS)
def test_no_beginning_of_a_stop_string_leaks(text: str, stop: str, places: list[int]) -> None:
    """At every moment, what was said is a beginning of the final text: nothing ever has to be taken back."""
    whole, _ = until_stop(text, (stop,))
    heard = Heard(cut(text.encode(), places), (stop,))

    said = ""
    for piece in heard.texts:
        said += piece
        assert whole.startswith(said)


@settings(deadline=None)
@given(TEXT, CUTS)
def test_details_are_complete_and_in_order(text: str, places: list[int]) -> None:
    """Every token of a text is reported once, in order, with its bytes, number and alternatives."""
    tokens = cut(text.encode(), places)
    heard = Heard(tokens, details=True)

    assert heard.infos == list(map(info, tokens))


@settings(deadline=None)
@given(TEXT, STOP, CUTS)
def test_details_end_with_the_text(text: str, stop: tuple[str, ...], places: list[int]) -> None:
    """With stop strings, the tokens of the text that was said are reported and none of those that begin after it."""
    tokens = cut(text.encode(), places)
    heard = Heard(tokens, stop, details=True)

    said = len(heard.text.encode())
    begins = 0
    expected = []
    for token in tokens:
        if begins < said or not heard.stopped:
            expected.append(info(token))
        begins += len(token.piece)
    assert heard.infos == expected


@settings(deadline=None)
@given(st.binary(max_size=40), CUTS)
@example(b"\xff\xff\xffab", [1, 2, 3, 4])
def test_bytes_that_are_no_text_are_replaced(data: bytes, places: list[int]) -> None:
    """Whatever bytes a model makes, the text is what a tolerant reader makes of all of them, and every token is told."""
    tokens = cut(data, places)
    heard = Heard(tokens, details=True)

    assert heard.text == data.decode(errors="replace")
    assert heard.infos == list(map(info, tokens))


@settings(deadline=None)
@given(st.binary(max_size=20), st.text("ab", min_size=1, max_size=3), CUTS)
@example(b"\xff\xff\xffab", "abb", [1, 2, 3, 4])
@example(b"\xff\xff\xffab", "ab", [1, 2, 3, 4])
def test_details_stay_with_their_text_after_bytes_that_are_none(data: bytes, stop: str, places: list[int]) -> None:
    """A replaced byte shifts nothing: no token is told before its text, and none of a stop string is told."""
    tokens = cut(data + b"ab", places)
    heard = Heard(tokens, (stop,), details=True)

    assert heard.infos == list(map(info, tokens))[: len(heard.infos)]
    if not heard.stopped:
        assert len(heard.infos) == len(tokens)
    assert b"".join(token.piece for token in heard.infos).decode(errors="replace").startswith(heard.text)


def test_an_unfinished_character_becomes_one_replacement() -> None:
    """A character that the end cut off is shown as U+FFFD, after the text before it, and not earlier."""
    heard = Heard([Token(b"a"), Token("😀".encode()[:3])])

    assert heard.texts == ["a", "", "\ufffd"]


def test_a_character_over_tokens_comes_with_its_last_byte() -> None:
    """The tokens of one character are reported together, with the character."""
    tokens = [Token(bytes([byte]), -1.0) for byte in "😀".encode()]
    assembler = Assembler((), details=True)

    fed = [assembler.feed(token) for token in tokens]

    assert fed[:3] == [("", ())] * 3
    assert fed[3] == ("😀", tuple(map(info, tokens)))


def test_text_goes_out_as_soon_as_it_is_certain() -> None:
    """Only the tail that could still become a stop string is held back, and it is released when it can't."""
    assembler = Assembler(("STOP",), details=False)

    assert [assembler.feed(Token(piece))[0] for piece in (b"one ", b"ST", b"ART", b" S")] == ["one ", "", "START", " "]
    assert assembler.finish() == ("S", ())
    assert not assembler.stopped


def test_after_a_stop_string_nothing_is_said() -> None:
    """Words behind the stop string, in the same token or later, are never given out."""
    assembler = Assembler(("STOP",), details=True)

    assert assembler.feed(Token(b"one STOP two", -1.0)) == ("one ", (TokenInfo(b"one STOP two", -1.0),))
    assert assembler.stopped
    assert assembler.feed(Token(b"three", -1.0)) == ("", ())
    assert assembler.finish() == ("", ())


def test_an_empty_stop_string_stops_nothing() -> None:
    """The empty string is in every text and would end every answer, so it is not looked for."""
    assert Heard([Token(b"text")], ("",)).text == "text"


@pytest.mark.parametrize(("details", "logprob"), [(False, -1.0), (True, None)])
def test_details_are_only_for_those_who_asked(details: bool, logprob: float | None) -> None:
    """Without a wish for details, or without numbers from the engine, no token is reported."""
    assert Heard([Token(b"a", logprob), Token(b"b", logprob)], details=details).infos == []
