"""Names that were meant."""

from __future__ import annotations

from daemon.recipes.suggestions import suggestion


def test_suggestions() -> None:
    """The nearest name, else what there is, else what to do."""
    assert suggestion("urgant", ["urgent", "other"]) == "did you mean `urgent`?"
    assert suggestion("xyz", ["urgent"], "it takes") == "it takes `urgent`"
    assert suggestion("xyz", []) == "there are none: define it"
    assert suggestion("zzz", map(str, range(20))).endswith("`11`, …")
