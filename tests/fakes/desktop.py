"""A desktop without a screen: an X server, a session bus, a panel with a tray and what shows notifications, if installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

NEEDED = ("Xvfb", "dbus-daemon", "trayer", "dunst", "dunstctl", "xdotool")
MISSING = [name for name in NEEDED if shutil.which(name) is None]


def until(condition: Callable[[], Any], timeout_s: float = 60.0) -> Any:
    """What it comes to, once that is something, or fail."""
    deadline = time.monotonic() + timeout_s
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return found


class Desktop:
    """environment: for programs that run on it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment

    def says(self, *command: str) -> str:
        """What a program prints."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout.strip()

    def window(self, title: str) -> str | None:
        """The icon's window, by its whole title."""
        return (self.says("xdotool", "search", "--name", f"^{title}$").split() or [None])[-1]

    def shown(self) -> int:
        """How many notifications there were."""
        told = self.says("dunstctl", "count")
        return sum(int(line.rpartition(":")[2]) for line in told.splitlines() if line)


@contextmanager
def desktop(*programs: str) -> Iterator[Desktop]:
    """programs: of `trayer` and `dunst`, which there are."""
    with ExitStack() as stack:

        def started(command: list[str], environment: dict[str, str], **more: Any) -> subprocess.Popen[str]:
            process = stack.enter_context(
                subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, text=True, **more)
            )
            stack.callback(process.kill)
            return process

        environment = {**os.environ, "NO_AT_BRIDGE": "1"}
        for name in ("WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "PYSTRAY_BACKEND"):
            environment.pop(name, None)
        screen = ["-noreset", "-screen", "0", "800x600x24"]  # else it closes all connections when the last client goes
        server = started(["Xvfb", "-displayfd", "1", *screen], environment, stdout=subprocess.PIPE)
        assert server.stdout
        environment["DISPLAY"] = f":{server.stdout.readline().strip()}"
        bus = started(
            ["dbus-daemon", "--session", "--nofork", "--print-address=1"], environment, stdout=subprocess.PIPE
        )
        assert bus.stdout
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        made = Desktop(environment)
        if "dunst" in programs:
            started(["dunst"], environment, stdout=subprocess.DEVNULL)
            until(lambda: made.says("dunstctl", "count"))
        if "trayer" in programs:
            started(["trayer", "--edge", "bottom", "--align", "right", "--height", "32"], environment)
            docks = "from tui.tray.desktop import look; print(look().tray)"
            until(lambda: made.says(sys.executable, "-c", docks) == "True")
        yield made
