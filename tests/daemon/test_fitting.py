"""Which model fits a machine."""

from __future__ import annotations

from daemon.fitting import COMFORTABLE, Offer, bytes_a_second, fits
from edge_models.memory import Shape, estimate

GB = 10**9


def offer(name: str, weights_bytes: int) -> Offer:
    return Offer(name, "openvino-genai", "MIT", weights_bytes, Shape(weights_bytes, 8192, 24, 2, 64, 64))


SMALL, MIDDLE, LARGE = offer("small", GB // 2), offer("middle", 2 * GB), offer("large", 8 * GB)


def test_the_largest_that_fits_is_first() -> None:
    """With room and speed for all, larger is better."""
    assert [fit.name for fit in fits((SMALL, LARGE, MIDDLE), 64 * GB, 200.0 * GB)] == ["large", "middle", "small"]


def test_memory_and_speed_rule_out() -> None:
    """What takes too much memory, or would write slower than one reads, comes last with its reason."""
    found = fits((LARGE, MIDDLE, SMALL), 8 * GB, 10.0 * GB)

    assert [fit.name for fit in found] == ["small", "large", "middle"]
    assert found[0].why_not == ""
    assert "memory" in found[1].why_not
    assert "slower than one reads" in found[2].why_not
    assert found[2].writing == 5.0 < COMFORTABLE
    assert found[0].memory_bytes == estimate(SMALL.shape, "openvino-genai").total_bytes


def test_speed_is_predicted_by_weights() -> None:
    """A model of twice the weights writes half as fast."""
    assert bytes_a_second(100.0, GB // 10) == 10.0 * GB
    (fit,) = fits((SMALL,), 64 * GB, bytes_a_second(100.0, GB // 10))
    assert fit.writing == 20.0
