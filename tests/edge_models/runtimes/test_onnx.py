"""Which device ONNX Runtime is asked for; DirectML isn't here, so a table stands for what a machine has."""

from __future__ import annotations

import pytest

from edge_models.engines.base import Unavailable
from edge_models.runtimes.onnx import providers

CPU, DML, CUDA = "CPUExecutionProvider", "DmlExecutionProvider", "CUDAExecutionProvider"


@pytest.mark.parametrize(
    ("platform", "available", "device", "expected"),
    [
        ("win32", (DML, CPU), None, (DML, CPU)),
        ("win32", (DML, CPU), "CPU", (CPU,)),
        ("win32", (DML, CPU), "DML", (DML,)),
        ("win32", (CPU,), None, (CPU,)),  # Windows on Arm
        ("linux", (CUDA, CPU), None, (CPU,)),
        ("darwin", (CPU,), None, (CPU,)),
    ],
)
def test_the_choice(platform: str, available: tuple[str, ...], device: str | None, expected: tuple[str, ...]) -> None:
    """DirectML, then the CPU, on Windows; the CPU elsewhere; what is pinned and nothing beside it."""
    assert providers(platform, available, device) == expected


@pytest.mark.parametrize(("platform", "available"), [("win32", (CPU,)), ("linux", (CPU,))])
def test_a_pinned_device_that_is_missing(platform: str, available: tuple[str, ...]) -> None:
    """It is an error that names what there is."""
    with pytest.raises(Unavailable, match="no device DML here, but CPU"):
        providers(platform, available, "DML")
