"""signals.json, and the files that it vouches for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import read_manifest
from tests.fakes.signal_models import tiny_heads

_SPOKEN: dict[str, Any] = {"name": "x", "task": "sequence", "labels": ["a"]}


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
        {"heads": [_SPOKEN | {"languages": {"de": {"calibration": {"bias": [1, 2]}}}}]},
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


def test_a_head_is_read_by_the_numbers_of_a_language(tmp_path: Path) -> None:
    """What is missing there is the head's; an artefact that knows of no languages has the head's for all."""
    languages = {"de": {"calibration": {"temperature": 2}, "rows": 40}, "cy": {"thresholds": {"default": 0.9}}}
    tiny_heads(tmp_path, heads=[_SPOKEN | {"thresholds": {"default": 0.6}, "languages": languages}, _SPOKEN])
    head, old = read_manifest(tmp_path).heads

    read = {code: head.spoken(code) for code in ("de", "cy", "fr", None)}
    assert [each.calibration.temperature for each in read.values()] == [2, 1, 1, 1]
    assert [each.threshold for each in read.values()] == [0.6, 0.9, 0.6, 0.6]
    assert [head.calibrated_by(code) for code in read] == ["language", "pooled", "pooled", "pooled"]
    assert old.spoken("de") == old
    assert old.calibrated_by("de") == "pooled"


def test_a_head_without_labels_elsewhere_says_whose_word_it_goes_by(tmp_path: Path) -> None:
    """Where it has a calibration of a language; where it hasn't, it goes by what all languages have."""
    languages = {"de": {"calibration": {"temperature": 2}, "rows": 18}}
    tiny_heads(tmp_path, heads=[_SPOKEN | {"languages": languages, "likened": True}])
    (head,) = read_manifest(tmp_path).heads

    assert [head.calibrated_by(code) for code in ("de", "cy", None)] == ["english", "pooled", "pooled"]


@pytest.mark.parametrize("text", ["", "[]", "{", json.dumps({"version": 1})])
def test_a_damaged_file_is_refused(tmp_path: Path, text: str) -> None:
    """Whatever is wrong with it."""
    (tmp_path / "signals.json").write_text(text)

    with pytest.raises(Unavailable, match="damaged"):
        read_manifest(tmp_path)
