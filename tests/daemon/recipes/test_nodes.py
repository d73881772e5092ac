"""Trees without types."""

from __future__ import annotations

import pytest

from daemon.recipes.nodes import Items, Scalar, Table, is_nothing, node_of
from daemon.recipes.problems import Place


def test_of_plain_values() -> None:
    """Tables, lists and scalars keep their order and kind."""
    tree = node_of({"b": [1, 2.5, True], "a": None})

    assert isinstance(tree, Table)
    assert list(tree.values) == ["b", "a"]
    items = tree.values["b"]
    assert isinstance(items, Items)
    assert [each.value for each in items.values if isinstance(each, Scalar)] == [1, 2.5, True]
    assert is_nothing(tree.values["a"])
    with pytest.raises(TypeError):
        node_of({"a": object()})


def test_lists_and_tables_are_made_when_needed() -> None:
    """What is added to is there afterwards, and what was there stays."""
    table = Table(Place(1, 1))
    table.add("list", Scalar(1))
    table.add("list", Scalar(2))
    inner = table.table("inner", Place(2, 1))

    found = table.values["list"]
    assert isinstance(found, Items)
    assert len(found.values) == 2
    assert table.table("inner", Place(9, 9)) is inner
