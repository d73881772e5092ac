"""signals.json, and the files that it vouches for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import read_manifest
from tests.fakes.signal_models import tiny_heads


def test_a_whole_artefact_is_read(tmp_path: Path) -> None:
    """Heads say where their tensor is and from when on they say so."""
    manifest = read_manifest(tiny_heads(tmp_path))

    outputs = {head.name: (head.output, head.threshold) for head in manifest.heads}
    assert outputs["domain"] == ("head.domain", 0.6)
    assert outputs["pii"] == ("tokens.pii", 0.6)
    assert (manifest.window.tokens, manifest.window.stride) == (10, 6)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"files": {"../outside": "0" * 64}},
        {"files": {"absent.bin": "0" * 64}},
        {"files": {"tokenizer.json": "0" * 64}},
        {"heads": [{"name": "x", "task": "sequence", "labels": ["a"], "calibration": {"bias": [1, 2]}}]},
        {"heads": [{"name": "x", "task": "other", "labels": ["a"]}]},
        {"heads": [{"name": "x", "task": "sequence", "labels": []}]},
        {"window": {"tokens": 0, "stride": 1}},
    ],
    ids=str,
)
def test_what_is_not_what_was_shipped_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    """With a remedy."""
    tiny_heads(tmp_path, **change)

    with pytest.raises(Unavailable, match=r"install|outside|calibration"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", json.dumps({"version": 1})])
def test_a_damaged_file_is_refused(tmp_path: Path, text: str) -> None:
    """Whatever is wrong with it."""
    (tmp_path / "signals.json").write_text(text)

    with pytest.raises(Unavailable, match="damaged"):
        read_manifest(tmp_path)
