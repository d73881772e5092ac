"""The picture of a request, in one column and in two."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_records import a_day, draft, escalated, record, with_pictures
from tests.tui.conftest import Opening, until
from tui.panels.registry import PANELS
from tui.widgets.corridor import Corridor, drawn


def test_wide_ones_have_two_columns() -> None:
    """All panels are there either way, in fewer lines."""
    told = replace(escalated(2), pictures=with_pictures(3).pictures)
    one, two = drawn(told, 100).plain, drawn(told, 180).plain

    for panel in PANELS[1:]:
        assert panel.title in one
        assert panel.title in two
    assert len(two.splitlines()) < len(one.splitlines())
    assert max(len(line) for line in two.splitlines()) <= 180


async def test_an_old_record_is_fetched(played: PlayedDaemon, opening: Opening) -> None:
    """One that isn't held here any more is asked for; one that is nowhere is said so."""
    async with opening(size=(200, 50)) as pilot:
        link: Any = pilot.app.link  # type: ignore[attr-defined]
        await until(pilot, lambda: len(link.picture.records) == len(a_day()))
        corridor = pilot.app.screen.query_one(Corridor)
        old = record(77, draft())
        played.answers[f"GET records/{old.id}"] = {"record": old}
        corridor.show(old.id)
        await until(pilot, lambda: old.id in str(corridor.query_one("#picture").render()))

        corridor.show("nowhere")
        await until(pilot, lambda: "there is nothing of that name" in str(corridor.query_one("#picture").render()))
