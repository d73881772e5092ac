"""What is remembered of how the dashboard looked."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot

from daemon.paths import Paths
from tests.fakes.played_daemon import PlayedDaemon
from tests.tui.conftest import Opening, until
from tui.app import Dashboard
from tui.looks import Looks, keep, recalled

LIGHT = "nearloop-light"


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    """In a file and a folder for this user alone, with nothing left beside it."""
    file = tmp_path / "state" / "dashboard.json"
    keep(file, Looks("nord"))
    keep(file, Looks(LIGHT))

    assert recalled(file) == Looks(LIGHT)
    assert list(file.parent.iterdir()) == [file]
    if sys.platform != "win32":
        assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"theme": 3}', b'"light"', b"\xff\xfe", b'{"theme": "\xff"}', b'{"x":' + b"[" * 200_000],
)
def test_a_broken_file_is_as_if_there_was_none(tmp_path: Path, content: bytes) -> None:
    """So is one that is missing, and a folder in its place."""
    file = tmp_path / "dashboard.json"
    assert recalled(file) == Looks()
    file.write_bytes(content)
    assert recalled(file) == Looks()
    assert recalled(tmp_path) == Looks()


def test_what_a_later_version_keeps_is_left_alone(tmp_path: Path) -> None:
    """Fields that this one doesn't know are no fault."""
    (tmp_path / "x").write_text(f'{{"theme": "{LIGHT}", "font": 3}}')
    assert recalled(tmp_path / "x").theme == LIGHT


async def chosen(pilot: Pilot[None], theme: str) -> None:
    """By the key that takes the next one."""
    while pilot.app.theme != theme:
        await pilot.press("ctrl+t")
    await pilot.pause()


async def test_the_chosen_theme_comes_back(played: PlayedDaemon, opening: Opening, where: Paths) -> None:
    """At the next start, unless another one is asked for, which is not remembered; what looking alone writes is nothing."""
    async with opening(theme=None) as pilot:
        assert pilot.app.theme == "nearloop-dark"
        assert not where.looks.exists()
        await chosen(pilot, LIGHT)
    async with opening(theme="contrast") as pilot:
        assert pilot.app.theme == "nearloop-contrast"
    async with opening(theme=None) as pilot:
        assert pilot.app.theme == LIGHT
        pilot.app.theme = "nord"  # as the palette's list of all themes does
        await pilot.pause()
    assert Dashboard(where).theme == "nord"


async def test_a_theme_that_is_none_is_the_default(where: Paths) -> None:
    """Of a file that somebody wrote by hand, or another version."""
    keep(where.looks, Looks("no-such-theme"))
    assert Dashboard(where).theme == "nearloop-dark"


async def test_no_color_wins(
    played: PlayedDaemon, opening: Opening, where: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over what was remembered, which is there again when the variable is gone."""
    keep(where.looks, Looks(LIGHT))
    monkeypatch.setenv("NO_COLOR", "1")
    async with opening(theme=None) as pilot:
        assert pilot.app.theme == "nearloop-plain"
        await chosen(pilot, "nearloop-dark")
    monkeypatch.delenv("NO_COLOR")
    assert Dashboard(where).theme == LIGHT


async def test_a_folder_that_cant_be_written_is_told(played: PlayedDaemon, opening: Opening, where: Paths) -> None:
    """The theme changes all the same."""
    where.state.parent.mkdir(parents=True, exist_ok=True)
    where.state.write_text("a file in the way")
    with pytest.raises(FileExistsError):
        keep(where.looks, Looks(LIGHT))
    async with opening(theme=None) as pilot:
        await chosen(pilot, LIGHT)
        await until(pilot, lambda: any("can't be remembered" in each.message for each in pilot.app._notifications))
