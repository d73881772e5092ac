"""Answers to what waits."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.fakes.told_privacy import ToldPrivacy, asked
from tests.tui.conftest import until
from tests.tui.screens.privacy.test_page import pilot, told  # noqa: F401  # fixtures
from tui.screens.confirm import Confirm
from tui.screens.privacy import approvals
from tui.widgets.detail import Detail
from tui.widgets.grid import Grid


def words(pilot: Pilot[Any]) -> str:  # noqa: F811
    return str(pilot.app.screen.query_one("#approvals Detail Static").render())


def grid(pilot: Pilot[Any]) -> Grid:  # noqa: F811
    return pilot.app.screen.query_one("#approvals Grid", Grid)


def notices(pilot: Pilot[Any]) -> list[str]:  # noqa: F811
    return [notice.message for notice in pilot.app._notifications]


async def test_the_very_words_and_what_would_stand_instead(pilot: Pilot[None]) -> None:  # noqa: F811
    """Who decides sees both, how long there is yet, and which key says what."""
    shown = words(pilot)

    assert "ada@quellbrunn.example  ◐ tim.ravel@ostwerk.example" in shown
    assert "42.0 s left" in shown
    assert "A  let it leave, for good" in shown


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("y", {"answer": "allow", "scope": "once"}),
        ("m", {"answer": "mask", "scope": "once"}),
        ("n", {"answer": "deny", "scope": "once"}),
        ("s", {"answer": "allow", "scope": "session"}),
    ],
)
async def test_a_key_answers(
    pilot: Pilot[None],  # noqa: F811
    told: ToldPrivacy,  # noqa: F811
    key: str,
    said: dict[str, str],
) -> None:
    """It answers what the cursor stands on, which is gone then."""
    await pilot.press(key)
    await until(pilot, lambda: len(grid(pilot).rows) == 1)

    assert told.answered == [("q1", said)]
    assert grid(pilot).key == "q2"


async def test_for_good_takes_a_yes(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """It names who and whereto; no is no answer at all."""
    await pilot.press("A")
    await pilot.pause()
    assert isinstance(pilot.app.screen, Confirm)
    await pilot.press("n")
    await pilot.pause()
    assert told.answered == []
    await pilot.press("A", "y")
    await until(pilot, lambda: told.answered == [("q1", {"answer": "allow", "scope": "project"})])


async def test_what_cant_be_said_is_explained(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """A call with a secret can't leave masked, and who has no token can't be known again."""
    await pilot.press("down", "m", "A")
    await until(pilot, lambda: len(notices(pilot)) == 2)

    assert told.answered == []
    assert "can't leave masked" in notices(pilot)[0]
    assert "no token" in notices(pilot)[1]


async def test_a_yes_is_never_taken_by_another_question(
    pilot: Pilot[None],  # noqa: F811
    told: ToldPrivacy,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where one is over just before the key, the next one comes to stand there: it isn't answered unread."""
    monkeypatch.setattr(approvals, "SETTLE_S", 60.0)
    told.over("q1")
    await until(pilot, lambda: grid(pilot).key == "q2")
    await pilot.press("y")
    await pilot.pause()
    assert told.answered == []
    assert "look again" in notices(pilot)[0]

    await pilot.press("n")
    await until(pilot, lambda: told.answered == [("q2", {"answer": "deny", "scope": "once"})])


async def test_enter_answers_nothing(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """It goes to the words, which may be longer than their place."""
    await pilot.press("enter")
    await pilot.pause()

    assert isinstance(pilot.app.focused, Detail)
    assert told.answered == []


async def test_nothing_waits(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """It says so, keys do nothing, and what comes then is there."""
    for id in ("q1", "q2"):
        told.over(id)
    await until(pilot, lambda: "Nothing waits" in words(pilot))
    await pilot.press("y", "m", "A")
    told.ask(asked("q9"))
    await until(pilot, lambda: grid(pilot).key == "q9")

    assert told.answered == []
