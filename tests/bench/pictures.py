"""Draws the pictures of the documentation: the dashboard, before a daemon that is played, and the panel's icons.

uv run python tests/bench/pictures.py
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import msgspec  # noqa: E402

from daemon.paths import paths  # noqa: E402
from tests.fakes import told_wall  # noqa: E402
from tests.fakes.played_daemon import PlayedDaemon, playing  # noqa: E402
from tests.fakes.screen_svg import svg, words  # noqa: E402
from tests.fakes.told_records import START, a_busy_hour, escalated  # noqa: E402
from tui.app import Dashboard  # noqa: E402
from tui.tray.icons import icon  # noqa: E402
from tui.tray.states import State  # noqa: E402

FOLDER: Final = ROOT / "docs" / "pictures"
PICTURES: Final = (
    ("tui-live", (172, 40), (), "answered by"),
    ("tui-request", (120, 64), ("enter",), "Receipts"),
    ("tui-wall", (132, 34), ("enter", "w"), "verified"),
    ("tui-overview", (120, 36), ("2",), "not sure enough"),
)
"""Name, size, keys that lead there, and words that stand on it then."""
ICON_SIZE: Final = 32
"""In pixels; an even number of them for each of a panel's 16."""


def draw_icons() -> None:
    """On nothing, so that a page's own colour shows through."""
    for state in State:
        icon(state, ICON_SIZE).save(FOLDER / f"tray-{state.name.lower().replace('_', '-')}.png", optimize=True)


async def draw_dashboard() -> None:
    """Its screens."""
    last = START + timedelta(minutes=60)
    newest = escalated(2)
    async with playing(PlayedDaemon(paths(), a_busy_hour())) as daemon:
        app = Dashboard(paths(), "dark")
        app.animation_level = "none"
        app.link.now = lambda: last
        async with app.run_test(size=PICTURES[0][1]) as pilot:
            while not app.link.picture.records:
                await pilot.pause(0.05)
            ended = msgspec.structs.replace(newest, id="7d1f0ac95be24e63", at=last - timedelta(seconds=3), client="zed")
            told_wall.play_one(daemon, ended)
            daemon.say("record", ended, ended.id)
            for name, size, keys, ready in PICTURES:
                await pilot.resize_terminal(*size)
                await pilot.press("1", "escape", *keys)
                async with asyncio.timeout(30):
                    while ready not in words(app) or ended.id not in app.link.picture.records:
                        await pilot.pause(0.05)
                await pilot.pause(1.5)
                (FOLDER / f"{name}.svg").write_text(svg(app), encoding="utf-8")


def main() -> None:
    """Under a home of their own, in one time zone."""
    FOLDER.mkdir(exist_ok=True)
    draw_icons()
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"NEARLOOP_HOME": home, "TZ": "UTC"}
        time.tzset()
        asyncio.run(draw_dashboard())


if __name__ == "__main__":
    main()
