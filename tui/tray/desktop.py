"""Looks at the desktop: which libraries can be loaded, and who shows icons."""

from __future__ import annotations

import os
import sys
import sysconfig
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tui.tray.places import Desktop

_SYSTEMS: Final = (
    "/usr/lib/python3/dist-packages",
    sysconfig.get_path("platlib", vars={"base": "/usr", "platbase": "/usr"}),
)
"""Where Debian and the others keep Python's libraries for the system's own Python."""
_WATCHER: Final = "org.kde.StatusNotifierWatcher"


def look() -> Desktop:
    """All of it, as it is now."""
    if sys.platform in ("darwin", "win32"):
        return Desktop(sys.platform)
    gi = _gi()
    return Desktop(
        platform=sys.platform,
        wayland=bool(os.environ.get("WAYLAND_DISPLAY")),
        x=_x_answers(),
        names=frozenset(part.lower() for part in os.environ.get("XDG_CURRENT_DESKTOP", "").split(":") if part),
        indicators=gi is not None and any(_has(gi, name) for name in ("AyatanaAppIndicator3", "AppIndicator3")),
        gtk=gi is not None and _has(gi, "Gtk", "3.0"),
        watcher=gi is not None and _watched(),
        tray=_docks(),
    )


def _gi() -> Any:
    """PyGObject: of this environment, or of the system, if that was made for this very Python."""
    try:
        return import_module("gi")
    except ImportError:
        pass
    for folder in _SYSTEMS:
        if any((Path(folder) / "gi").glob(f"_gi.{sysconfig.get_config_var('SOABI')}.so")):
            sys.path.append(folder)  # behind our own, which stay what they are
            try:
                return import_module("gi")
            except ImportError:
                sys.path.remove(folder)
    return None


def _has(gi: Any, name: str, version: str = "0.1") -> bool:
    try:
        gi.require_version(name, version)
    except ValueError:
        return False
    return True


def _watched() -> bool:
    """Whether somebody on the session's bus shows StatusNotifierItems."""
    gio, glib = import_module("gi.repository.Gio"), import_module("gi.repository.GLib")
    try:
        bus = gio.bus_get_sync(gio.BusType.SESSION, None)
        asked = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner")
        told = bus.call_sync(*asked, glib.Variant("(s)", (_WATCHER,)), None, gio.DBusCallFlags.NONE, 2000, None)
    except glib.Error:
        return False
    return bool(told.unpack()[0])


def _x_answers() -> bool:
    display = _display()
    if display is not None:
        display.close()
    return display is not None


def _docks() -> bool:
    """Whether somebody owns the selection of X's system tray protocol."""
    display = _display()
    if display is None:
        return False
    try:
        atom = display.intern_atom(f"_NET_SYSTEM_TRAY_S{display.get_default_screen()}")
        return bool(display.get_selection_owner(atom))
    finally:
        display.close()


def _display() -> Any:
    if not os.environ.get("DISPLAY"):
        return None
    from Xlib import display, error  # of pystray's; only where there is an X server

    try:
        return display.Display()
    except (error.DisplayError, OSError):
        return None
