"""What an answer says of itself."""

from __future__ import annotations

import pytest

from daemon.confidence.wording import hedges, refuses, repetition


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Paris.", 0),
        ("I’m not sure, but perhaps Paris.", 2),
        ("I think it might be Paris", 2),
        ("Ich bin mir nicht sicher.", 1),
        ("The mighty river probably froze", 1),
        ("Mayberry is a town", 0),
    ],
)
def test_hedges_are_counted(text: str, count: int) -> None:
    """Each taking-back counts once, with straight and curly apostrophes, and not inside other words."""
    assert hedges(text) == count


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("I'm sorry, but I can't help with that.", True),
        ("I cannot provide this.", True),
        ("Es tut mir leid, das geht nicht.", True),
        ("Cannot is written as one word.", False),
        ("He walked on. " * 20 + "I can't, he said.", False),
    ],
)
def test_refusals_stand_at_the_beginning(text: str, refused: bool) -> None:
    """Declining is an opening; later in a text the same words are somebody's speech."""
    assert refuses(text) is refused


def test_repetition_is_the_share_of_runs_that_came_before() -> None:
    """Circles are told by number, and short answers have none."""
    assert repetition("one two three") == 0.0
    assert repetition("one two three four five six") == 0.0
    assert repetition("the cat sat down " * 10) > 0.8
