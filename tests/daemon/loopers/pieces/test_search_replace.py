"""Blocks of SEARCH and REPLACE."""

from __future__ import annotations

import pytest

from daemon.loopers.pieces.search_replace import SearchReplace
from tests.fakes.edits import edit


def test_an_answer_that_broke_off_has_no_pieces() -> None:
    """A block without its end may have lost others behind it."""
    made = edit(2, "search-replace", "words", 3)

    assert SearchReplace().split(made.right[: -len("REPLACE\n\nThat is all.")]) == ()


@pytest.mark.parametrize(
    "again", ["<<<<<<< SEARCH\n", "<<<<<<< SEARCH\n=======\n", "<<<<<<< SEARCH\nx\n=======\n=======\n"]
)
def test_a_model_that_repeats_a_mark_is_read_in_one_pass(again: str) -> None:
    """Small models do, and the event loop waits meanwhile: each beginning was searched to the end of all, 80 s for this one."""
    assert SearchReplace().split(again * 20_000) == ()


def test_marks_within_a_block_are_its_text() -> None:
    """A second line of `=` belongs to what is put in, and an end without a middle to what is searched for."""
    block = "<<<<<<< SEARCH\n>>>>>>> REPLACE\n=======\nb\n=======\nc\n>>>>>>> REPLACE"

    (piece,) = SearchReplace().split(f"One:\n{block}\nThat is all.")

    assert piece.text == block
    assert SearchReplace().old(block) == ">>>>>>> REPLACE"


@pytest.mark.parametrize(
    ("old", "new", "fault", "searched"),
    [("a\n", "b\n", None, "a"), ("a\n", "a\n", "empty", "a"), ("", "b\n", None, None), ("a\n\n", "", None, "a")],
)
def test_a_block_changes_something(old: str, new: str, fault: str | None, searched: str | None) -> None:
    """One that replaces a text with itself is a mistake; one that searches for nothing writes a new file."""
    block = f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE"

    assert (SearchReplace().fault(block), SearchReplace().old(block)) == (fault, searched)
