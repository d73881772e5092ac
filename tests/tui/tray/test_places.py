"""Where the icon is shown, and what is said where it can't be."""

from __future__ import annotations

from typing import Any

import pytest

from tui.tray.places import GNOME, NO_INDICATORS, NO_MENU, NO_PANEL, NO_SESSION, Desktop, Place, place

LIBRARIES: dict[str, Any] = {"indicators": True, "gtk": True}
ON_GNOME = frozenset({"ubuntu", "gnome"})


@pytest.mark.parametrize(
    ("desktop", "best"),
    [
        (Desktop("darwin"), Place("darwin")),
        (Desktop("win32"), Place("win32")),
        (Desktop("linux", wayland=True, watcher=True, **LIBRARIES), Place("appindicator")),
        (Desktop("linux", x=True, watcher=True, **LIBRARIES), Place("appindicator")),
        (Desktop("linux", x=True, tray=True, **LIBRARIES), Place("appindicator")),
        (Desktop("linux", x=True, tray=True, gtk=True), Place("gtk")),
        (Desktop("linux", x=True, tray=True), Place("xorg", NO_MENU)),
        (Desktop("linux", wayland=True, x=True, tray=True), Place("xorg", NO_MENU)),
        (Desktop("linux"), NO_SESSION),
        (Desktop("linux", **LIBRARIES), NO_SESSION),
        (Desktop("linux", wayland=True), NO_INDICATORS),
        (Desktop("linux", wayland=True, x=True, watcher=True, gtk=True), NO_INDICATORS),
        (Desktop("linux", wayland=True, x=True, names=ON_GNOME, **LIBRARIES), GNOME),
        (Desktop("linux", x=True, names=ON_GNOME), GNOME),
        (Desktop("linux", wayland=True, names=frozenset({"sway"}), **LIBRARIES), NO_PANEL),
        (Desktop("linux", x=True, **LIBRARIES), NO_PANEL),
    ],
)
def test_the_best_place(desktop: Desktop, best: Place | str) -> None:
    """An indicator where somebody shows it, else a window in X's tray, else what to do."""
    assert place(desktop) == best
