"""OpenVINO as a runtime: what it reads, keeps and reuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edge_models.classifiers.base import EncoderRef, Placement
from edge_models.classifiers.opening import open_encoder
from edge_models.runtimes.openvino import load
from tests.fakes.encoders import tiny_classifier


def feeds(length: int) -> dict[str, np.ndarray]:
    return {"input_ids": np.full((1, length), 4), "attention_mask": np.ones((1, length), np.int64)}


def test_a_request_is_used_again(tmp_path: Path) -> None:
    """One caller after another gets the same request, whatever the lengths, and keeps its own numbers."""
    runtime = load(tiny_classifier(tmp_path) / "model.onnx", Placement(threads=1))
    first = runtime.run(feeds(3), "logits")
    kept = first.copy()
    for length in (9, 2, 16):
        runtime.run(feeds(length), "logits")
    assert runtime._graph._idle.qsize() == 1
    np.testing.assert_array_equal(first, kept)


def test_what_was_compiled_is_kept(tmp_path: Path) -> None:
    """With a cache folder, the second start reads what the first compiled."""
    folder = tiny_classifier(tmp_path / "m")
    ref = EncoderRef(str(folder), "text-classification", "openvino", Placement(cache_dir=str(tmp_path / "cache")))
    rows = open_encoder(ref).predict(("bad",))  # type: ignore[union-attr]
    blobs = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.blob")}
    assert blobs
    np.testing.assert_array_equal(open_encoder(ref).predict(("bad",)), rows)  # type: ignore[union-attr]
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.blob")} == blobs


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_are_what_was_asked_for(threads: int, tmp_path: Path) -> None:
    """The compiled graph runs on so many threads, tuned for the latency of one text."""
    runtime = load(tiny_classifier(tmp_path) / "model.onnx", Placement(threads=threads))
    assert runtime._graph._compiled.get_property("INFERENCE_NUM_THREADS") == threads
    assert "LATENCY" in str(runtime._graph._compiled.get_property("PERFORMANCE_HINT"))
