"""One picture, as rules ask about it."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.shown import Told, content, size_bytes, together
from providers.contract import Image


@given(st.binary(max_size=100))
def test_a_picture_s_bytes(data: bytes) -> None:
    """Their number is told without reading them."""
    part = Image(f"data:image/png;base64,{b64encode(data).decode()}")

    assert content(part) == data
    assert size_bytes(part) == len(data)


@pytest.mark.parametrize(
    "url", ["https://pictures.test/a.png", "data:image/svg+xml,%3Csvg%3E", "data:image/png;base64,é"]
)
def test_what_isn_t_carried_has_none(url: str) -> None:
    """Addresses, other writings than base64, and what is none."""
    assert content(Image(url)) is None


def test_what_does_not_hold_decides() -> None:
    """Then what nobody knows; what holds is as sure as the least sure of it."""
    yes, unsure, no, unknown = Told(True, 0.9, "a"), Told(True, 0.6), Told(False), Told(None, why="Unseen")

    assert together((yes, unknown, no)) is no
    assert together((yes, unknown, unsure)) is unknown
    assert together((unsure, yes)) == Told(True, 0.6, "a")
    assert together(()) == Told(True)
