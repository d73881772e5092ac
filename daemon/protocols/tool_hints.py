"""What MCP clients say of a tool's effects, where they pass it on: the member `annotations` beside its schema."""

from __future__ import annotations

from typing import Any

from providers.contract import Hints


def hints_of(*given: Any) -> Hints | None:
    """Of the first that is an object; None where nothing of it is a hint. It is a claim of the tool's maker and in no
    protocol's own form, so what doesn't fit is passed over.
    """
    said = next((each for each in given if isinstance(each, dict)), {})
    found = [
        value if isinstance(value := said.get(name), bool) else None
        for name in ("readOnlyHint", "destructiveHint", "openWorldHint")
    ]
    return None if found == [None] * len(found) else Hints(*found)
