"""`nearloop-tray` in a bar of Wayland, where it is a StatusNotifierItem: seen, clicked and quit."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

import msgspec
import pytest

from daemon.paths import Paths
from tests.fakes.desktop import until
from tests.fakes.played_daemon import PlayedDaemon, playing, with_a_switch
from tests.fakes.told_records import receipt
from tests.fakes.wayland_desktop import MISSING, WaylandDesktop, wayland_desktop

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux" or bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
ICON = ("780", "16")
"""Where waybar has it: at the right end."""


@pytest.fixture
async def daemon(where: Paths) -> AsyncIterator[PlayedDaemon]:
    """Whose switch can be turned."""
    async with playing(with_a_switch(where)) as made:
        yield made


async def clicked_until(on: WaylandDesktop, heights: Iterable[int], condition: Callable[[], bool]) -> None:
    """Open the menu and click into it at the next height, until it is so."""

    def clicks() -> None:
        for height in heights:
            on.hand("mousemove", "300", "590", "click", "1", "sleep", "0.3", "mousemove", *ICON, "click", "1")
            on.hand("sleep", "0.7", "mousemove", "720", str(height), "sleep", "0.2", "click", "1", "sleep", "0.3")
            if condition():
                return
        pytest.fail("no line of the menu does it")

    await asyncio.to_thread(clicks)


async def test_a_bar_of_wayland_shows_it_and_its_menu_works(daemon: PlayedDaemon, home: Path, tmp_path: Path) -> None:
    """The item follows the daemon, its menu turns the switch and quits; a desktop without notifications is no reason to end."""
    (tmp_path / "desk").mkdir()
    with wayland_desktop(tmp_path / "desk") as on:
        if on.says(sys.executable, "-c", "from tui.tray.desktop import look; print(look().indicators)") != "True":
            pytest.skip("no PyGObject for this Python, or no AppIndicator")
        environment = {**on.environment, "NEARLOOP_HOME": str(home), "XDG_CONFIG_HOME": str(tmp_path / "xdg")}
        command = [*on.under, sys.executable, "-c", "from tui.tray.main import main; main()"]
        with subprocess.Popen(command, env=environment) as process:
            try:
                [item] = await asyncio.to_thread(until, on.icons)

                async def title(words: str) -> None:
                    await asyncio.to_thread(until, lambda: on.icon_title(item) == words)

                await title("Nearloop: idle")
                leaves = msgspec.structs.replace(receipt("r1", 41, {}), outcome=None)
                daemon.say("receipt", leaves, "r1")
                await title("Nearloop: something leaves this machine")
                daemon.say("receipt", receipt("r1", 41, {}), "r1")
                await title("Nearloop: idle")

                await clicked_until(on, range(34, 300, 12), lambda: "PUT privacy" in daemon.asked)
                await title("Nearloop: local-only, nothing leaves")
                await clicked_until(on, range(400, 34, -12), lambda: process.poll() is not None)
                assert process.returncode == 0
            finally:
                process.kill()
