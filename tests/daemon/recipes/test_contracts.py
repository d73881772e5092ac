"""Contracts of recipes, read."""

from __future__ import annotations

from daemon.recipes.contracts import Extract, OutputContract, Reference, contract_of


def test_upstream_s_example_is_read() -> None:
    """The one of its reference configuration; keys that say nothing here are left aside."""
    spec = {
        "type": "reference_selection",
        "reference": {"source": "candidate_responses", "id_format": "index"},
        "extract": {"mode": "exact", "sources": ("content",)},
        "postprocess": ({"type": "dereference_selected_reference"},),
    }

    assert contract_of(spec) == OutputContract(
        "reference_selection",
        reference=Reference("candidate_responses", "index"),
        extract=Extract("exact", ("content",)),
    )


def test_what_is_none() -> None:
    """A type that nobody knows, and no table, are no contract."""
    assert contract_of(None) is None
    assert contract_of({"type": "haiku"}) is None
    assert contract_of("choice") is None
