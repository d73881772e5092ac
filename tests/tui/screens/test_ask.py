"""A question that takes a line."""

from __future__ import annotations

from textual.widgets import Input

from daemon.paths import Paths
from tui.app import Dashboard
from tui.screens.ask import Ask


async def test_a_secret_is_never_shown(where: Paths) -> None:
    """What is typed comes back trimmed, and stands nowhere on the screen; esc gives nothing, and so does an empty line."""
    given: list[str | None] = []
    app = Dashboard(where)
    async with app.run_test() as pilot:
        await app.push_screen(Ask("The key", "Where it lies", secret=True), given.append)
        await pilot.press("enter", *" hush1 ")
        assert "hush1" not in app.export_screenshot()
        assert "hush1" in app.screen.query_one(Input).value
        await pilot.press("enter")
        await pilot.pause()
        await app.push_screen(Ask("Again"), given.append)
        await pilot.press("escape")
        await pilot.pause()

    assert given == ["hush1", None]
