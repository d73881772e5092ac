"""What a recipe says of its embedder."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.recipes.embedder import Embedder, embedder_of


def said(**config: Any) -> dict[str, Any]:
    return {"model_catalog": {"embeddings": {"semantic": {"embedding_config": config}}}}


@pytest.mark.parametrize(
    ("global_", "embedder"),
    [
        (None, Embedder()),
        ({}, Embedder()),
        (said(), Embedder()),
        (said(model_type="mmbert", min_score_threshold=0.45, top_k=1), Embedder(related=0.45)),
        (said(min_score_threshold=0), Embedder(related=0.5)),
        (said(enable_soft_matching=False), Embedder(soft=False)),
        (said(model_type="bert"), Embedder(ours=True)),
        (said(min_score_threshold="high"), Embedder()),
        ({"model_catalog": []}, Embedder()),
    ],
)
def test_what_a_file_says(global_: object, embedder: Embedder) -> None:
    """Upstream's defaults where it says nothing that can be read."""
    assert embedder_of(global_) == embedder


@pytest.mark.parametrize(("model", "ours"), [("BAAI/bge-m3", False), ("sentence-transformers/all-MiniLM-L6-v2", True)])
def test_a_remote_one(model: str, ours: bool) -> None:
    """Its name tells whether it is of our kind."""
    global_ = said(model_type="remote")
    global_["model_catalog"]["embeddings"]["semantic"]["endpoint"] = {"model": model}

    assert embedder_of(global_).ours is ours
