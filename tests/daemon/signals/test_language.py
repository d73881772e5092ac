"""The language of what the user said last."""

from __future__ import annotations

import pytest

from tests.fakes.asking import observed


@pytest.mark.parametrize(("threshold", "matched"), [("", True), ("threshold: 0", True), ("threshold: 1", False)])
async def test_a_rule_is_called_like_its_language(threshold: str, matched: bool) -> None:
    """And may ask for more sureness than 0.3."""
    recipe = f"SIGNAL language de {{ {threshold} }} SIGNAL language en {{}}"
    seen = [each for each in await observed(recipe, "hallo du, wie geht es") if each.signal == "language"]

    assert [(each.name, each.matched) for each in seen] == [("de", matched)]
