"""Texts as pieces of addresses."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st

from providers.percent import decoded, encoded


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_as_the_standard_library_has_it(text: str) -> None:
    """With nothing that is safe, and back."""
    assert encoded(text) == quote(text, safe="")
    assert decoded(encoded(text)) == text.encode()
    assert decoded(text) == unquote_to_bytes(text)


def test_half_a_character() -> None:
    """Of JSON's escapes: it is encoded and no error."""
    assert encoded("\ud83d") == "%ED%A0%BD"
