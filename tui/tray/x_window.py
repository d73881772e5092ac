"""An icon in a window of X's own, where pystray has no library that draws one: in its own size, on what is behind it.

python-xlib (0.33) loses an answer if two threads use one connection: one asks for a window's size, another reads the answer
while it sends a message, and the first waits for ever. pystray (0.19.5) does just that: other threads send its window a
message to have something done. Here they put down what is to be done and wake the window's thread: that alone speaks to X.
"""

from __future__ import annotations

import os
import queue
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, Final

from PIL import Image

PARENT_RELATIVE: Final = 1
"""X's number for a background that is the parent window's."""


class _Wishes:
    """What other threads want done by the one that waits here."""

    def __init__(self) -> None:
        self._wanted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._rung, self._bell = os.pipe()  # open for as long as the process is, since a wish may come after the end
        os.set_blocking(self._bell, False)

    def put(self, do: Callable[[], None]) -> None:
        """Have it done soon, in the order of asking."""
        self._wanted.put(do)
        with suppress(BlockingIOError):  # so many rings wait already
            os.write(self._bell, b"!")

    def wait(self, other: Any) -> None:
        """Until there is one, or the other can be read."""
        ready, _, _ = select.select([self._rung, other], [], [])
        if self._rung in ready:
            os.read(self._rung, 4096)

    def do(self) -> None:
        """All that there are."""
        with suppress(queue.Empty):
            while True:
                self._wanted.get_nowait()()


def fitted(base: Any, drawn: Callable[[int], Image.Image]) -> Any:
    """pystray's icon of X (0.19.5), which else stretches a picture over black, has a handler for clicks but doesn't ask the
    server for them, and misses a panel that comes later. drawn: the picture for a size.
    """

    class Fitted(base):  # type: ignore[misc]
        _systray_manager: Any

        def __init__(self, *given: Any) -> None:
            self._wishes = _Wishes()
            super().__init__(*given)
            x = import_module("Xlib.X")
            self._window.change_attributes(
                event_mask=x.ExposureMask | x.StructureNotifyMask | x.ButtonPressMask, background_pixmap=PARENT_RELATIVE
            )
            root = self._display.screen().root
            root.change_attributes(event_mask=x.StructureNotifyMask)  # where a panel says that it came
            self._manager = self._display.intern_atom("MANAGER")
            self._message_handlers[x.ClientMessage] = self._on_client_message
            self._message_handlers[x.DestroyNotify] = self._on_destroy_notify

        def _rewrite_implementation(self, *methods: Callable[[], None]) -> None:
            for method in methods:  # which others call
                setattr(self, method.__name__, partial(self._wishes.put, method))

        def _run(self) -> None:
            self._thread = threading.current_thread()  # which pystray sets after others may ask for it
            super()._run()

        def _events(self) -> Iterator[Any]:
            while True:
                while self._display.pending_events():
                    yield self._display.next_event()
                self._wishes.do()
                self._display.sync()  # or some of it would wait for the next event to be sent
                if not self._display.pending_events():
                    self._wishes.wait(self._display)

        def _assert_docked(self) -> None:
            """Once in each panel: pystray asks again for every picture, and calls it an error if there is no panel."""
            if self._systray_manager is None:
                self._dock_window()

        def _on_client_message(self, event: Any) -> None:
            if event.client_type != self._manager or not self.visible:
                return
            _, selection, owner, *_ = event.data[1]
            known = self._systray_manager is not None and self._systray_manager.id == owner
            if selection == self._net_system_tray_sx and not known:
                self._dock_window()

        def _on_destroy_notify(self, event: Any) -> None:
            if self._systray_manager is not None and event.window.id == self._systray_manager.id:
                self._systray_manager = None
                self._window.unmap()  # or it would lie about on the desktop
                self._window.reparent(self._display.screen().root, 0, 0)
                self._dock_window()

        def _update_title(self) -> None:
            name, utf8 = (self._display.intern_atom(atom) for atom in ("_NET_WM_NAME", "UTF8_STRING"))
            self._window.change_text_property(name, utf8, self.title)
            self._window.set_wm_name(self.title.encode("latin-1", "replace"))

        def _assert_icon_data(self, width: int, height: int) -> None:
            size = max(8, min(width, height))
            picture, small = _behind(self._window, width, height), drawn(size)
            picture.paste(small, ((width - size) // 2, (height - size) // 2), small)
            picture.tostring = picture.tobytes  # as python-xlib calls it
            self._icon_data = picture

    return Fitted


def _behind(window: Any, width: int, height: int) -> Image.Image:
    """The panel's own look at this place; black where it can't be told."""
    x, error = import_module("Xlib.X"), import_module("Xlib.error")
    try:
        window.clear_area(0, 0, width, height)
        seen = window.get_image(0, 0, width, height, x.ZPixmap, 0xFFFFFFFF)
    except error.XError:
        return Image.new("RGB", (width, height))
    if len(seen.data) != 4 * width * height:
        return Image.new("RGB", (width, height))
    return Image.frombytes("RGB", (width, height), seen.data, "raw", "BGRX")
