"""The table: which columns are shown, where the cursor stays, and what a key or a click does."""

from __future__ import annotations

from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tests.fakes.screen_svg import screen_lines
from tui.themes import DARK
from tui.tones import Toned
from tui.widgets.grid import Column, Grid, Row, fitted

COLUMNS = (Column("One", 4), Column("Two", 6, rank=1, grows=1), Column("Three", 5, rank=2, right=True))


def rows(*keys: int) -> list[Row]:
    return [Row(str(key), (Toned(str(key)), Toned(f"two {key}", "good"), Toned("\x1b[1m"))) for key in keys]


class Table(App[None]):
    """One grid, and what it said."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, str]] = []
        self.register_theme(DARK)
        self.theme = DARK.name

    def compose(self) -> ComposeResult:
        yield Grid(COLUMNS)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {"muted": "#888888"}

    def on_grid_moved(self, moved: Grid.Moved) -> None:
        self.said.append(("moved", moved.key))

    def on_grid_chosen(self, chosen: Grid.Chosen) -> None:
        if not isinstance(chosen, Grid.Moved):
            self.said.append(("chosen", chosen.key))


def line(pilot: Pilot[Any], y: int) -> str:
    return pilot.app.query_one(Grid).render_line(y).text


def test_columns_go_by_rank_and_share_what_is_left() -> None:
    """The highest rank goes first, rank 0 never, and the rest of the room goes to those that grow."""
    assert fitted(COLUMNS, 40) == [(0, 4), (1, 6 + 40 - 19), (2, 5)]
    assert [index for index, _ in fitted(COLUMNS, 15)] == [0, 1]
    assert fitted(COLUMNS, 2) == [(0, 4)]


async def test_the_cursor_stays_with_its_row() -> None:
    """Rows that come above it don't move it to another; on the first place it stays with the newest."""
    app = Table()
    async with app.run_test(size=(40, 6)) as pilot:
        grid = app.query_one(Grid)
        grid.show(rows(3, 2, 1))
        grid.show(rows(4, 3, 2, 1))
        assert grid.key == "4"

        await pilot.press("down")
        assert grid.key == "3"
        grid.show(rows(*range(30, 0, -1)))
        assert grid.key == "3"
        grid.show(rows(9, 8))
        assert grid.key == "8"
        grid.show([])
        assert grid.key is None


async def test_the_row_with_the_cursor_stays_in_view() -> None:
    """When rows come above it, the eye finds it where it was."""
    app = Table()
    async with app.run_test(size=(40, 6)) as pilot:
        grid = app.query_one(Grid)
        grid.show(rows(*range(20, 0, -1)))
        await pilot.press("end")
        await pilot.pause()
        before = next(y for y in range(6) if line(pilot, y).startswith("▌"))
        grid.show(rows(*range(50, 0, -1)))
        await pilot.pause()

        assert grid.key == "1"
        assert line(pilot, before).startswith("▌ 1 ")


async def test_keys_move_and_choose() -> None:
    """Arrows, pages, ends, vi's letters, and enter."""
    app = Table()
    async with app.run_test(size=(40, 6)) as pilot:
        app.query_one(Grid).show(rows(*range(1, 21)))
        app.query_one(Grid).focus()
        seen = []
        for key in ("down", "j", "pagedown", "end", "up", "k", "pageup", "home", "G", "g", "enter"):
            await pilot.press(key)
            seen.append(app.query_one(Grid).key)

        assert seen == ["2", "3", "7", "20", "19", "18", "14", "1", "20", "1", "1"]
        await pilot.pause()
        assert app.said[-1] == ("chosen", "1")


async def test_a_click_moves_and_a_second_one_chooses() -> None:
    """The mouse does what the keys do."""
    app = Table()
    async with app.run_test(size=(40, 6)) as pilot:
        app.query_one(Grid).show(rows(1, 2, 3))
        await pilot.click(Grid, offset=(5, 2))
        await pilot.click(Grid, offset=(5, 2))
        await pilot.click(Grid, offset=(5, 0))
        await pilot.click(Grid, offset=(5, 5))
        await pilot.pause()

        assert app.said == [("moved", "1"), ("moved", "2"), ("chosen", "2")]


async def test_a_line_has_its_width_and_no_control_characters() -> None:
    """Cells are cut, filled and made plain."""
    app = Table()
    async with app.run_test(size=(40, 6)) as pilot:
        app.query_one(Grid).show(rows(1))
        await pilot.pause()

        assert {app.query_one(Grid).render_line(y).cell_length for y in range(6)} == {39}  # and the scroll bar's place
        assert "\x1b" not in line(pilot, 1)
        assert line(pilot, 1).rstrip().endswith("\\x1b…")


async def test_the_scroll_bar_hides_no_words() -> None:
    """With more rows than fit, the last column is as whole as with one."""
    app = Table()
    async with app.run_test(size=(40, 6)) as pilot:
        grid = app.query_one(Grid)
        grid.show([Row(str(key), (Toned("a"), Toned("b"), Toned("12345"))) for key in range(30)])
        await pilot.pause()

        assert grid.show_vertical_scrollbar
        assert all("12345" in "".join(part.text for part in line) for line in screen_lines(app)[1:])
