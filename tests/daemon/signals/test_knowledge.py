"""Knowledge bases beside a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from daemon.errors import BadRequest
from daemon.recipes.files import read_recipe, text_of
from daemon.signals.knowledge import knowledge_bases

CONFIG = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "config"


def test_upstreams_are_read() -> None:
    """Both of the reference configuration, with their thresholds, groups and metrics."""
    recipe = read_recipe(text_of(CONFIG / "config.yaml").replace("method: fuzzy", "method: regex"), "yaml")
    bases = knowledge_bases(recipe.global_, CONFIG)

    privacy, mmlu = bases["privacy_kb"], bases["mmlu_kb"]
    assert (len(privacy.labels), len(mmlu.labels)) == (18, 14)
    assert (privacy.needed("prompt_injection"), privacy.needed("pii")) == (0.7, 0.55)
    assert "trade_secret_ip" in privacy.groups["privacy_policy"]
    assert mmlu.metrics[0].name == "escalate_vs_keep"


@pytest.mark.parametrize(
    "source",
    [
        {"path": "../outside"},
        {"path": "/etc"},
        {"path": "C:\\x"},
        {"path": "absent"},
        {"path": ".", "manifest": "../x.json"},
        {},
        {"path": "damaged"},
    ],
)
def test_what_can_not_be_read_is_refused(tmp_path: Path, source: dict[str, Any]) -> None:
    """A recipe reads no file but those below its own folder."""
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "labels.json").write_text("[]")

    with pytest.raises(BadRequest, match=r"can't be|below"):
        knowledge_bases({"model_catalog": {"kbs": [{"name": "x", "source": source}]}}, tmp_path)


def test_a_recipe_without_any_has_none(tmp_path: Path) -> None:
    """Nor does one that speaks of other things."""
    assert knowledge_bases(None, tmp_path) == {}
    assert knowledge_bases({"router": {"x": 1}}, tmp_path) == {}
