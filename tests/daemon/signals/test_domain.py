"""Fields of knowledge."""

from __future__ import annotations

import pytest

from daemon.signals.domain import chosen
from tests.fakes.asking import looked, observed
from tests.fakes.signal_parts import with_models

RECIPE = """
SIGNAL domain maths { mmlu_categories: ["math", "physics"] }
SIGNAL domain biology {}
SIGNAL domain rest { mmlu_categories: ["other"] }
"""


@pytest.mark.parametrize(("text", "name"), [("theorem theorem", "maths"), ("cell cell", "biology"), ("alice", "rest")])
async def test_the_field_of_a_request(text: str, name: str) -> None:
    """One, and `other` if no field is sure enough; rules name fields, or are called like one."""
    seen = await observed(RECIPE, text, parts=with_models())

    assert [each.name for each in seen if each.signal == "domain" and each.matched] == [name]
    assert sum(each.value or 0 for each in seen if each.signal == "domain") <= 1.0001


def test_the_most_probable_field_is_chosen() -> None:
    """Also with less than an even chance, down to a third; `other` if it is as probable as any."""
    assert chosen({"math": 0.6, "other": 0.1}) == ("math", 0.6)
    assert chosen({"math": 0.4, "law": 0.3, "other": 0.1}) == ("math", 0.4)
    assert chosen({"math": 0.4, "law": 0.1, "other": 0.4}) == ("other", 0.4)
    assert chosen({"math": 0.3, "law": 0.2, "other": 0.1}) == ("other", 0.1)


async def test_without_the_head_the_family_says_so() -> None:
    """And no rule matches."""
    seen = [each for each in await looked(RECIPE, "x") if each.signal == "domain"]

    assert [(each.name, each.error) for each in seen] == [("domain", "NoModel")]
