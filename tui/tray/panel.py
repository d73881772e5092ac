"""The icon in the panel, as pystray shows it: the one module that knows pystray."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

from tui.tray.icons import icon
from tui.tray.menu import RULE, Item
from tui.tray.notices import Notice
from tui.tray.notifier import patient
from tui.tray.places import Backend
from tui.tray.states import State
from tui.tray.x_window import fitted

SIZES: Final = {"darwin": 44, "win32": 64}
"""In pixels: 22 points of a Mac's sharp screen; the largest that Windows asks for. Others: 48, which halves to 24."""


class Panel:
    """Shows what it is told, from any thread. clicked: is called with the item, on the panel's own thread."""

    def __init__(self, backend: Backend, clicked: Callable[[Item], None]) -> None:
        os.environ["PYSTRAY_BACKEND"] = backend
        self._pystray: Any = import_module("pystray")  # which looks for its backend, and opens it
        if backend in ("appindicator", "gtk"):
            told = import_module("pystray._util.notify_dbus")
            told.Notifier = patient(told.Notifier, told.GLib.Error)  # type: ignore[attr-defined]
        self._clicked = clicked
        self._items: tuple[Item, ...] = ()
        self._state = State.STOPPED
        self._size = SIZES.get(sys.platform, 48)
        self._lock = threading.Lock()
        menu = self._pystray.Menu(self._lines)
        made = self._pystray.Icon
        if backend == "xorg":
            made = fitted(made, lambda size: icon(self._state, size))
        self._icon: Any = made("nearloop", icon(self._state, self._size), "Nearloop", menu)

    def run(self, shown: Callable[[], None]) -> None:
        """Until `stop`, on the main thread. shown: is called on another one, once `show` can be."""

        def begin(_: Any) -> None:
            self._icon.visible = True
            shown()

        self._icon.run(begin)

    def stop(self) -> None:
        """Take it away."""
        self._icon.stop()

    def show(self, state: State, title: str, items: tuple[Item, ...]) -> None:
        """Paint what is different from before."""
        with self._lock:
            if state is not self._state:
                self._state = state
                self._icon.icon = icon(state, self._size)
            if title != self._icon.title:
                self._icon.title = title
            if items != self._items:
                self._items = items
                self._icon.update_menu()

    def notify(self, notice: Notice) -> None:
        """Tell the user, by the desktop's own means."""
        if self._icon.HAS_NOTIFICATION:
            self._icon.notify(notice.text, notice.title)
        elif path := shutil.which("notify-send"):
            command = [path, "--app-name=Nearloop", "--", notice.title, notice.text]
            subprocess.run(command, check=False, capture_output=True, timeout=10)

    def _lines(self) -> Iterator[Any]:
        return self._made(self._items)

    def _made(self, items: tuple[Item, ...]) -> Iterator[Any]:
        menu, line = self._pystray.Menu, self._pystray.MenuItem
        for item in items:
            if item == RULE:
                yield menu.SEPARATOR
            elif item.items:
                yield line(item.words, menu(*self._made(item.items)))
            else:
                ticked = None if item.on is None else _always(item.on)
                yield line(item.words, self._act(item), checked=ticked, default=item.default, enabled=item.live)

    def _act(self, item: Item) -> Callable[[Any, Any], None]:
        return lambda icon, line: self._clicked(item)


def _always(value: bool) -> Callable[[Any], bool]:
    return lambda line: value
