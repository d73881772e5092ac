"""The folders of models that training reads."""

from __future__ import annotations

from edge_models.heads.manifest import read_manifest
from edge_models.training.shipped import shipped


def test_models_that_are_shipped_are_found() -> None:
    """By the name of their folder; what isn't shipped is nowhere."""
    folder = shipped("signals")
    assert folder is not None
    assert "complexity" in {head.name for head in read_manifest(folder).heads}
    assert shipped("nothing") is None
