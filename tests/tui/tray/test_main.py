"""`nearloop-tray` in a real panel: seen, clicked and quit; and what it says where there is none."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import pytest
from filelock import FileLock

from daemon.paths import Paths
from tests.fakes.desktop import MISSING, Desktop, desktop, until
from tests.fakes.played_daemon import PlayedDaemon, playing, with_a_switch
from tests.fakes.told_records import receipt
from tui.tray.places import EXTRA, NO_PANEL, NO_SESSION

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="panels of Linux")
on_a_desktop = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
TRAY: Final = "from tui.tray.main import main; main()"
WITHOUT: Final = "import sys; sys.modules[{name!r}] = None; "


@contextmanager
def shown(on: Desktop, home: Path, hidden: str = "") -> Iterator[subprocess.Popen[str]]:
    """The icon's process. hidden: a library that it can't have."""
    code = WITHOUT.format(name=hidden) + TRAY if hidden else TRAY
    environment = {**on.environment, "NEARLOOP_HOME": str(home), "XDG_CONFIG_HOME": str(home / "xdg")}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def refused(home: Path, environment: dict[str, str], code: str = TRAY) -> tuple[int, str]:
    """Exit status and words of an icon that can't be shown."""
    environment = {**environment, "NEARLOOP_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr.strip()


@pytest.fixture
async def daemon(where: Paths) -> AsyncIterator[PlayedDaemon]:
    """Whose switch can be turned."""
    async with playing(with_a_switch(where)) as made:
        yield made


@on_a_desktop
async def test_a_real_panel_shows_it_and_its_menu_works(daemon: PlayedDaemon, home: Path) -> None:
    """The icon follows the daemon; its menu turns the switch and quits; of two calls of the cloud one is told."""
    with desktop("trayer", "dunst") as on, shown(on, home) as process:
        if on.says(sys.executable, "-c", "from tui.tray.desktop import look; print(look().indicators)") != "True":
            pytest.skip("no PyGObject for this Python, or no AppIndicator: hence no menu")

        async def title(words: str) -> str:
            found: str = await asyncio.to_thread(until, lambda: on.window(words))
            return found

        window = await title("Nearloop: idle")
        leaves = msgspec.structs.replace(receipt("r1", 41, {}), outcome=None)
        daemon.say("receipt", leaves, "r1")
        await title("Nearloop: something leaves this machine")
        assert await asyncio.to_thread(until, on.shown) == 1
        for number in (41, 42):
            daemon.say("receipt", msgspec.structs.replace(leaves, number=number), "r1")
            daemon.say("receipt", receipt("r1", number, {}), "r1")
        await title("Nearloop: idle")
        assert on.shown() == 1

        on.says("xdotool", "mousemove", "--window", window, "10", "10", "click", "1")
        await asyncio.to_thread(until, lambda: on.says("xdotool", "search", "--onlyvisible", "--class", "menu") or 1)
        async with asyncio.timeout(60):
            while "PUT privacy" not in daemon.asked:
                await asyncio.to_thread(on.says, "xdotool", "key", "Down", "Return")
        await title("Nearloop: local-only, nothing leaves")
        on.says("xdotool", "mousemove", "--window", window, "10", "10", "click", "1")
        async with asyncio.timeout(60):
            while process.poll() is None:
                await asyncio.to_thread(on.says, "xdotool", "key", "Up", "Return")
        assert process.returncode == 0


@on_a_desktop
async def test_without_its_library_a_click_opens_the_dashboard(
    daemon: PlayedDaemon, home: Path, tmp_path: Path
) -> None:
    """A panel of X alone shows it as well, and what would give it a menu is said."""
    told = tmp_path / "told"
    terminal = tmp_path / "bin" / "xdg-terminal-exec"
    terminal.parent.mkdir()
    terminal.write_text(f'#!/bin/sh\necho "$@" > {told}\n')
    terminal.chmod(0o700)
    with desktop("trayer") as on:
        on.environment["PATH"] = f"{terminal.parent}:{os.environ['PATH']}"
        with shown(on, home, hidden="gi") as process:
            window = await asyncio.to_thread(until, lambda: on.window("Nearloop: idle"))
            while not told.exists() or not told.read_text():
                on.says("xdotool", "mousemove", "--window", window, "10", "10", "click", "1")
            assert told.read_text().split()[-1] == "tui"
            process.terminate()
            assert process.stderr
            assert "shown without a menu" in process.stderr.read()


@on_a_desktop
def test_a_desktop_without_a_panel(home: Path) -> None:
    """It says what to add, and exits with 1."""
    with desktop() as on:
        status, said = refused(home, on.environment)

    assert (status, said) == (1, f"nearloop-tray: {NO_PANEL}")


def test_no_desktop_at_all(home: Path) -> None:
    """As over SSH."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}

    assert refused(home, environment) == (1, f"nearloop-tray: {NO_SESSION}")


@pytest.mark.parametrize("name", ["pystray", "PIL"])
def test_without_the_extra(name: str, home: Path) -> None:
    """What is to be installed is said, though nothing of it can be imported."""
    code = (
        f"import importlib.util as u; real = u.find_spec; u.find_spec = lambda n, *a: None if n == {name!r} else real(n, *a); {TRAY}"
    )  # fmt: skip

    assert refused(home, dict(os.environ), code) == (1, f"nearloop-tray: {EXTRA}")


def test_there_is_one_icon(home: Path, where: Paths) -> None:
    """A second one says so, with a status of its own."""
    where.data.mkdir(parents=True)
    with FileLock(where.tray_lock):
        assert refused(home, dict(os.environ)) == (3, "nearloop-tray: there is an icon already")
