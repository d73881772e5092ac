"""Two schemas that hold at once, written as one where that can be done: what stands beside `anyOf` and in it.

Each of the two judges members and items by what it declares itself, so such keywords can't simply be put together.
"""

from __future__ import annotations

from typing import Any

from edge_models.engines.base import BadSchema


def merged(one: dict[str, Any], other: Any, matters: frozenset[str]) -> Any:
    """A schema for what fits both. matters: the keywords that count. Raises BadSchema where there is none."""
    if not one or other is True:
        return one or other
    both = dict(one)
    if (_closes(one) and "properties" in other) or (_closes(other) and "properties" in one):
        raise BadSchema(
            "an answer can't be held to `additionalProperties` here and `properties` elsewhere: write them as one"
        )
    if ("items" in one and "prefixItems" in other) or ("items" in other and "prefixItems" in one):
        raise BadSchema("an answer can't be held to `items` here and `prefixItems` elsewhere: write them as one")
    for key in set(other) & matters:
        if key not in both or both[key] == other[key]:
            both[key] = other[key]
        elif key == "required":
            both[key] = [*both[key], *other[key]]
        elif key == "properties" and not set(both[key]) & set(other[key]):
            both[key] = both[key] | other[key]
        else:
            raise BadSchema(
                f"an answer can't be held to `{key}` twice, beside `anyOf`, `oneOf`, `allOf` or `$ref` and in it"
            )
    return both


def _closes(schema: dict[str, Any]) -> bool:
    """Whether it says something of members that it doesn't name itself."""
    return schema.get("additionalProperties", True) is not True or "patternProperties" in schema
