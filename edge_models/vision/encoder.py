"""The picture encoder that is shipped: EfficientNet-lite0 as a graph of OpenVINO, and the two ways a picture goes into it.

Its authors cut the middle square out of a picture, 7/8 of the shorter side (`centre`): what a photograph shows is mostly
there. A page, a card or a screen tells by its edges what it is, so it goes in whole as well, its sides made equal (`whole`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_models import openvino_gate
from edge_models.engines.base import Broken, Unavailable

MODEL: Final = "openvino_model.xml"
SIDE: Final = 224
WIDTH: Final = 1280
CLASSES: Final = 1000
_SHARE: Final = 224 / 256  # of the shorter side: CROP_PADDING is 32 in google's efficientnet/preprocessing.py
_MEAN: Final = 127.0  # MEAN_RGB and STDDEV_RGB of efficientnet_lite_builder.py
_SPREAD: Final = 128.0
_REFUSALS: Final = (RuntimeError, IndexError, ValueError, TypeError, MemoryError)  # of pybind11
Floats = NDArray[np.float32]


class PictureEncoder:
    """One compiled graph. It serves one caller at a time."""

    def __init__(self, directory: Path, threads: int = 1) -> None:
        """Raises NotInstalled, Unavailable. The files are to be checked before."""
        core = openvino_gate.core()
        properties = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
        try:
            compiled = core.compile_model(core.read_model(directory / MODEL), "CPU", properties)
            self._request: Any = compiled.create_infer_request()
            self._places = [min(port.get_names()) for port in compiled.outputs]
        except _REFUSALS as error:
            raise Unavailable("the picture encoder can't be read: install Nearloop again") from error

    def read(self, views: Floats) -> tuple[Floats, Floats]:
        """Features (n, 1280) and ImageNet's logits (n, 1000). Raises Broken.

        views: (n, 3, 224, 224), of `centre` or `whole`.
        """
        try:
            found = self._request.infer({"pixels": views})
            features, logits = (
                np.array(found[self._places.index(name)], np.float32) for name in ("features", "logits")
            )
        except _REFUSALS as error:
            raise Broken("OpenVINO failed on a picture") from error
        if not (np.isfinite(features).all() and np.isfinite(logits).all()):
            raise Broken("the picture encoder gives no numbers: its model may be damaged, install Nearloop again")
        return features, logits


def centre(image: Image.Image) -> Floats:
    """The middle square of an upright RGB picture as (3, 224, 224): what the encoder's authors put in."""
    side = max(1, round(min(image.size) * _SHARE))
    left, top = (image.width - side) // 2, (image.height - side) // 2
    return _scaled(image.crop((left, top, left + side, top + side)))  # first, so that nothing beyond it is in its edges


def whole(image: Image.Image) -> Floats:
    """All of it as (3, 224, 224)."""
    return _scaled(image)


def _scaled(image: Image.Image) -> Floats:
    # Pictures of over 1344 pixels are halved by boxes first, to no less than thrice the size: Pillow's documentation
    # calls that close to fair resampling, and it is what keeps ten megapixels below the price of the graph.
    small = image.resize((SIDE, SIDE), Image.Resampling.BICUBIC, reducing_gap=3.0)
    pixels = (np.asarray(small, np.float32) - _MEAN) / _SPREAD
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))
