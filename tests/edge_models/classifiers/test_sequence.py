"""Sequence heads over long texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.opening import open_encoder
from edge_models.classifiers.sequence import sigmoid, softmax
from tests.fakes.encoders import tiny_classifier

HIDDEN = "alice " * 60 + "bad " + "bob " * 60


def predict(folder: Path, across: str | None) -> np.ndarray:
    head = open_encoder(EncoderRef(str(folder), "text-classification", "onnx", across=across))  # type: ignore[arg-type]
    return head.predict((HIDDEN,))[0]  # type: ignore[union-attr]


def test_exclusive_labels_are_averaged(tmp_path: Path) -> None:
    """One window of ten makes a tenth of the answer, and rows stay distributions."""
    row = predict(tiny_classifier(tmp_path), None)
    assert row.sum() == pytest.approx(1, abs=1e-6)
    assert 0.05 < row[1] < 0.3


def test_independent_labels_take_their_highest(tmp_path: Path) -> None:
    """One bad word in a long text is found, however much good stands around it."""
    row = predict(tiny_classifier(tmp_path, independent=True), None)
    assert row.min() > 0.6


@pytest.mark.parametrize(("independent", "across"), [(False, "max"), (True, "mean")])
def test_the_caller_decides(independent: bool, across: str, tmp_path: Path) -> None:
    """Either way can be asked for with either head."""
    row = predict(tiny_classifier(tmp_path, independent=independent), across)
    assert (row[1] > 0.6) == (across == "max")


def test_squashing_large_numbers() -> None:
    """Neither function overflows, and both are exact where it is easy to say."""
    big = np.array([[1e4, -1e4]], np.float32)
    np.testing.assert_array_equal(softmax(big), [[1, 0]])
    np.testing.assert_array_equal(sigmoid(big), [[1, 0]])
    assert sigmoid(np.zeros(1, np.float32))[0] == 0.5
