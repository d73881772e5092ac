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
    ("old", "new", "fault", "searched"),
    [("a\n", "b\n", None, "a"), ("a\n", "a\n", "empty", "a"), ("", "b\n", None, None), ("a\n\n", "", None, "a")],
)
def test_a_block_changes_something(old: str, new: str, fault: str | None, searched: str | None) -> None:
    """One that replaces a text with itself is a mistake; one that searches for nothing writes a new file."""
    block = f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE"

    assert (SearchReplace().fault(block), SearchReplace().old(block)) == (fault, searched)
