"""The mix of sets and templates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge_models.engines.base import Unavailable
from edge_models.training import library_code
from edge_models.training.mix import mixed

pytestmark = pytest.mark.slow


def test_a_folder_without_sets_is_refused(tmp_path: Path) -> None:
    """The message names what is looked for."""
    with pytest.raises(Unavailable, match="mmlu_pro"):
        mixed(tmp_path, 7)


def test_the_mix_is_the_same_in_every_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text stands there once, the sets' and the templates', in an order that the seed decides."""
    monkeypatch.setattr(library_code, "PACKAGES", ("click",))
    (tmp_path / "mmlu_pro").mkdir()
    lines = [json.dumps({"text": f"Question {number}?", "label": "law", "acc_all": 0.5}) for number in range(30)]
    (tmp_path / "mmlu_pro" / "mmlu_pro.part1.jsonl").write_text("\n".join([*lines, lines[0]]))

    rows = mixed(tmp_path, 7)

    texts = [row.text for row in rows]
    assert len(set(texts)) == len(texts)
    assert texts.count("Question 0?") == 1
    assert {"mmlu_pro", "templates.attacks", "templates.people", "library_code"} <= {row.source for row in rows}
    assert mixed(tmp_path, 7) == rows
    assert mixed(tmp_path, 8) != rows
