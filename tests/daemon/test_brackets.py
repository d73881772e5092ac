"""A JSON text in pieces is closed exactly when it is whole."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from daemon.brackets import Brackets

_VALUES = st.recursive(st.none() | st.integers() | st.text('"\\{}[]a'), lambda inner: st.lists(inner), max_leaves=8)


@given(_VALUES, st.integers(0, 60))
def test_closed_is_whole(value: object, cut: int) -> None:
    """Whatever brackets, quotes and escapes stand in its strings, and wherever it is cut."""
    text = json.dumps({"a": value})
    cut = min(cut, len(text) - 1)
    brackets = Brackets()

    brackets.take(text[:cut])
    assert not brackets.closed
    brackets.take(text[cut:])
    assert brackets.closed


def test_nothing_is_not_closed() -> None:
    """Before the first bracket there is nothing to close."""
    brackets = Brackets()
    brackets.take("")
    brackets.take(' "}" ')
    assert not brackets.closed
