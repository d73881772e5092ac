"""Messages of an encoder's worker, there and back."""

from __future__ import annotations

import numpy as np
import pytest

from edge_models.classifiers.base import Described, EncoderRef, Placement, Span
from edge_models.encoder_ipc import Ask, Open, Opened, Spans, decode_command, decode_event, frame, matrix_of, rows_of
from edge_models.ipc import HEADER_BYTES, Failed

ABOUT = Described("feature-extraction", (), 384, 512, "CPU")


def test_there_and_back() -> None:
    """Each message decodes to what was encoded."""
    for command in (
        Open(EncoderRef("/m", "text-classification", placement=Placement(threads=2)), 1.0, 1 << 30),
        Ask(1, ("ü",), 2.0),
    ):
        assert decode_command(frame(command)[HEADER_BYTES:]) == command
    for event in (Opened(ABOUT), Spans(1, ((Span("PER", 0, 3, 0.5),), ())), Failed(None, "Unavailable", "why")):
        assert decode_event(frame(event)[HEADER_BYTES:]) == event


def test_matrices() -> None:
    """Numbers cross to the last bit; other shapes than asked for don't pass."""
    matrix = np.random.default_rng(1).normal(size=(3, 5)).astype(np.float32)
    np.testing.assert_array_equal(matrix_of(rows_of(1, matrix), 3, 5), matrix)
    for count, width in ((2, 5), (3, 4)):
        with pytest.raises(ValueError):
            matrix_of(rows_of(1, matrix), count, width)
