"""Kinds of work."""

from __future__ import annotations

import pytest

from tests.fakes.asking import observed
from tests.fakes.signal_parts import with_models

RECIPE = "SIGNAL task_shape math {} SIGNAL task_shape writing { threshold: 1 } SIGNAL task_shape unknown {}"


@pytest.mark.parametrize(("text", "names"), [("theorem theorem", ["math"]), ("poem", []), ("hello", [])])
async def test_the_most_probable_kind(text: str, names: list[str]) -> None:
    """If it is sure enough; a rule that is called like no kind never matches."""
    seen = [each for each in await observed(RECIPE, text, parts=with_models()) if each.signal == "task_shape"]

    assert [each.name for each in seen if each.matched] == names
    assert {each.name for each in seen} == {"math", "writing"}
