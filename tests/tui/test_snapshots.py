"""How each screen looks, in three sizes and two themes, held to pictures that somebody looked at."""

from __future__ import annotations

import difflib
import os
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from textual.pilot import Pilot

from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.screen_svg import svg, words
from tests.fakes.told_records import START
from tests.tui.conftest import Opening, until
from tests.tui.shots import SHOTS, WAIT, Shot
from tui.registry import SCREENS
from tui.screens.away import Away

FOLDER: Final = Path(__file__).parent / "snapshots"
SIZES: Final = ((80, 24), (120, 40), (200, 60))
LOOKS: Final = ("dark", "light")
AWAY: Final = "away"
"""What isn't in the table, since no daemon is played for it."""
MOST_BYTES: Final = 1_600_000


_MARKED: Final = [shot if shot.name == "live" else pytest.param(shot, marks=pytest.mark.slow) for shot in SHOTS]


async def settled(pilot: Pilot[Any]) -> str:
    """The picture, once it doesn't change any more."""
    before = ""
    while (now := svg(pilot.app)) != before:
        before = now
        await pilot.pause(0.02)
    return now


@pytest.mark.parametrize("shot", _MARKED, ids=lambda shot: shot.name)
async def test_it_looks_as_it_did(shot: Shot, played: PlayedDaemon, opening: Opening, tmp_path: Path) -> None:
    """Every line of the picture is the one that was looked at."""
    shot.prepare(played)
    async with opening(size=SIZES[0], theme=LOOKS[0]) as pilot:
        link: Any = pilot.app.link  # type: ignore[attr-defined]
        link.now = lambda: START + timedelta(minutes=4)
        await until(pilot, lambda: len(link.picture.records) == len(played.records))
        for key in shot.keys:
            if waits := key.removeprefix(WAIT) if key.startswith(WAIT) else "":
                await until(pilot, lambda words_of=waits: words_of in words(pilot.app))  # type: ignore[misc]
            else:
                await pilot.press(key)
        await until(pilot, lambda: shot.ready in words(pilot.app))
        for field in pilot.app.screen.query("Input, TextArea"):
            field.cursor_blink = False  # type: ignore[attr-defined]
        different = await looked_at(pilot, shot.name, tmp_path)

    assert not different, "\n".join(different)


async def test_it_looks_so_without_a_daemon(opening: Opening, tmp_path: Path) -> None:
    """What stands in front then, in all sizes and themes."""
    async with opening(size=SIZES[0], theme=LOOKS[0]) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, Away))
        different = await looked_at(pilot, AWAY, tmp_path)

    assert not different, "\n".join(different)


async def looked_at(pilot: Pilot[Any], name: str, folder: Path) -> list[str]:
    """What is not as it was, in each size and look."""
    different = []
    for size in SIZES:
        await pilot.resize_terminal(*size)
        for look in LOOKS:
            pilot.app.theme = f"nearloop-{look}"
            different += held(f"{name}-{size[0]}-{look}.svg", await settled(pilot), folder)
    return different


def held(name: str, now: str, folder: Path) -> list[str]:
    """What is not as it was; nothing if it is, or if it is to be written."""
    kept = FOLDER / name
    if os.environ.get("NEARLOOP_SNAPSHOTS") == "write":
        kept.write_text(now, encoding="utf-8")
    before = kept.read_text(encoding="utf-8") if kept.exists() else ""
    if before == now:
        return []
    (folder / name).write_text(now, encoding="utf-8")
    changes = list(
        difflib.unified_diff(before.splitlines(), now.splitlines(), name, str(folder / name), lineterm="", n=0)
    )
    return changes[:12]


def test_each_screen_has_a_picture() -> None:
    """A new screen is looked at before it is merged, and no picture is left of one that is gone."""
    assert {entry.name for entry in SCREENS} <= {shot.name.partition("-")[0] for shot in SHOTS}
    names = [AWAY, *(shot.name for shot in SHOTS)]
    wanted = {f"{name}-{width}-{look}.svg" for name in names for width, _ in SIZES for look in LOOKS}
    assert {path.name for path in FOLDER.iterdir()} == wanted


def test_the_pictures_stay_small() -> None:
    """All of them together."""
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES
