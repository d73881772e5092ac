"""The themes: each is legible."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import Theme

from tui.themes import THEMES, after

LEGIBLE = 4.5
"""WCAG 2.2's ratio for text (criterion 1.4.3, AA)."""


def luminance(colour: Color) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [each / 255 for each in colour.rgb]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    dark, light = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_words_stand_out(theme: Theme) -> None:
    """Every colour in which words are written can be read on every ground."""
    inks = [theme.foreground, theme.primary, theme.success, theme.warning, theme.error, theme.variables["muted"]]
    for ink in inks:
        for ground in (theme.background, theme.surface, theme.panel):
            assert ink is not None
            assert ground is not None
            assert contrast(ink, ground) >= LEGIBLE, (ink, ground)


def test_another_ones_theme_is_followed_by_our_first() -> None:
    """From anybody's theme there is a next one."""
    assert after("nord") == THEMES[0].name
