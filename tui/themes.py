"""The dashboard's own themes: dark, light, high contrast, and one without colours."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

DARK: Final = Theme(
    name="nearloop-dark",
    primary="#5ec4b6",
    secondary="#8fa8ff",
    accent="#5ec4b6",
    success="#7fd18b",
    warning="#f0b75e",
    error="#f2777a",
    foreground="#d7dde3",
    background="#0f1419",
    surface="#151b22",
    panel="#1d252e",
    dark=True,
    variables={
        "muted": "#8494a3",
        "footer-key-foreground": "#5ec4b6",
        "border": "#2c3742",
        "border-blurred": "#2c3742",
    },
)
LIGHT: Final = Theme(
    name="nearloop-light",
    primary="#086b61",
    secondary="#3d57c4",
    accent="#086b61",
    success="#1f6b2e",
    warning="#824b00",
    error="#a82329",
    foreground="#1d252c",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#ece9e3",
    dark=False,
    variables={
        "muted": "#59616a",
        "footer-key-foreground": "#086b61",
        "border": "#cbc6bb",
        "border-blurred": "#cbc6bb",
    },
)
CONTRAST: Final = Theme(
    name="nearloop-contrast",
    primary="#00e5ff",
    secondary="#ffffff",
    accent="#ffff00",
    success="#00ff66",
    warning="#ffd000",
    error="#ff6b6b",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#262626",
    dark=True,
    text_alpha=1.0,
    variables={
        "footer-key-foreground": "#ffff00",
        "border": "#ffffff",
        "border-blurred": "#b0b0b0",
        "muted": "#d8d8d8",
    },
)
PLAIN: Final = Theme(
    name="nearloop-plain",
    primary="#d0d0d0",
    secondary="#d0d0d0",
    accent="#ffffff",
    success="#d0d0d0",
    warning="#ffffff",
    error="#ffffff",
    foreground="#d0d0d0",
    background="#000000",
    surface="#0a0a0a",
    panel="#2a2a2a",
    dark=True,
    variables={
        "muted": "#989898",
        "footer-key-foreground": "#ffffff",
        "border": "#606060",
        "border-blurred": "#606060",
    },
)
THEMES: Final = (DARK, LIGHT, CONTRAST, PLAIN)
"""In the order in which a key walks through them. Nothing is told by colour alone: with NO_COLOR, words and marks remain."""
DEFAULTS: Final = {"muted": "#8c8c8c"}
"""Variables of ours, for themes that don't know them: legible on dark and on light."""
BY_NAME: Final = {theme.name.removeprefix("nearloop-"): theme for theme in THEMES}


def after(name: str) -> str:
    """The next of our themes; from anybody else's, the first."""
    names = [theme.name for theme in THEMES]
    return names[(names.index(name) + 1) % len(names)] if name in names else names[0]
