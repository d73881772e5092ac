"""Preferences."""

from __future__ import annotations

import pytest

from tests.fakes.asking import observed
from tests.fakes.signal_parts import with_models

RECIPE = """
SIGNAL preference terse { examples: ["keep it concise", "answer in one sentence"] THRESHOLD }
SIGNAL preference code { description: "Wants Python code and nothing else." THRESHOLD }
"""


@pytest.mark.parametrize(
    ("text", "threshold", "name"),
    [
        ("please keep your answer short and concise", "", "terse"),
        ("give me the Python code only", "", "code"),
        ("give me the Python code only", "threshold: 0.99", None),
    ],
)
async def test_the_nearest_matches(text: str, threshold: str, name: str | None) -> None:
    """If it reaches its threshold."""
    seen = await observed(RECIPE.replace("THRESHOLD", threshold), text, parts=with_models())

    assert [each.name for each in seen if each.signal == "preference" and each.matched] == ([name] if name else [])
