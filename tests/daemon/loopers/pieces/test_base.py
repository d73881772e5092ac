"""Answers come apart into pieces and together again."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.loopers.pieces.base import spliced
from daemon.loopers.pieces.fenced import Fenced
from daemon.loopers.pieces.registry import FORMATS
from daemon.loopers.pieces.search_replace import SearchReplace
from daemon.loopers.pieces.unified_diff import UnifiedDiff
from tests.fakes.edits import FORMS, Form, edit

_LINES = (
    "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "--- a/x", "+++ b/x", "@@ -1,2 +1,1 @@", "@@ -3 +3 @@ def f", " same",
    "-gone", "+new", "```python", "```", "````", "x = 1", "", "}", "{", "\\ No newline at end of file", "é\u2028\f", "\r",
)  # fmt: skip
MESSY = st.lists(st.sampled_from(_LINES), max_size=16).map("\n".join) | st.text(max_size=60)
OF = dict(zip(FORMS, (SearchReplace(), UnifiedDiff(), Fenced()), strict=True))


@given(MESSY)
def test_nothing_replaced_is_the_draft_to_the_byte(text: str) -> None:
    """Whatever an answer looks like, its pieces lie in it in order, and taking them out and in changes nothing."""
    for format in FORMATS:
        pieces = format.split(text)

        assert spliced(text, pieces, {}) == text
        assert spliced(text, pieces, dict(enumerate(piece.text for piece in pieces))) == text
        assert all(text[piece.start : piece.end] == piece.text for piece in pieces)
        assert all(one.end <= other.start for one, other in pairwise(pieces))
        for piece in pieces:
            format.fault(piece.text), format.old(piece.text)


@given(MESSY, st.integers(0, 5))
def test_what_is_not_replaced_stays(text: str, number: int) -> None:
    """A piece that is written anew changes its place and no other."""
    for format in FORMATS:
        pieces = format.split(text)
        if number < len(pieces):
            piece = pieces[number]
            assert spliced(text, pieces, {number: "other"}) == text[: piece.start] + "other" + text[piece.end :]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [1, 3, 7])
def test_a_right_answer_has_its_pieces_and_no_fault(form: Form, count: int) -> None:
    """As many as were written, word for word, each of which replaces what stands in the file."""
    made = edit(1, form, "words", count)
    format = OF[form]

    pieces = format.split(made.right)

    assert tuple(piece.text for piece in pieces) == made.pieces
    assert [format.fault(piece.text) for piece in pieces] == [None] * count
    assert all((old := format.old(piece.text)) is None or old in made.conversation for piece in pieces)
    assert [next(each for each in FORMATS if each.split(made.right))] == [
        type_ for type_ in FORMATS if type_.name == format.name
    ]
