"""Frames from a pipe."""

from __future__ import annotations

import io

import pytest

from edge_models.ipc import framed
from edge_models.pipes import bodies


def test_frames_are_read_until_the_end() -> None:
    """Whole frames come out, the half one at the end doesn't, and a huge length is an error."""
    stream = framed(b"one") + framed(b"") + framed(b"three")
    assert list(bodies(io.BytesIO(stream))) == [b"one", b"", b"three"]
    assert list(bodies(io.BytesIO(stream[:-1]))) == [b"one", b""]
    with pytest.raises(ValueError, match="over the limit"):
        list(bodies(io.BytesIO(b"\xff\xff\xff\xff")))
