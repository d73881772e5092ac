"""The user's own words: added, warned of, removed."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from daemon import wire
from tests.fakes.told_privacy import ToldPrivacy
from tests.tui.conftest import until
from tests.tui.screens.privacy.test_page import pilot, told  # noqa: F401  # fixtures
from tui.screens.ask import Ask


@pytest.mark.parametrize(("key", "kind"), [("a", "term"), ("p", "person"), ("O", "organization"), ("h", "harmless")])
async def test_words_are_added(pilot: Pilot[None], told: ToldPrivacy, key: str, kind: str) -> None:  # noqa: F811
    """Each kind has a key; several words stand with commas between them."""
    await pilot.press("right", "right", key, *"falcon, tannhauser", "enter")
    await until(pilot, lambda: len(told.words) == 6)

    assert [(each.word, each.kind) for each in told.words[4:]] == [("falcon", kind), ("tannhauser", kind)]


async def test_an_everyday_word_is_warned_of(pilot: Pilot[None]) -> None:  # noqa: F811
    """What follows is said, and how it is taken back."""
    await pilot.press("right", "right", "a", *"orders", "enter")
    await until(pilot, lambda: len(pilot.app._notifications) == 2)

    assert any("everyday word" in notice.message for notice in pilot.app._notifications)


async def test_nothing_is_added_by_esc_or_of_blanks(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """The question goes, and nothing was sent."""
    await pilot.press("right", "right", "a", *" , ,", "enter")
    await pilot.press("a", *"falcon", "escape")
    await pilot.pause()

    assert not isinstance(pilot.app.screen, Ask)
    assert "POST dictionary" not in told.daemon.asked


async def test_a_word_is_removed_after_a_yes(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """The one with the cursor; no leaves it."""
    await pilot.press("right", "right", "down", "d", "n")
    await pilot.pause()
    assert len(told.words) == 4
    await pilot.press("d", "y")
    await until(pilot, lambda: len(told.words) == 3)

    assert wire.OwnWord("Ostwerk", "organization") not in told.words
