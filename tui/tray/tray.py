"""The icon's owner: paints how things stand, and does what is clicked."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final, Protocol

from daemon.client import Client
from tui.link import TROUBLE, Link
from tui.tray import notices, programs
from tui.tray.follower import Follower
from tui.tray.login import Login
from tui.tray.menu import Act, Item, menu
from tui.tray.notices import Notice
from tui.tray.standing import Standing
from tui.tray.states import State

LOAD_S: Final = 5.0
"""How long an answer is waited for: how it goes on is told by events."""


class Shows(Protocol):
    """Something with an icon, a menu and notifications."""

    def show(self, state: State, title: str, items: tuple[Item, ...]) -> None:
        """Paint what is different from before."""

    def notify(self, notice: Notice) -> None:
        """Tell the user."""

    def stop(self) -> None:
        """Take the icon away."""


class Tray:
    """Speaks to the daemon on an event loop in a thread of its own, since a panel wants the main one for itself."""

    def __init__(self, link: Link, login: Login, start: Callable[[list[str]], object] = programs.start) -> None:
        self.link = link
        self.standing = Standing(lambda: link.now().astimezone().date())
        self.login = login
        self._start = start
        self._panel: Shows | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="nearloop-tray", daemon=True)

    def begin(self, panel: Shows) -> None:
        """Follow the daemon, and show it there."""
        self._panel = panel
        self._thread.start()
        self._loop.call_soon_threadsafe(self._paint, [])
        self._soon(Follower(self.link, self.standing, self._paint).run())

    def end(self) -> None:
        """Follow no more."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()

    def clicked(self, item: Item) -> None:
        """Do what it says. Called on the panel's thread, which goes on at once."""
        if item.act is Act.QUIT and self._panel is not None:
            self._panel.stop()
            return
        self._soon(self._do(item))

    async def _do(self, item: Item) -> None:
        try:
            match item.act:
                case Act.LOCAL_ONLY:
                    await self._told(lambda client: client.set_local_only(True))
                case Act.ANYWHERE:
                    await self._told(lambda client: client.set_local_only(False))
                case Act.LOAD:
                    await self._told(lambda client: client.load_model(item.about, LOAD_S))
                case Act.UNLOAD:
                    await self._told(lambda client: client.unload_model(item.about))
                case Act.START_AT_LOGIN | Act.NOT_AT_LOGIN:
                    self.login.turn(item.act is Act.START_AT_LOGIN)
                    self._paint([])
                case Act.START:
                    self._start(programs.nearloop("up", "-d"))
                case Act.DASHBOARD:
                    self._open(programs.in_terminal(programs.nearloop("tui"), sys.platform, os.environ), "a terminal")
                case Act.LOG:
                    self._open(programs.shows(str(self.link.paths.log), sys.platform), "what shows files (xdg-open)")
        except (*TROUBLE, OSError) as trouble:
            self._notify(notices.failed(str(trouble)))
            self._paint([])

    async def _told(self, what: Callable[[Client], Any]) -> None:
        await self.link.call(what)

    def _open(self, command: list[str] | None, needed: str) -> None:
        if command is None:
            self._notify(notices.failed(f"{needed} was not found: install one"))
        else:
            self._start(command)

    def _paint(self, told: list[Notice]) -> None:
        if self._panel is None:
            return
        now = self.link.now()
        items = menu(self.standing, self.login.on)
        self._panel.show(self.standing.state(now), self.standing.title(now), items)
        for notice in told:
            self._notify(notice)

    def _notify(self, notice: Notice) -> None:
        if self._panel is not None:
            self._panel.notify(notice)

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop)


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
