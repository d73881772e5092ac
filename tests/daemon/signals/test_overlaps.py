"""Hits in one text."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, folded, places, settle

hits = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda hit: Found(hit[0], sum(hit), "X")))


@given(hits)
def test_settled_hits_cover_the_same_ground_and_do_not_touch_each_other(found: list[Found]) -> None:
    """Nothing that was found is lost, and no character is found twice."""
    settled = settle(found)

    assert {n for hit in settled for n in range(hit.start, hit.end)} == {
        n for hit in found for n in range(hit.start, hit.end)
    }
    assert all(left.end <= right.start for left, right in itertools.pairwise(settled))


def test_the_longer_of_two_hits_gives_the_label() -> None:
    """What starts together is named after the longer one."""
    assert settle([Found(0, 3, "SHORT"), Found(0, 5, "LONG")]) == (Found(0, 5, "LONG"),)


@given(st.text())
def test_folding_keeps_every_place(text: str) -> None:
    """A place in the lower case is a place in the text, whatever the script."""
    assert len(folded(text)) == len(text)


WORDS = ("pan", "née", "id no", "电话", "a.")


@given(st.lists(st.sampled_from([*WORDS, "p", "an", "7", " ", "\n", "é", "\ud800"]), max_size=60).map("".join))
def test_a_vocabulary_misses_no_word(text: str) -> None:
    """Whatever the text holds, in any line and between any digits, is said."""
    assert {word for word in WORDS if word in text} <= set(Vocabulary(text).said(WORDS))


def test_a_vocabulary_knows_what_no_line_has() -> None:
    """A word of which a piece stands nowhere, not even with digits in it, is not said."""
    assert Vocabulary("id 7\npan\nid 8").said(WORDS) == ["pan"]


def test_places_are_all_places() -> None:
    """Each word is found wherever it stands."""
    assert sorted(places("a key, a token, a key", ("key", "token"))) == [2, 9, 18]
