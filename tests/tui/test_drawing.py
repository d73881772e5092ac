"""Bars and plots, cell by cell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.drawing import Shade, bar, columns, meter, scale, span


def test_a_bar_grows_by_eighths() -> None:
    """Half a cell is half a block, and a little is never nothing."""
    assert bar(0.5, 4) == "██  "
    assert bar(0.625, 4) == "██▌ "
    assert bar(0.0001, 4) == "▏   "
    assert bar(0.0, 4) == "    "


def test_a_meter_and_a_scale() -> None:
    """A share in five cells, and a bar with the threshold on it."""
    assert meter(0.62) == "▰▰▰▱▱"
    assert scale(0.5, 0.8, 10) == "━━━━━───┃─"
    assert scale(1.0, 1.0, 4) == "━━━┃"


def test_a_stretch_of_time() -> None:
    """It stands where it was, and is never invisible."""
    assert span(5, 10, 20, 8) == "  ██    "
    assert span(0, 0.1, 1000, 4) == "█   "
    assert span(0, 1, 0, 4) == "    "


def test_columns_stand_on_each_other() -> None:
    """The lower value is below, in eighths of a cell; where both end in one cell, who has more of it."""
    assert columns([4], [8], 2, top=8) == [[Shade("█")], [Shade("█", lower=True)]]
    assert columns([2], [8], 2, top=8)[1] == [Shade("▄", lower=True, on_upper=True)]
    assert columns([1, 1], [2, 4], 1, top=8) == [[Shade("▂", lower=True), Shade("▄")]]
    assert columns([None, 0], [None, 0], 1, top=1) == [[Shade(" "), Shade(" ")]]


@given(
    st.lists(st.none() | st.floats(0, 1e9), max_size=50), st.integers(1, 20), st.integers(1, 6), st.floats(0, 1e9),
    st.floats(-1, 2),
)  # fmt: skip
def test_everything_fits_where_it_is_drawn(
    values: list[float | None], width: int, height: int, top: float, part: float
) -> None:
    """No drawing is wider or higher than it was asked to be."""
    drawn = ["".join(shade.block for shade in row) for row in columns(values, values, height, top)]

    assert len(drawn) == height
    assert {len(each) for each in drawn} == {len(values)}
    assert {len(each) for each in [bar(part, width), scale(part, part, width), span(part, part, 1, width)]} == {width}
