"""Requests as they run."""

from __future__ import annotations

from tui.screens.base import Page


class Live(Page):
    """The screen."""
