"""What a colour means, whatever theme gives it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Tone = Literal["plain", "muted", "accent", "good", "warn", "bad", "strong"]

STYLES: Final[dict[Tone, str]] = {
    "plain": "",
    "muted": "$muted",
    "accent": "$accent",
    "good": "$success",
    "warn": "$warning",
    "bad": "$error",
    "strong": "bold",
}
"""As a style of Textual's."""
VARIABLES: Final[dict[Tone, str]] = {
    "muted": "muted",
    "accent": "accent",
    "good": "success",
    "warn": "warning",
    "bad": "error",
}
"""The theme's colours; the others have none."""


class Toned(NamedTuple):
    """Words with a meaning."""

    words: str
    tone: Tone = "plain"
