"""Secrets, by a recipe's rules and for the boundary."""

from __future__ import annotations

from tests.fakes.asking import looked, without_models

TOKEN = "token gh" + "p_" + "q7Zt2MvB9xKc4LwYp8RnD3sFhG6jTa5EuXk1"


async def test_a_key_is_seen_by_every_rule() -> None:
    """Of the family."""
    seen = await looked("SIGNAL secret keys {} SIGNAL secret more {}", TOKEN)

    assert {(each.signal, each.name, each.spans) for each in seen} == {("secret", "keys", ()), ("secret", "more", ())}


async def test_the_boundary_gets_each_place_once() -> None:
    """Under the family's own name."""
    seen = await looked("SIGNAL secret keys {}", TOKEN, parts=without_models(guard=True))

    assert [(each.name, len(each.spans)) for each in seen] == [("secret", 1), ("keys", 0)]
