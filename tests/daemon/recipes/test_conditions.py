"""Conditions in their one form."""

from __future__ import annotations

from hypothesis import given

from daemon.recipes.conditions import Branch, Condition, Leaf, canonical, leaves
from tests.fakes.recipes import CONDITIONS


@given(CONDITIONS)
def test_the_one_form_keeps_all_leaves_in_order(condition: Condition) -> None:
    """Only joints of one part go."""
    made = canonical(condition)

    assert list(leaves(made)) == list(leaves(condition))
    assert canonical(made) == made


def test_on_unknown_stays() -> None:
    """It belongs to the root, whatever becomes of the joints."""
    leaf = Leaf(type="pii", name="p")
    inner = Branch(operator="NOT", conditions=(leaf,))

    made = canonical(Branch(operator="AND", conditions=(inner,), on_unknown="match"))

    assert made == Branch(operator="NOT", conditions=(leaf,), on_unknown="match")
