"""EfficientNet-lite0 as an OpenVINO graph, built from its weights without torch.

It is Tan's and Le's EfficientNet in the form for small machines: no squeeze-and-excitation, ReLU6 for swish, stem and head
of fixed width. Each normalisation is folded into the convolution before it.

Weights are int8 with a scale for each channel that goes in and one for each that comes out, chosen so that what meets large
activations errs least; those that convolve one channel, a twentieth, are fp16, and so are those of IN_FULL, where int8 lost
most for its bytes (measured one by one on 32 pictures: stem 1.7e-2 of the cosine, the others 4e-5 to 2e-3). The last matrix,
of ImageNet's classes, is int4 with a scale for 64 weights: the features don't go through it. What rounding adds in the mean
is taken off again. How large activations are is known without a picture: the normalisations say it. The arithmetic is float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable

SIDE: Final = 224
WIDTH: Final = 1280
CLASSES: Final = 1000
GROUP: Final = 64
"""Weights of the last matrix that share a scale."""
IN_FULL: Final = frozenset(
    {"_conv_stem", "_blocks.12._project_conv", "_blocks.15._project_conv"}
    | {f"_blocks.{number}._{part}_conv" for number in (8, 11) for part in ("expand", "project")}
    | {f"_blocks.{number}._{part}_conv" for number in range(6) for part in ("expand", "project")}
)
"""Kept in fp16."""
_EPSILON: Final = 1e-3  # of all its normalisations
Halves = NDArray[np.float16]


class Stage(NamedTuple):
    """Blocks that repeat: the first with the stride, the others with 1."""

    repeats: int
    kernel: int
    stride: int
    expand: int
    width: int


STAGES: Final = (
    Stage(1, 3, 1, 1, 16),
    Stage(2, 3, 2, 6, 24),
    Stage(2, 5, 2, 6, 40),
    Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, 112),
    Stage(4, 5, 2, 6, 192),
    Stage(1, 3, 1, 6, 320),
)
"""Table 1 of arXiv 1905.11946, as google's efficientnet_lite_builder.py has it."""


def in_full(name: str) -> bool:
    """Whether the weights of that name are fp16 in what is shipped."""
    return name.removesuffix(".weight") in IN_FULL


def efficientnet(tensors: Mapping[str, NDArray[Any]], in_full: Callable[[str], bool] = in_full) -> Any:
    """Build an `openvino.Model`. tensors: by the names of ml-illustrated's EfficientNet-Lite-PyTorch. in_full: whether the
    weights of that name are kept in fp16.

    Input: pixels, (batch, 3, 224, 224) float32, RGB. Outputs: features (batch, 1280), logits (batch, 1000) of ImageNet.
    Raises NotInstalled, Unavailable.
    """
    try:
        return _Builder(tensors, in_full).model()
    except KeyError as error:
        raise Unavailable("the picture encoder's weights lack tensors of EfficientNet-lite0") from error


