"""Numbers and others' words, as they are written."""

from __future__ import annotations

import pytest

from tui.words import brief, counted, energy, lasted, money, plain, share, short, size


def test_a_brief_one_is_plain_and_says_that_there_is_more() -> None:
    """However long it is, and though numbers of characters take more room than these."""
    assert brief("as it is", 8) == "as it is"
    assert brief("as it was", 8) == "as it w…"
    assert brief("a\x1b[2J", 20) == "a\\x1b[2J"
    assert brief("\x1b" * 10_000, 9) == "\\x1b\\x1b…"


@pytest.mark.parametrize(
    ("ms", "words"),
    [(0.4, "0 ms"), (999, "999 ms"), (1240, "1.24 s"), (41_000, "41.0 s"), (187_000, "3:07")],
)
def test_times(ms: float, words: str) -> None:
    """A time is told in the unit that fits."""
    assert lasted(ms) == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0"), (950, "950"), (1234, "1.2k"), (34_000, "34k"), (1.2e6, "1.2M")]
)
def test_counts(number: float, words: str) -> None:
    """A count takes four characters."""
    assert short(number) == words


def test_sums() -> None:
    """Small sums keep what they are made of, and the least is not shown as nothing."""
    assert [money(each) for each in (0, 1e-9, 0.0042, 1.2)] == ["$0", "<$0.0001", "$0.0042", "$1.20"]


def test_others() -> None:
    """Sizes, work, parts and counted things."""
    assert size(512) == "512 B"
    assert size(4100) == "4.1 kB"
    assert energy(12) == "12 J"
    assert energy(3400) == "3.4 kJ"
    assert share(11, 12) == "92 %"
    assert share(0, 0) == "–"
    assert counted(1, "request") == "1 request"
    assert counted(2, "reply", "replies") == "2 replies"


def test_words_of_others_steer_no_terminal() -> None:
    """Escape sequences, line feeds and what turns the direction are shown by their number."""
    assert plain("a\x1b[2Jb\nc\u202ed") == "a\\x1b[2Jb\\nc\\u202ed"
