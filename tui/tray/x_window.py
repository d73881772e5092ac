"""An icon in a window of X's own, where pystray has no library that draws one: in its own size, on what is behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from PIL import Image

PARENT_RELATIVE: Final = 1
"""X's number for a background that is the parent window's."""


def fitted(base: Any, drawn: Callable[[int], Image.Image]) -> Any:
    """pystray's icon of X (0.19.5), which else stretches a picture over black, and has a handler for clicks but doesn't ask
    the server for them. drawn: the picture for a size.
    """

    class Fitted(base):  # type: ignore[misc]
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            x = import_module("Xlib.X")
            self._window.change_attributes(
                event_mask=x.ExposureMask | x.StructureNotifyMask | x.ButtonPressMask, background_pixmap=PARENT_RELATIVE
            )
            self._display.flush()

        def _run(self) -> None:
            self._thread = threading.current_thread()  # which pystray sets after others may ask for it
            super()._run()

        def _update_title(self) -> None:
            super()._update_title()
            self._display.flush()  # or it would wait for the next event

        def _draw(self) -> None:
            super()._draw()
            self._display.flush()

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
