"""What was answered where, how fast and for how much."""

from __future__ import annotations

from tui.screens.base import Page


class Overview(Page):
    """The screen."""
