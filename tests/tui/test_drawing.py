"""Bars and plots, cell by cell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.drawing import Shade, bar, columns, curve, meter, scale, span


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


def drawn(
    values: list[float], width: int, height: int, line: float | None = None, *marks: tuple[float, float]
) -> list[str]:
    return ["".join(dot.sign for dot in row) for row in curve(values, width, height, line, marks)]


def test_a_curve_is_one_line_of_dots() -> None:
    """Steps are joined, one value is spread over its room, and many are told by the least of neighbours."""
    assert drawn([1.0], 3, 1) == ["⠉⠉⠉"]
    assert drawn([0.0], 3, 2) == ["   ", "⣀⣀⣀"]
    assert drawn([1.0, 0.0], 1, 1) == ["⢹"]
    assert drawn([1.0, 0.0, 1.0, 1.0], 1, 1) == ["⣸"]


def test_a_curve_has_a_line_and_marks() -> None:
    """The line where the curve leaves room, marks over both."""
    assert drawn([1.0, 1.0], 4, 3, 0.5) == ["⠉⠉⠉⠉", "┄┄┄┄", "    "]
    assert drawn([1.0, 1.0], 4, 3, 0.5, (0.6, 0.5), (0.99, 1.0)) == ["⠉⠉⠉●", "┄┄●┄", "    "]
    assert drawn([1.0], 2, 1, 1.0) == ["⠉⠉"]


@given(
    st.lists(st.floats(-1, 2), min_size=1, max_size=300),
    st.integers(1, 90),
    st.integers(1, 9),
    st.one_of(st.none(), st.floats(-1, 2)),
    st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 2)), max_size=4),
)
def test_a_curve_has_its_size_and_no_gap(
    values: list[float], width: int, height: int, line: float | None, marks: list[tuple[float, float]]
) -> None:
    """Whatever it is made of: each column has a dot, or a mark in its place."""
    rows = curve(values, width, height, line, marks)

    assert [len(row) for row in rows] == [width] * height
    for column in zip(*rows, strict=True):
        assert any(dot.what in ("curve", "mark") for dot in column)
