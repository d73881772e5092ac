"""A plot: its title, its columns and its times."""

from __future__ import annotations

from textual.app import App, ComposeResult

from tui.widgets.plot import Plot


class Drawn(App[None]):
    """One plot."""

    def compose(self) -> ComposeResult:
        yield Plot("Requests", id="plot")


async def test_it_fills_its_place() -> None:
    """The newest value stands at the right, the highest reaches the top, and no line is too long."""
    app = Drawn()
    async with app.run_test(size=(22, 6)) as pilot:
        plot = app.query_one(Plot)
        assert plot.values == 20
        plot.draw([0.0] * 19 + [2.0], [0.0] * 19 + [4.0], "■ here ■ beyond and more", "Fri 03:00", "03:08")
        await pilot.pause()
        lines = plot.render().plain.splitlines()

        assert lines[0] == "Requests  ■ here ■ b"
        assert [line[-1] for line in lines[1:-1]] == ["█"] * 4
        assert lines[-1] == "Fri 03:00      03:08"
        assert {len(line) for line in lines} == {20}


async def test_both_values_have_their_colour() -> None:
    """What is below and what stands on it are told apart, in the legend too."""
    app = Drawn()
    async with app.run_test(size=(22, 6)) as pilot:
        plot = app.query_one(Plot)
        plot.draw([1.0], [4.0], "■ here ■ beyond", "", "")
        await pilot.pause()
        styles = [str(span.style) for span in plot.render().spans]

        assert styles.count("$success") == 2  # of the legend, and the lowest row
        assert styles.count("$secondary") == 4  # of the legend, and three rows
