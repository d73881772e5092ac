"""How hard a request is."""

from __future__ import annotations

import pytest

from tests.fakes.asking import looked, without_models
from tests.fakes.signal_parts import with_models

RECIPE = """
SIGNAL complexity reasoning {
  threshold: 0.1
  hard: { candidates: ["prove this theorem step by step", "analyze the root cause of this failure"] }
  easy: { candidates: ["say hello", "what time is it"] }
}
SIGNAL complexity trained { threshold: 0.2 hard: {} easy: {} }
"""


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("prove the theorem", {"reasoning": "hard", "trained": "hard"}),
        ("hello", {"reasoning": "easy", "trained": "easy"}),
        ("cell", {"reasoning": "medium", "trained": "medium"}),
    ],
)
async def test_levels(text: str, levels: dict[str, str]) -> None:
    """By a rule's examples, or by the head where it has none; the margin is the value, its size the score."""
    seen = [each for each in await looked(RECIPE, text, parts=with_models()) if each.signal == "complexity"]

    assert {each.name: each.label for each in seen} == levels
    assert all(each.value is not None and each.score == pytest.approx(min(1, abs(each.value))) for each in seen)


async def test_without_models_each_rule_says_so() -> None:
    """By itself."""
    seen = [each for each in await looked(RECIPE, "x") if each.signal == "complexity"]

    assert [(each.name, each.error, each.only) for each in seen] == [
        ("reasoning", "NoModel", True),
        ("trained", "NoModel", True),
    ]
    assert without_models().heads.has("complexity") is False
