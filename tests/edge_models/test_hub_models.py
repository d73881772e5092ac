"""The catalogue of models that can be fetched: each entry is one that the rest of the house can take."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from daemon.model_files import NAME, file_name
from daemon.pulls import REPOSITORY, plan_of
from daemon.settings import MODEL_NAME
from edge_models.catalog import known
from edge_models.hub_models import HUB_MODELS, HubModel, Kind, hub_model
from edge_models.inspection import OPENVINO_ARCHITECTURES


@pytest.mark.parametrize("model", HUB_MODELS, ids=lambda model: model.name)
def test_an_entry_is_sound(model: HubModel) -> None:
    """Names can be kept and written, digests are digests, and a commit is named where digests are."""
    assert NAME.fullmatch(model.name)
    assert MODEL_NAME.fullmatch(model.name)
    assert REPOSITORY.fullmatch(model.repository)
    assert known(model.name) is None
    assert model.files
    assert plan_of(model).entry == file_name(model.files[0].name)
    assert model.confirmed == bool(re.fullmatch("[0-9a-f]{40}", model.revision))
    for file in model.files:
        assert model.confirmed == bool(file.sha256)
        assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.size_bytes > 1_000_000
    assert (model.layers == 0) == (model.kv_heads == 0) == (model.head_width == 0)
    assert model.context_tokens >= 2048


def test_names_are_one_each() -> None:
    """A name means one model, and every kind is there."""
    assert len({model.name for model in HUB_MODELS}) == len(HUB_MODELS) >= 12
    assert {model.kind for model in HUB_MODELS} == set(get_args(Kind))
    assert hub_model(HUB_MODELS[3].name) is HUB_MODELS[3]
    assert hub_model("nobody") is None


def test_what_openvino_is_meant_for_it_reads() -> None:
    """A model for OpenVINO GenAI is of an architecture that it knows, in a quantisation that it reads well."""
    for model in HUB_MODELS:
        if model.engine == "openvino-genai":
            assert any(name in model.name for name in ("smollm2", *OPENVINO_ARCHITECTURES, "qwen2.5"))
            assert re.search(r"q8_0\.gguf$", model.files[0].name, re.IGNORECASE)
