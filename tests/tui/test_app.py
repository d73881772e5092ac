"""What works on every screen: tabs, keys, palette, themes, the switch, and a daemon that comes and goes."""

from __future__ import annotations

from typing import Any

import pytest

from daemon import wire
from daemon.paths import Paths
from tests.fakes.played_daemon import PlayedDaemon, playing
from tests.tui.conftest import Opening, until
from tui.app import Dashboard
from tui.registry import SCREENS
from tui.screens.away import Away
from tui.screens.confirm import Confirm
from tui.screens.help import Help
from tui.themes import THEMES
from tui.widgets.topbar import TopBar


@pytest.mark.parametrize("entry", SCREENS, ids=lambda entry: entry.name)
async def test_each_screen_opens_by_its_key(entry: Any, played: PlayedDaemon, opening: Opening) -> None:
    """The key in the table brings the screen to the front."""
    async with opening() as pilot:
        await pilot.press(entry.key)
        await pilot.pause()

        assert pilot.app.current_mode == entry.name


def test_no_two_screens_share_a_key_or_a_name() -> None:
    """The table is one of different things."""
    assert len({entry.key for entry in SCREENS}) == len({entry.name for entry in SCREENS}) == len(SCREENS)


async def test_a_tab_is_clicked(played: PlayedDaemon, opening: Opening) -> None:
    """A click on a tab opens its screen."""
    async with opening() as pilot:
        bar = pilot.app.screen.query_one(TopBar)
        column = str(bar.render()).index(SCREENS[1].key)
        await pilot.click(TopBar, offset=(column, 0))
        await pilot.pause()

        assert pilot.app.current_mode == SCREENS[1].name


async def test_help_lists_the_keys(played: PlayedDaemon, opening: Opening) -> None:
    """`?` opens the page of help, and esc closes it."""
    async with opening() as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Help)
        shown = "\n".join(str(each.render()) for each in pilot.app.screen.query("Static"))
        assert all(entry.about in shown for entry in SCREENS)
        assert "Next theme" in shown

        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, Help)


async def test_the_palette_has_every_screen(played: PlayedDaemon, opening: Opening) -> None:
    """What a key does, the palette does."""
    async with opening() as pilot:
        await pilot.press("ctrl+p", *"overview")
        await pilot.pause(0.5)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.current_mode == "overview")

        titles = {command.title for command in pilot.app.get_system_commands(pilot.app.screen)}
        assert {entry.title for entry in SCREENS} <= titles


async def test_themes_follow_each_other(played: PlayedDaemon, opening: Opening) -> None:
    """A key walks through our themes, and comes back."""
    async with opening() as pilot:
        seen = []
        for _ in THEMES:
            await pilot.press("ctrl+t")
            seen.append(pilot.app.theme)

        assert sorted(seen) == sorted(theme.name for theme in THEMES)
        assert seen[-1] == THEMES[0].name


async def test_another_ones_theme_works(played: PlayedDaemon, opening: Opening) -> None:
    """Our variables have values in themes that don't know them."""
    async with opening() as pilot:
        pilot.app.theme = "nord"
        await pilot.pause()

        assert pilot.app.get_css_variables()["muted"]


async def test_local_only_goes_on_at_once_and_off_after_a_yes(played: PlayedDaemon, opening: Opening) -> None:
    """Keeping things here takes one key; letting them leave takes a word."""
    sent = []

    def put(body: dict[str, Any]) -> wire.Privacy:
        sent.append(body["local_only"])
        return wire.Privacy(body["local_only"], "balanced")

    played.answers["PUT privacy"] = put
    async with opening() as pilot:
        picture = pilot.app.link.picture  # type: ignore[attr-defined]
        await pilot.press("ctrl+l")
        await until(pilot, lambda: picture.local_only)
        await pilot.press("ctrl+l")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("n")
        await pilot.pause()
        assert sent == [True]

        await pilot.press("ctrl+l", "y")
        await until(pilot, lambda: not picture.local_only)
        assert sent == [True, False]


async def test_a_refusal_is_shown_in_the_daemons_words(played: PlayedDaemon, opening: Opening) -> None:
    """A call that the daemon refuses becomes a notice, and the dashboard goes on."""
    played.refusals["PUT privacy"] = "the disk is [full]"
    async with opening() as pilot:
        await pilot.press("ctrl+l")
        await until(pilot, lambda: len(pilot.app._notifications) > 0)

        assert [notice.message for notice in pilot.app._notifications] == ["the disk is [full]"]


async def test_a_missing_daemon_is_a_calm_screen_that_goes_by_itself(where: Paths, opening: Opening) -> None:
    """It says what to run, lets one look around, and goes when the daemon is there; a daemon that ends brings it back."""
    async with opening() as pilot:
        assert isinstance(pilot.app.screen, Away)
        shown = "\n".join(str(each.render()) for each in pilot.app.screen.query("Static"))
        assert "nearloop up" in shown

        async with playing(PlayedDaemon(where)):
            await until(pilot, lambda: not isinstance(pilot.app.screen, Away))
        await until(pilot, lambda: isinstance(pilot.app.screen, Away), timeout_s=40)


async def test_one_may_look_around_without_a_daemon(where: Paths, opening: Opening) -> None:
    """esc puts the calm screen away, and q quits from it."""
    async with opening() as pilot:
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.current_mode == SCREENS[0].name
        assert not isinstance(pilot.app.screen, Away)

        await pilot.press("q")
    assert pilot.app.return_code == 0


async def test_no_colour_is_obeyed(monkeypatch: pytest.MonkeyPatch, where: Paths) -> None:
    """With NO_COLOR every colour of a screen is a grey."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = Dashboard(where)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.link.trouble is not None)
        colours = {
            style.color.triplet
            for line in app.screen._compositor.render_strips()
            for _, style, _ in line.apply_filter(app._filters[-1], app.screen.background_colors[1])
            if style is not None and style.color is not None and style.color.triplet is not None
        }

    assert colours
    assert all(each.red == each.green == each.blue for each in colours)
