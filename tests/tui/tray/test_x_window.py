"""The icon in a window of X's own: what it was told last is what a panel shows, whoever told it and whenever a panel came."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Final

import pytest
from PIL import Image, ImageColor

from tests.fakes.desktop import MISSING, Desktop, desktop, until
from tui.tray.icons import COLOURS
from tui.tray.states import State

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="panels of Linux"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
TOLD: Final = 300
"""How often the icon is told something. Of so many, one was always lost while two threads spoke to X."""
TOLD_BY_TWO: Final = """
import sys
from threading import Thread
from tui.tray.panel import Panel
from tui.tray.states import State

def tell(name):
    for number in range({times} // 2):
        panel.show(list(State)[number % 6], f"{{name}} {{number}}", ())

def begin():
    both = [Thread(target=tell, args=[name]) for name in "ab"]
    for one in both:
        one.start()
    for one in both:
        one.join()
    panel.show(State.LOCAL_ONLY, {title!r}, ())
    sys.stdin.read()
    panel.stop()

panel = Panel("xorg", print)
panel.run(begin)
"""


@contextmanager
def told(on: Desktop, title: str, times: int = 0) -> Iterator[subprocess.Popen[str]]:
    """An icon of local-only that was told other things before. It stops when its input ends."""
    command = [sys.executable, "-c", TOLD_BY_TWO.format(times=times, title=title)]
    with subprocess.Popen(command, env=on.environment, stdin=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def shows(on: Desktop, title: str, state: State) -> bool:
    """Whether it can be seen in a panel, in this state's colour."""
    window = on.window(title)
    x, display = import_module("Xlib.X"), import_module("Xlib.display").Display(on.environment["DISPLAY"])
    try:
        seen = display.create_resource_object("window", int(window or 0))
        place = seen.get_geometry()
        if seen.query_tree().parent == display.screen().root or seen.get_attributes().map_state != x.IsViewable:
            return False
        data = seen.get_image(0, 0, place.width, place.height, x.ZPixmap, 0xFFFFFFFF).data
    except import_module("Xlib.error").XError:  # it is just now taken in or out
        return False
    finally:
        display.close()
    picture = Image.frombytes("RGB", (place.width, place.height), data, "raw", "BGRX")
    return ImageColor.getrgb(COLOURS[state]) in [colour for _, colour in picture.getcolors(1 << 16) or []]


def test_what_is_told_last_is_shown() -> None:
    """By two threads, while the window's own draws what the panel asks for; and it goes when it is told to."""
    with desktop("trayer") as on, told(on, "Nearloop: last", TOLD) as process:
        until(lambda: shows(on, "Nearloop: last", State.LOCAL_ONLY), 30)
        process.communicate(timeout=30)
        assert process.returncode == 0
        assert on.window("Nearloop: last") is None


def test_a_title_in_any_letters() -> None:
    """A model's name may have them, and WM_NAME may not."""
    with desktop("trayer") as on, told(on, "Nearloop: модель can't be loaded") as process:
        until(lambda: "модель" in on.says("xdotool", "search", "--class", "nearloop", "getwindowname"), 30)
        assert process.poll() is None


def test_it_docks_wherever_a_panel_comes_up() -> None:
    """One that starts after the icon, and the next one when that is gone, without a word in between."""
    with desktop() as on, told(on, "Nearloop: here", 20) as process:
        until(lambda: on.window("Nearloop: here"), 30)
        for height in ("24", "40"):
            trayer = ["trayer", "--edge", "bottom", "--align", "right", "--height", height]
            with subprocess.Popen(trayer, env=on.environment, stderr=subprocess.DEVNULL) as panel:
                try:
                    until(lambda: shows(on, "Nearloop: here", State.LOCAL_ONLY), 30)
                finally:
                    panel.kill()
            until(lambda: not on.says("xdotool", "search", "--onlyvisible", "--name", "^Nearloop: here$"), 30)
        assert process.poll() is None
