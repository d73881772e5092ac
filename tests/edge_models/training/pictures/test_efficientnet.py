"""The encoder's graph, from weights made up."""

import numpy as np
import pytest
from numpy.typing import NDArray

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable
from edge_models.training.pictures.efficientnet import STAGES, Moments, clamped, efficientnet, in_int4, in_int8


def made_up(seed: int = 3) -> dict[str, NDArray[np.float32]]:
    """Tensors of the right names and shapes."""
    chance = np.random.default_rng(seed)
    found: dict[str, NDArray[np.float32]] = {}

    def convolution(name: str, norm: str, *shape: int) -> None:
        spread = (2 / np.prod(shape[1:])) ** 0.5
        found[f"{name}.weight"] = chance.normal(0, spread, shape).astype(np.float32)
        for part, low, high in (("weight", 0.8, 1.2), ("bias", -0.1, 0.5), ("running_mean", -0.2, 0.2)):
            found[f"{norm}.{part}"] = chance.uniform(low, high, shape[0]).astype(np.float32)
        found[f"{norm}.running_var"] = chance.uniform(0.5, 1.5, shape[0]).astype(np.float32)

    convolution("_conv_stem", "_bn0", 32, 3, 3, 3)
    number, width = 0, 32
    for stage in STAGES:
        for _ in range(stage.repeats):
            name, inner = f"_blocks.{number}.", width * stage.expand
            if stage.expand != 1:
                convolution(f"{name}_expand_conv", f"{name}_bn0", inner, width, 1, 1)
            convolution(f"{name}_depthwise_conv", f"{name}_bn1", inner, 1, stage.kernel, stage.kernel)
            convolution(f"{name}_project_conv", f"{name}_bn2", stage.width, inner, 1, 1)
            number, width = number + 1, stage.width
    convolution("_conv_head", "_bn1", 1280, 320, 1, 1)
    found["_fc.weight"] = chance.normal(0, 0.03, (1000, 1280)).astype(np.float32)
    found["_fc.bias"] = chance.normal(0, 0.1, 1000).astype(np.float32)
    return found


@pytest.mark.slow
def test_small_weights_give_what_large_ones_give() -> None:
    """The shipped mix of int8, int4 and fp16, against fp16 all through, on noise."""
    tensors, core = made_up(), openvino_gate.core()
    pixels = np.random.default_rng(1).normal(0, 1, (3, 3, 224, 224)).astype(np.float32)
    small = core.compile_model(efficientnet(tensors), "CPU")(pixels)
    large = core.compile_model(efficientnet(tensors, lambda name: True), "CPU")(pixels)
    ours, theirs = small["features"], large["features"]
    assert ours.shape == (3, 1280)
    assert small["logits"].shape == (3, 1000)
    cosines = (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    assert cosines.min() > 0.999
    straight = theirs @ tensors["_fc.weight"].T + tensors["_fc.bias"]
    assert np.corrcoef(small["logits"].ravel(), straight.ravel())[0, 1] > 0.98


def test_a_missing_tensor_is_told() -> None:
    """Weights of another network are refused."""
    tensors = made_up()
    tensors.pop("_blocks.7._expand_conv.weight")
    with pytest.raises(Unavailable, match="lack"):
        efficientnet(tensors)


def test_scales_follow_what_they_meet() -> None:
    """Where inputs differ in size, errors weighted by it are smaller than with scales for rows alone."""
    chance = np.random.default_rng(0)
    values, size = chance.normal(0, 1, (40, 60)), np.exp(chance.normal(0, 1.5, 60))
    whole, rows, columns = in_int8(values, size)
    ours = whole * rows[:, None].astype(np.float64) * columns[None, :].astype(np.float64)
    plain = np.abs(values).max(axis=1, keepdims=True) / 127
    theirs = np.rint(values / plain) * plain
    assert (((ours - values) * size) ** 2).sum() < 0.7 * (((theirs - values) * size) ** 2).sum()


def test_four_bits_stay_in_their_range() -> None:
    """From -8 to 7, a scale for 64."""
    values = np.random.default_rng(0).normal(0, 1, (5, 128))
    whole, scales = in_int4(values)
    assert whole.shape == (5, 2, 64)
    assert scales.shape == (5, 2, 1)
    assert whole.min() >= -8
    assert whole.max() <= 7
    error = (whole * scales.astype(np.float64)).reshape(5, 128) - values
    assert (error**2).mean() < 0.02


def test_moments_after_a_clamp() -> None:
    """As a million normal numbers have them."""
    drawn = np.clip(np.random.default_rng(0).normal(0.5, 2, 1_000_000), 0, 6)
    told = clamped(Moments(np.array([0.5]), np.array([4.0])))
    assert abs(told.mean[0] - drawn.mean()) < 0.01
    assert abs(told.variance[0] - drawn.var()) < 0.02
