"""Where an icon can be shown on this desktop, and what is missing where it can't."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Backend = Literal["appindicator", "gtk", "xorg", "darwin", "win32"]
"""As pystray names them."""

EXTRA: Final = (
    "the icon needs two packages more: uv tool install 'nearloop[tray]', or pip install 'nearloop[tray]' where Nearloop "
    "was installed with pip"
)
NO_SESSION: Final = "there is no graphical session here: start it from your desktop, or use `nearloop tui`"
NO_INDICATORS: Final = (
    "this Wayland session shows icons of AppIndicator alone, and the library for that is missing: "
    "install python3-gi and gir1.2-ayatanaappindicator3-0.1 (Debian, Ubuntu), python3-gobject and "
    "libayatana-appindicator-gtk3 (Fedora), or python-gobject and libayatana-appindicator (Arch), or pip install "
    "pygobject beside Nearloop. "
    "`nearloop tui` needs none of it"
)
GNOME: Final = (
    "GNOME shows no icons by itself: install its extension AppIndicator and KStatusNotifierItem Support "
    "(gnome-shell-extension-appindicator) and log in anew. `nearloop tui` needs none of it"
)
NO_PANEL: Final = (
    "no panel of this desktop takes icons: add a tray to yours, or start one such as trayer, stalonetray or waybar. "
    "`nearloop tui` needs none of it"
)
NO_MENU: Final = (
    "shown without a menu, and a click opens the dashboard: with python3-gi and gir1.2-ayatanaappindicator3-0.1 "
    "(Debian's names) it would have one"
)


class Desktop(Struct, frozen=True):
    """What there is. platform: sys.platform. wayland: whether the session is Wayland's; x: whether an X server answers.

    names: of the desktop, in small letters. indicators, gtk: whether these libraries can be loaded. watcher: whether
    somebody shows StatusNotifierItems; tray: whether somebody docks windows of X's system tray.
    """

    platform: str
    wayland: bool = False
    x: bool = False
    names: frozenset[str] = frozenset()
    indicators: bool = False
    gtk: bool = False
    watcher: bool = False
    tray: bool = False


class Place(Struct, frozen=True):
    """Where to show it. remark: what the user should know of it."""

    backend: Backend
    remark: str | None = None


def place(desktop: Desktop) -> Place | str:
    """The best place, or what to do to have one."""
    if desktop.platform == "darwin":
        return Place("darwin")
    if desktop.platform == "win32":
        return Place("win32")
    if not desktop.wayland and not desktop.x:
        return NO_SESSION
    if desktop.indicators and (desktop.watcher or desktop.tray):
        return Place("appindicator")
    if desktop.tray and desktop.x:
        return Place("gtk") if desktop.gtk else Place("xorg", NO_MENU)
    if desktop.watcher or (desktop.wayland and not desktop.indicators and "gnome" not in desktop.names):
        return NO_INDICATORS
    return GNOME if "gnome" in desktop.names else NO_PANEL
