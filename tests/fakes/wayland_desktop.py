"""A Wayland desktop without a screen: sway in a window of an X server that is nobody's, and waybar with its tray.

What is clicked in the X server's window is clicked in sway. sway refuses to run as root: there it all runs in a user
namespace, where root is called 1000.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from tests.fakes.desktop import until

NEEDED = ("Xvfb", "dbus-daemon", "sway", "waybar", "xdotool", "unshare")
MISSING = [name for name in NEEDED if shutil.which(name) is None]
_BAR: Final = '{"layer": "top", "height": 32, "modules-right": ["tray"], "tray": {"icon-size": 24}}'
_WATCHER: Final = "from tui.tray.desktop import look; print(look().watcher)"
_AS_USER: Final = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]


class WaylandDesktop:
    """environment: for programs that run on it. under: what they are started by, if these tests are root's."""

    def __init__(self, environment: dict[str, str], under: list[str], display: str) -> None:
        self.environment = environment
        self.under = under
        self._x = {**environment, "DISPLAY": display}

    def says(self, *command: str) -> str:
        """What a program prints."""
        whole = [*self.under, *command]
        done = subprocess.run(whole, env=self.environment, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout.strip()

    def hand(self, *words: str) -> None:
        """What a hand does: xdotool's words."""
        subprocess.run(["xdotool", *words], env=self._x, check=True, timeout=60)

    def icons(self) -> list[str]:
        """Who has one in the tray: names on the bus."""
        told = self.says(
            *("dbus-send", "--session", "--print-reply", "--dest=org.kde.StatusNotifierWatcher"),
            *("/StatusNotifierWatcher", "org.freedesktop.DBus.Properties.Get"),
            *("string:org.kde.StatusNotifierWatcher", "string:RegisteredStatusNotifierItems"),
        )
        return [line.split('"')[1] for line in told.splitlines() if 'string "' in line]

    def icon_title(self, item: str) -> str:
        """What it is called: it says in words what the icon shows."""
        name, _, path = item.partition("/")
        told = self.says(
            *("dbus-send", "--session", "--print-reply", f"--dest={name}", f"/{path}"),
            *("org.freedesktop.DBus.Properties.Get", "string:org.kde.StatusNotifierItem", "string:Title"),
        )
        return told.partition('string "')[2].rstrip('"')


@contextmanager
def wayland_desktop(folder: Path) -> Iterator[WaylandDesktop]:
    """folder: of its own, for sockets and settings; no service that shows notifications, but one that fails at its start."""
    with ExitStack() as stack:
        under = _AS_USER if os.geteuid() == 0 else []

        def started(command: list[str], environment: dict[str, str], **more: Any) -> subprocess.Popen[str]:
            process = stack.enter_context(
                subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, text=True, **more)
            )
            stack.callback(process.kill)
            return process

        run, services = folder / "run", folder / "share" / "dbus-1" / "services"
        run.mkdir(mode=0o700)
        services.mkdir(parents=True)
        fails = "[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=/bin/false\n"
        (services / "org.freedesktop.Notifications.service").write_text(fails)
        (folder / "sway").write_text("output * resolution 800x600\n")
        (folder / "bar").write_text(_BAR)
        environment = {
            **os.environ,
            "XDG_RUNTIME_DIR": str(run),
            "XDG_DATA_HOME": str(folder / "share"),
            "NO_AT_BRIDGE": "1",
            "WLR_BACKENDS": "x11",
            "WLR_RENDERER": "pixman",
            "GDK_BACKEND": "wayland",
        }
        for name in ("WAYLAND_DISPLAY", "DISPLAY", "XDG_CURRENT_DESKTOP", "PYSTRAY_BACKEND", "SWAYSOCK"):
            environment.pop(name, None)
        screen = ["-noreset", "-screen", "0", "800x600x24"]
        server = started(["Xvfb", "-displayfd", "1", *screen], environment, stdout=subprocess.PIPE)
        assert server.stdout
        display = f":{server.stdout.readline().strip()}"
        bus = started(
            [*under, "dbus-daemon", "--session", "--nofork", "--print-address=1"], environment, stdout=subprocess.PIPE
        )
        assert bus.stdout
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        started([*under, "sway", "-c", str(folder / "sway")], {**environment, "DISPLAY": display})
        [socket] = until(lambda: [each.name for each in run.glob("wayland-?")])
        environment["WAYLAND_DISPLAY"] = socket
        made = WaylandDesktop(environment, under, display)
        started([*under, "waybar", "-c", str(folder / "bar")], environment, stdout=subprocess.DEVNULL)
        until(lambda: made.says(sys.executable, "-c", _WATCHER) == "True")
        yield made
