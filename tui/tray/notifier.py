"""Notifications where pystray asks the desktop by D-Bus: a desktop that shows none has its icon all the same.

pystray (0.19.5) looks for who shows them before there is an icon, and says good-bye to them at the end: where the service is
missing or fails at its start, the first ends the program, and the second its end.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any


def patient(base: Any, failure: type[Exception]) -> Any:
    """pystray's notifier, made when there is something to tell, and again after a failure. failure: GLib's error."""

    class Patient:
        def __init__(self) -> None:
            self._made: Any = None

        def notify(self, title: str, message: str, icon: str) -> None:
            try:
                if self._made is None:
                    self._made = base()
                self._made.notify(title, message, icon)
            except failure:
                self._made = None  # the icon and the menu say it as well

        def hide(self) -> None:
            if self._made is not None:
                with suppress(failure):
                    self._made.hide()

    return Patient
