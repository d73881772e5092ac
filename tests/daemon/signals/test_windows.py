"""The shape of a text, and where its runs of digits stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.overlaps import Vocabulary
from daemon.signals.windows import Windows, shape_of

SIGNS = st.text(st.sampled_from(list("0123 -.()/aZ?é٣\u00a0\ud800\n")), max_size=200)


def windows(text: str) -> Windows:
    return Windows(text, shape_of(text))


def test_a_shape_has_a_byte_for_each_character() -> None:
    """Digits of any script are zeros, capitals and what isn't ASCII are `A`, and a hard blank is a blank."""
    assert shape_of("7٣ bX?é\u00a0한\ud800-") == b"00 bAAA AA-"


@given(st.text() | SIGNS)
def test_a_place_in_the_shape_is_a_place_in_the_text(text: str) -> None:
    """Same length; a zero where the text has a digit, and nowhere else."""
    shape = shape_of(text)

    assert len(shape) == len(text)
    assert all((byte == ord("0")) == sign.isdecimal() for byte, sign in zip(shape, text, strict=True))


def test_a_window_is_a_run_of_seven_digits_and_what_is_around() -> None:
    """Six characters before it, fourteen behind it, and not beyond the text."""
    assert windows("call 0361 55512 now").spans == ((0, 19),)
    assert windows("x" * 10 + "1234567" + "x" * 20).spans == ((4, 31),)
    assert windows("only 123456 here").spans == ()


def test_dates_and_addresses_open_no_window() -> None:
    """If one is the whole run; with a number behind it, it is no longer."""
    assert windows("2024-01-15T at 2024.01.15 10h from 52.114.13.99:").spans == ()
    assert len(windows("2124-01-15T").spans) == 1
    assert len(windows("52.114.13.99 200 12").spans) == 1


@given(SIGNS, st.sampled_from((b"000", b"0 0", b"0-0", b"0A")))
def test_the_windows_that_hold_a_core(text: str, core: bytes) -> None:
    """Just those in which one begins."""
    found = windows(text)
    begins = [at for at in range(len(text)) if found.shape.startswith(core, at)]

    assert found.holding((core,)) == [
        (start, end) for start, end in found.spans if any(start <= at < end for at in begins)
    ]


@given(SIGNS, st.integers(0, 60), st.integers(0, 20))
def test_the_windows_near_a_word(text: str, before: int, behind: int) -> None:
    """Just those."""
    found = windows(text)
    begins = [at for at in range(len(text)) if text.startswith("a", at)]

    near = [
        (start, end)
        for start, end in found.spans
        if any(start - before <= at < min(end + behind, len(text)) for at in begins)
    ]
    assert found.near(begins, before, behind) == near


@given(
    st.lists(st.sampled_from(["pan", "née", "id no", "x" * 40, "1234567", "0361 55512", " ", "\n"]), max_size=40).map(
        "".join
    )
)
def test_no_word_near_a_window_is_missing(text: str) -> None:
    """What stands up to 60 characters before one, or begins just behind it, is in its vocabulary."""
    found = windows(text)
    said = found.vocabulary(text, Vocabulary(text)).said(("pan", "née", "id no"))

    for start, end in found.spans:
        assert all(word in said for word in ("pan", "née", "id no") if word in text[max(0, start - 60) : end + 5])
