"""Leaks are counted as arXiv:2604.12064 counts them, and told with their intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.leakage.measures import Leaks, Words, altered_lines, leaks_of, share_of, words_of
from daemon.leakage.rows import Row, Value

TEXT = "please ask Maria Keller about the maria disk"
ROW = Row(TEXT, (Value("person", "Maria Keller", 11, 23),), "t")


@pytest.mark.parametrize(
    ("arrived", "wanted"),
    [
        (TEXT, Leaks(1, 1, 0, 0)),
        ("please ask Zozo Quux about the maria disk", Leaks(1, 0, 1, 0)),  # `aria` is harmless here too
        ("please ask X Keller about", Leaks(1, 0, 1, 1)),
        ("please ask Zozo Quux about", Leaks(1, 0, 0, 0)),
        ("", Leaks(1, 0, 0, 0)),
    ],
)
def test_whole_in_part_and_net(arrived: str, wanted: Leaks) -> None:
    """A part that also stands in harmless words is not held against it in `net`."""
    assert leaks_of(ROW, arrived) == [wanted]


def test_harmless_words_that_are_lost() -> None:
    """Each as often as it stands; words of the value don't count; scripts without blanks count by letters."""
    assert words_of(ROW, "please ask X about the disk") == Words(6, 1)
    assert words_of(Row("请给王先生写信", (Value("person", "王", 2, 3),), "t"), "请给X先生写信") == Words(6, 0)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(0, 60, 0.0, 0.060), (30, 60, 0.377, 0.623), (60, 60, 0.940, 1.0), (1, 10, 0.018, 0.404)],
)
def test_wilsons_interval(hits: int, n: int, low: float, high: float) -> None:
    """Values of the usual tables."""
    share = share_of(hits, n)

    assert (round(share.low, 3), round(share.high, 3)) == (low, high)


@given(st.integers(0, 500), st.integers(1, 500))
def test_an_interval_holds_its_share(hits: int, n: int) -> None:
    """And lies within 0 and 1; of nothing it is everything."""
    share = share_of(min(hits, n), n)

    assert 0 <= share.low <= share.share + 1e-9
    assert share.share - 1e-9 <= share.high <= 1
    assert (share_of(0, 0).low, share_of(0, 0).high) == (0, 1)


def test_altered_lines() -> None:
    """Line by line, also where one is missing."""
    assert altered_lines("a\nb\nc", "a\nX\nc") == 1
    assert altered_lines("a\nb\nc", "a\nc") == 1
    assert altered_lines("a\nb", "a\nb") == 0
