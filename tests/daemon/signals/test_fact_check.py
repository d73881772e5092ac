"""Whether an answer should be checked."""

from __future__ import annotations

import pytest

from tests.fakes.asking import looked
from tests.fakes.signal_parts import with_models

RECIPE = "SIGNAL fact_check needs_fact_check {} SIGNAL fact_check no_fact_check_needed {}"


@pytest.mark.parametrize(("text", "name"), [("who who", "needs_fact_check"), ("poem poem", "no_fact_check_needed")])
async def test_one_of_two_names(text: str, name: str) -> None:
    """With its probability."""
    seen = [each for each in await looked(RECIPE, text, parts=with_models()) if each.signal == "fact_check"]

    assert [each.name for each in seen] == [name]
    assert seen[0].score > 0.5
