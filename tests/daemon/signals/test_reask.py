"""Asking the same again."""

from __future__ import annotations

import pytest

from tests.fakes.asking import looked, without_models
from tests.fakes.signal_parts import with_models

RECIPE = "SIGNAL reask once { threshold: 0.8 } SIGNAL reask twice { lookback_turns: 2 }"
AGAIN = ("how do I reset my password?", "How can I reset my password?")


@pytest.mark.parametrize(
    ("turns", "names"),
    [
        (AGAIN, ["once"]),
        ((*AGAIN, "how do i reset my password"), ["twice"]),
        (("what a day", *AGAIN), ["once"]),
        ((AGAIN[0], "prove the theorem", AGAIN[1]), []),
        (AGAIN[:1], []),
        ((), []),
    ],
)
async def test_a_streak_of_turns_that_are_like_the_last(turns: tuple[str, ...], names: list[str]) -> None:
    """Of several rules that match the one that looks back farthest counts."""
    seen = [each for each in await looked(RECIPE, *turns, parts=with_models()) if each.signal == "reask"]

    assert [each.name for each in seen] == names
    assert all(0.8 <= each.score <= 1 for each in seen)


async def test_the_same_words_need_no_model() -> None:
    """They are the same."""
    seen = [each for each in await looked(RECIPE, "x y", "x y ", parts=without_models()) if each.signal == "reask"]

    assert [(each.name, each.score) for each in seen] == [("once", 1.0)]


async def test_without_a_model_nothing_is_known() -> None:
    """The family says so."""
    seen = [each for each in await looked(RECIPE, "x", "y") if each.signal == "reask"]

    assert [(each.name, each.error) for each in seen] == [("reask", "NoModel")]
