"""The menu, as values: what stands in it and what a click does."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct

from daemon import wire
from tui.tray.standing import Standing
from tui.words import plain

LOADED: Final = ("ready", "loading", "preparing", "restarting")


class Act(StrEnum):
    """What a click does."""

    NOTHING = "nothing"
    START = "start"
    DASHBOARD = "dashboard"
    LOCAL_ONLY = "local-only"
    ANYWHERE = "anywhere"
    LOAD = "load"
    UNLOAD = "unload"
    LOG = "log"
    START_AT_LOGIN = "start at login"
    NOT_AT_LOGIN = "not at login"
    QUIT = "quit"


class Item(Struct, frozen=True):
    """A line. on: whether it is ticked; None: it has no tick. about: what the act is done to. default: done by a click on
    the icon, where that opens no menu. items: of the menu that it opens.
    """

    words: str
    act: Act = Act.NOTHING
    on: bool | None = None
    about: str = ""
    default: bool = False
    items: tuple[Item, ...] = ()

    @property
    def live(self) -> bool:
        """Whether it can be clicked."""
        return self.act is not Act.NOTHING or bool(self.items)


RULE: Final = Item("")
"""A line between groups."""


def menu(standing: Standing, at_login: bool) -> tuple[Item, ...]:
    """All of it. at_login: whether the icon comes by itself."""
    login = Item("Start at login", Act.NOT_AT_LOGIN if at_login else Act.START_AT_LOGIN, on=at_login)
    last = (Item("Show the log", Act.LOG), login, RULE, Item("Quit this icon", Act.QUIT))
    if standing.trouble is not None:
        return (Item("Nearloop is not running"), Item("Start it", Act.START, default=True), RULE, *last)
    switch = Act.ANYWHERE if standing.local_only else Act.LOCAL_ONLY
    models = tuple(_model(model) for _, model in sorted(standing.models.items()))
    return (
        *_waiting(standing),
        Item("Local-only: nothing leaves", switch, on=standing.local_only),
        Item("Models", items=models) if models else Item("No models"),
        Item(standing.day.line()),
        *(Item(words) for words in standing.day.limits()),
        RULE,
        Item("Open the dashboard", Act.DASHBOARD, default=True),
        *last,
    )


def _waiting(standing: Standing) -> tuple[Item, ...]:
    if not standing.waiting_count:
        return ()
    verb = "waits" if standing.waiting_count == 1 else "wait"
    return (Item(f"{standing.waiting_count} {verb} for your word…", Act.DASHBOARD), RULE)


def _model(model: wire.Model) -> Item:
    state = model.state if model.fraction is None else f"{model.state} {model.fraction:.0%}"
    where = f" on {model.device}" if model.device and model.state == "ready" else ""
    loaded = model.state in LOADED
    act = Act.UNLOAD if loaded else Act.LOAD
    return Item(f"{plain(model.name)} ({state}{where})", act, on=loaded, about=model.name.removeprefix("local/"))
