"""Where names in code stand in a text."""

from __future__ import annotations

from daemon.boundary.code_places import CodePlaces


def test_whole_names_in_their_own_case() -> None:
    """Behind marks and escapes too, and names of several words; not within others, nor in other case."""
    places = CodePlaces(("order_x", "Blue Heron", "kestrel-api"))
    text = r"_order_x_ b.order_x '\norder_x' order_xy Order_X; Blue Heron, Blue Herons, blue heron; kestrel-api kestrel-apis"

    found = sorted(places.find(text))

    assert [text[start:end] for start, end in found] == ["order_x"] * 3 + ["Blue Heron", "kestrel-api"]


def test_without_names_nothing_is_looked_at() -> None:
    """As in most requests."""
    assert CodePlaces(()).find("order_x") == []
