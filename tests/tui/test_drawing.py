"""Bars and curves, cell by cell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.drawing import bar, curve, meter, scale, span


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


def test_a_curve_has_two_values_a_cell() -> None:
    """Columns of dots, filled from below, the newest at the right."""
    assert curve([1, 2, 3, 4], 2, 1, top=4) == ["⣠⣾"]
    assert curve([8], 2, 2, top=8) == [" ⢸", " ⢸"]
    assert curve([None, 0], 1, 1, top=1) == [" "]


@given(
    st.lists(st.none() | st.floats(0, 1e9), max_size=50), st.integers(1, 20), st.integers(1, 6), st.floats(0, 1e9),
    st.floats(-1, 2),
)  # fmt: skip
def test_everything_fits_where_it_is_drawn(
    values: list[float | None], width: int, height: int, top: float, part: float
) -> None:
    """No drawing is wider or higher than it was asked to be."""
    drawn = curve(values, width, height, top)

    assert len(drawn) == height
    assert {len(each) for each in [*drawn, bar(part, width), scale(part, part, width), span(part, part, 1, width)]} == {
        width
    }
