"""The icon: legible in every size on every panel, and never told by colour alone."""

from __future__ import annotations

import itertools
from typing import Final

import pytest
from PIL import Image, ImageChops

from tui.tray.icons import COLOURS, SIZES, icon
from tui.tray.states import State

PANELS: Final = ("#1e1e1e", "#000000", "#f6f5f4", "#ffffff")


def luminance(colour: str) -> float:
    """Relative, 0 to 1 (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("state", State)
def test_it_stands_out_from_any_panel(state: State, panel: str) -> None:
    """A contrast of 3, which WCAG 2.2 asks of graphics (1.4.11)."""
    light, dark = sorted((luminance(COLOURS[state]), luminance(panel)), reverse=True)

    assert (light + 0.05) / (dark + 0.05) >= 3


@pytest.mark.parametrize("size", SIZES)
def test_states_differ_in_shape(size: int) -> None:
    """Without colour, any two differ in a sixteenth of the picture or more."""
    shapes = {state: icon(state, size).getchannel("A") for state in State}
    for one, other in itertools.combinations(State, 2):
        difference = ImageChops.difference(shapes[one], shapes[other])
        assert sum(difference.tobytes()) / 255 >= size * size / 16, (one, other)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", State)
def test_it_fills_its_square_and_is_sharp(state: State, size: int) -> None:
    """It reaches near the edges, and what is half transparent is the rounding of curves: of small ones much, of large ones little."""
    drawn = icon(state, size)
    assert drawn.size == (size, size)
    shape = drawn.getchannel("A")
    left, top, right, bottom = shape.getbbox() or (0, 0, 0, 0)
    assert max(left, top, size - right, size - bottom) <= max(1, round(size * 0.07))

    values = list(shape.tobytes())
    soft, painted = sum(0 < value < 255 for value in values), sum(value > 0 for value in values)
    assert soft / painted < (0.75 if size < 32 else 0.5)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", [state for state in State if state not in (State.CLOUD, State.STOPPED)])
def test_it_is_even(state: State, size: int) -> None:
    """What should be symmetric is, to the pixel."""
    shape = icon(state, size).getchannel("A")
    mirrored = shape.transpose(Image.Transpose.FLIP_LEFT_RIGHT)

    assert max(ImageChops.difference(shape, mirrored).tobytes()) <= 16


@pytest.mark.parametrize("state", State)
def test_the_smallest(state: State) -> None:
    """As X's own window asks for it before a panel makes it larger."""
    assert icon(state, 8).getchannel("A").getbbox()
