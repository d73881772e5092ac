"""Many strings are found in a text as one pattern would find them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from daemon.boundary.places import SHORT, Places
from daemon.signals.overlaps import folded

FORMS = st.lists(st.text("abcİ ", min_size=3, max_size=5), max_size=5)


@given(FORMS, FORMS, st.text("abcABCİß ", max_size=60), st.sampled_from([0, SHORT]))
def test_as_one_pattern_would(exact: list[str], words: list[str], text: str, more: int) -> None:
    """The first, and of those that begin together the longest, none overlapping; in short texts and long ones."""
    text += "-" * more
    forms = sorted({*exact, *map(folded, words)}, key=len, reverse=True)
    wanted = []
    at = 0
    while at < len(text):
        fits = [
            len(form)
            for form in forms
            if (form in exact and text.startswith(form, at))
            or (form in map(folded, words) and folded(text).startswith(form, at))
        ]
        if fits:
            wanted.append((at, at + max(fits)))
        at += max(fits, default=1)

    assert list(Places(exact, words).apart(text)) == wanted


@given(st.text(max_size=30))
def test_small_letters_keep_their_places(text: str) -> None:
    """However a character is written small, none moves."""
    assert len(folded(text)) == len(text)
    assert folded(text).lower() == folded(text) or not re.fullmatch(r"[\x00-\x7f]*", text)
