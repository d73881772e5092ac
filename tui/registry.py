"""The table of the dashboard's screens."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from msgspec import Struct
from textual.screen import Screen

from tui.link import Link


class Entry(Struct, frozen=True):
    """A screen. key: opens it. name: its mode. title: on its tab. about: one line for palette and help. where: its class."""

    key: str
    name: str
    title: str
    about: str
    where: str


SCREENS: Final = (
    Entry("1", "live", "Live", "Requests as they run", "tui.screens.live:Live"),
    Entry("2", "overview", "Overview", "Where, how fast, for how much", "tui.screens.overview:Overview"),
    Entry("3", "models", "Models", "Load, fetch, and where they run", "tui.screens.models:Models"),
    Entry("4", "providers", "Providers", "Others, keys, spend of today", "tui.screens.providers:Providers"),
    Entry("5", "privacy", "Privacy", "What may leave, what waits, what left", "tui.screens.privacy.page:Privacy"),
    Entry("6", "recipes", "Recipes", "Which recipe decides, its versions, edit", "tui.screens.recipes:Recipes"),
    Entry("7", "playground", "Playground", "Ask, here and beyond, side by side", "tui.screens.playground:Playground"),
    Entry("8", "clients", "Clients", "Programs and their tokens", "tui.screens.clients:Clients"),
    Entry("9", "doctor", "Doctor", "What is wrong, and what to do", "tui.screens.doctor:Doctor"),
    Entry("0", "logs", "Logs", "What the daemon says of itself", "tui.screens.logs:Logs"),
    Entry("$", "money", "Money", "What was spent, may be, and was saved", "tui.screens.money:Money"),
)
"""In the order of their tabs. A screen is a file, and a line here."""


def opened(entry: Entry, link: Link) -> Screen[None]:
    """A screen, whose module is loaded when it is first opened."""
    module, _, name = entry.where.partition(":")
    screen: Screen[None] = getattr(import_module(module), name)(link)
    return screen
