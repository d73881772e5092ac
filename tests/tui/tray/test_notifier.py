"""Notifications of a desktop that may have nobody who shows them."""

from __future__ import annotations

from typing import ClassVar

from tui.tray.notifier import patient


class Absent(Exception):
    """As GLib's error."""


class Shown:
    """Fails to begin, or to tell, as often as it is told to."""

    fails: ClassVar[list[str]] = []
    did: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self._may("begin")

    def _may(self, what: str) -> None:
        if what in self.fails:
            self.fails.remove(what)
            raise Absent
        self.did.append(what)

    def notify(self, title: str, message: str, icon: str) -> None:
        self._may(title)

    def hide(self) -> None:
        self._may("hide")


def test_it_waits_for_something_to_tell() -> None:
    """Nobody is looked for before; a service that fails is looked for again with the next one, and at the end it may be gone."""
    Shown.fails[:] = ["begin", "second", "hide"]
    Shown.did.clear()
    made = patient(Shown, Absent)()
    made.hide()
    assert Shown.did == []

    for title in ("first", "second", "third"):
        made.notify(title, "", "")
    made.hide()

    assert Shown.did == ["begin", "begin", "third"]
    assert not Shown.fails
