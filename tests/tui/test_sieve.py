"""Searches and quick choices."""

from __future__ import annotations

import pytest

from tests.fakes.told_records import a_day, with_pictures
from tui.sieve import QUICK, is_local, wanted

DAY = a_day()


def found(text: str) -> list[int]:
    return [number for number, record in enumerate(DAY, 1) if wanted(text)(record)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", list(range(1, 13))),
        ("client:zed", [4, 8, 12]),
        ("ZED", [4, 8, 12]),
        ("left:masked", [2, 11]),
        ("found:secret", [3]),
        ("slow:3", [4, 12]),
        ("slow:3s -client:zed", []),
        ("slow:", list(range(1, 13))),
        ("outcome:refused", [8]),
        ("error:budget", [8]),
        ("by:big-model left:open", [4, 5, 9]),
        ("rule:hard_code", [2, 11]),
        ("model:nearloop/", [10]),
        ("nobody", []),
    ],
)
def test_a_search_takes_words_and_fields(text: str, numbers: list[int]) -> None:
    """All words have to be there; a field looks in its place alone; a minus turns a word around."""
    assert found(text) == numbers


def test_quick_choices() -> None:
    """Each choice is what its name says."""
    chosen = {name: [number for number, record in enumerate(DAY, 1) if test(record)] for name, test in QUICK.items()}

    assert chosen["all"] == list(range(1, 13))
    assert chosen["left"] == [2, 4, 5, 9, 11]
    assert chosen["escalated"] == [2, 5, 11]
    assert chosen["not answered"] == [7, 8]
    assert sorted(chosen["left"] + chosen["stayed"]) == chosen["all"]


def test_what_this_machine_answered() -> None:
    """Local is what this machine answered, not what it was asked for."""
    assert [number for number, record in enumerate(DAY, 1) if is_local(record)] == [1, 3, 6, 10, 12]


@pytest.mark.parametrize(
    ("text", "held"), [("picture:identity", True), ("picture:too-large", True), ("picture:chart", False)]
)
def test_pictures_are_found_by_kind(text: str, held: bool) -> None:
    """And by why nobody could look."""
    assert wanted(text)(with_pictures(1)) is held