class Moments(NamedTuple):
    """Of each channel of a picture's activations, as its normalisation says: mean and variance over pictures and places."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]

    def __add__(self, other: Moments) -> Moments:  # type: ignore[override]
        return Moments(self.mean + other.mean, self.variance + other.variance)


class _Builder:
    def __init__(self, tensors: Mapping[str, NDArray[Any]], in_full: Callable[[str], bool]) -> None:
        self._openvino = openvino_gate.openvino()
        self._op = self._openvino.opset13
        self._tensors = tensors
        self._in_full = in_full

    def model(self) -> Any:
        op = self._op
        pixels = op.parameter([-1, 3, SIDE, SIDE], np.float32, name="pixels")
        pixels.output(0).set_names({"pixels"})
        hidden, moments = self._convolution(pixels, Moments(np.zeros(3), np.full(3, 0.25)), "_conv_stem", "_bn0", 2)
        hidden, moments = op.clamp(hidden, 0.0, 6.0), clamped(moments)
        number, width = 0, 32
        for stage in STAGES:
            for repeat in range(stage.repeats):
                stride = 1 if repeat else stage.stride
                after, told = self._block(hidden, moments, f"_blocks.{number}.", stage.expand, stride)
                if stride == 1 and width == stage.width:
                    hidden, moments = op.add(after, hidden), told + moments
                else:
                    hidden, moments = after, told
                number, width = number + 1, stage.width
        last, moments = self._convolution(hidden, moments, "_conv_head", "_bn1", 1)
        features = op.reduce_mean(op.clamp(last, 0.0, 6.0), op.constant(np.array([2, 3], np.int64)), False)
        matrix, bias = (np.asarray(self._tensors[f"_fc.{part}"], np.float64) for part in ("weight", "bias"))
        whole, scales = in_int4(matrix)
        groups = op.convert(op.constant(whole, dtype=self._openvino.Type.i4), "f32")
        weights = op.reshape(op.multiply(groups, self._scale(scales)), op.constant(np.array(matrix.shape)), False)
        logits = op.add(op.matmul(features, weights, False, True), op.constant(bias.astype(np.float32)))
        for name, result in (("features", features), ("logits", logits)):
            result.output(0).set_names({name})
        return self._openvino.Model([features, logits], [pixels], "efficientnet-lite0")

    def _block(self, hidden: Any, moments: Moments, name: str, expand: int, stride: int) -> tuple[Any, Moments]:
        op = self._op
        if expand != 1:
            hidden, moments = self._convolution(hidden, moments, f"{name}_expand_conv", f"{name}_bn0", 1)
            hidden, moments = op.clamp(hidden, 0.0, 6.0), clamped(moments)
        hidden, moments = self._by_channel(hidden, f"{name}_depthwise_conv", f"{name}_bn1", stride)
        return self._convolution(op.clamp(hidden, 0.0, 6.0), clamped(moments), f"{name}_project_conv", f"{name}_bn2", 1)

    def _convolution(self, value: Any, moments: Moments, name: str, norm: str, stride: int) -> tuple[Any, Moments]:
        op = self._op
        weights, bias, after = self._folded(f"{name}.weight", norm)
        constant, lost = self._weights(f"{name}.weight", weights, moments)
        found = op.convolution(value, constant, [stride] * 2, [0, 0], [0, 0], [1, 1], "same_upper")
        return op.add(found, op.constant((bias - lost).astype(np.float32).reshape(1, -1, 1, 1))), after

    def _by_channel(self, value: Any, name: str, norm: str, stride: int) -> tuple[Any, Moments]:
        """These are a fiftieth of all weights, and int8 loses most in them: they stay in fp16."""
        op = self._op
        weights, bias, after = self._folded(f"{name}.weight", norm)
        groups = op.convert(op.constant(weights[:, np.newaxis].astype(np.float16)), "f32")
        found = op.group_convolution(value, groups, [stride] * 2, [0, 0], [0, 0], [1, 1], "same_upper")
        return op.add(found, op.constant(bias.astype(np.float32).reshape(1, -1, 1, 1))), after

    def _folded(self, name: str, norm: str) -> tuple[NDArray[np.float64], NDArray[np.float64], Moments]:
        """The weights with their normalisation in them, what is added after, and what that comes to."""
        gamma, beta, mean, variance = (
            np.asarray(self._tensors[f"{norm}.{part}"], np.float64)
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        scale = gamma / np.sqrt(variance + _EPSILON)
        weights = np.asarray(self._tensors[name], np.float64) * scale[:, None, None, None]
        return weights, beta - mean * scale, Moments(beta, gamma**2)

    def _weights(self, name: str, values: NDArray[np.float64], moments: Moments) -> tuple[Any, NDArray[np.float64]]:
        """The constant, and how much more comes out of it in the mean for being rounded."""
        op = self._op
        if self._in_full(name):
            return op.convert(op.constant(values.astype(np.float16)), "f32"), np.zeros(len(values))
        whole, rows, columns = in_int8(values, np.sqrt(moments.mean**2 + moments.variance))
        more = [1] * (values.ndim - 2)
        told = op.multiply(op.convert(op.constant(whole), "f32"), self._scale(rows.reshape(-1, 1, *more)))
        product = op.multiply(told, self._scale(columns.reshape(1, -1, *more)))
        kept = whole * rows.reshape(-1, 1, *more).astype(np.float64) * columns.reshape(1, -1, *more).astype(np.float64)
        return product, (kept - values).reshape(*values.shape[:2], -1).sum(axis=2) @ moments.mean

    def _scale(self, values: NDArray[np.float16]) -> Any:
        return self._op.convert(self._op.constant(values), "f32")


def clamped(moments: Moments) -> Moments:
    """Of normal numbers, after all below 0 and above 6 are cut: by a sum over 400 steps."""
    steps = np.linspace(-5, 5, 401)
    share = np.exp(-(steps**2) / 2)
    share /= share.sum()
    values = np.clip(moments.mean[:, None] + np.sqrt(moments.variance)[:, None] * steps, 0, 6)
    mean = values @ share
    return Moments(mean, np.maximum(values**2 @ share - mean**2, 0))


def in_int4(values: NDArray[np.float64]) -> tuple[NDArray[np.int8], Halves]:
    """Whole numbers from -8 to 7, as (rows, groups, GROUP), and a scale for each group: (rows, groups, 1)."""
    groups = values.reshape(len(values), -1, GROUP)
    most = np.maximum(np.abs(groups).max(axis=2, keepdims=True), 1e-6) / 7.5
    scales, loss = most, np.full(most.shape, np.inf)
    for share in np.linspace(0.6, 1.0, 21):
        told = np.clip(np.rint(groups / (most * share)), -8, 7) * (most * share)
        lost = ((told - groups) ** 2).sum(axis=2, keepdims=True)
        scales, loss = np.where(lost < loss, most * share, scales), np.minimum(loss, lost)
    kept = scales.astype(np.float16)
    whole = np.clip(np.rint(groups / kept.astype(np.float64)), -8, 7).astype(np.int8)
    return whole, kept


def in_int8(values: NDArray[np.float64], size: NDArray[np.float64]) -> tuple[NDArray[np.int8], Halves, Halves]:
    """Whole numbers, a scale for each first index and one for each second: those of several that err least.

    size: how large the numbers are that meet each second index: what meets large ones has to err less.
    """
    shape, more = values.shape, values.ndim - 2
    across = (slice(None), slice(None), *[None] * more)
    weight = np.maximum(size, 1e-3 * size.max())
    best: tuple[float, tuple[NDArray[np.int8], Halves, Halves]] | None = None
    for power in (0.0, 0.25, 0.5, 0.75, 1.0):
        columns = ((weight / weight.max()) ** -power).astype(np.float16).astype(np.float64)
        flat = values / columns[None, :][across]
        rows = np.maximum(np.abs(flat.reshape(len(flat), -1)).max(axis=1), 1e-12) / 127
        loss = np.full(len(rows), np.inf)
        chosen = rows
        for share in np.linspace(0.7, 1.0, 31):
            told = np.clip(np.rint(flat / (rows * share)[:, None][across]), -127, 127) * (rows * share)[:, None][across]
            off = ((told - flat) * (columns * weight)[None, :][across]).reshape(len(rows), -1)
            lost = (off**2).sum(axis=1)
            chosen = np.where(lost < loss, rows * share, chosen)
            loss = np.minimum(loss, lost)
        if best is None or loss.sum() < best[0]:
            scales = np.maximum(chosen, 1e-7).astype(np.float16)
            whole = np.clip(np.rint(flat / scales.astype(np.float64)[:, None][across]), -127, 127).astype(np.int8)
            best = (float(loss.sum()), (whole.reshape(shape), scales, columns.astype(np.float16)))
    assert best is not None
    return best[1]
