"""A caller's own hints."""

from __future__ import annotations

import pytest

from tests.fakes.asking import looked

RECIPE = """
SIGNAL metadata denied { key: "consent" predicate: { equals: "denied" } }
SIGNAL metadata some { key: "tier" predicate: { in: ["gold", "silver"] } }
SIGNAL metadata there { key: "trace" predicate: { exists: true } }
SIGNAL metadata missing { key: "trace" predicate: { exists: false } }
"""


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ({"consent": "denied", "tier": "gold", "trace": ""}, {"denied", "some", "there"}),
        ({"consent": "given", "tier": "lead"}, {"missing"}),
        ({"consent": 1}, {"missing"}),
        ({"trace": "x" * 1025}, {"missing"}),
        ({f"k{n}": "v" for n in range(33)} | {"trace": "x"}, {"missing"}),
        ("consent=denied", {"missing"}),
        (None, {"missing"}),
    ],
)
async def test_tests_of_hints(metadata: object, names: set[str]) -> None:
    """What is not text, or beyond upstream's bounds, is no hint."""
    seen = await looked(RECIPE, "hello", extras={"metadata": metadata})

    assert {each.name for each in seen if each.signal == "metadata"} == names
