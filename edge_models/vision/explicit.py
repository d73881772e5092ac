"""How sure a picture is of nudity, by Yahoo's open_nsfw.

Its pixels are made exactly as its authors' code makes them: 256 pixels each way whatever the sides' ratio, the middle 224 of
them, once through JPEG, blue first, less the means of its training set.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable
from edge_models.pooling import Floats

_SIDE: Final = 256
_CROP: Final = 224
_MEANS: Final = np.array([104, 117, 123], np.float32)


def prepared(image: Any) -> Floats:
    """(224, 224, 3), blue first. image: Pillow's, RGB."""
    edge = (_SIDE - _CROP) // 2
    small = image.resize((_SIDE, _SIDE), resample=Image.Resampling.BILINEAR)
    small = small.crop((edge, edge, edge + _CROP, edge + _CROP))
    with io.BytesIO() as held:
        small.save(held, format="JPEG")
        held.seek(0)
        pixels = np.asarray(Image.open(held), dtype=np.float32)
    return np.ascontiguousarray(pixels[:, :, ::-1] - _MEANS)


class Explicit:
    """The network."""

    def __init__(self, file: Path, threads: int) -> None:
        """Raises NotInstalled, Unavailable."""
        core = openvino_gate.core()
        how = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
        try:
            self._request = core.compile_model(core.read_model(file), "CPU", how).create_infer_request()
        except RuntimeError as error:
            raise Unavailable("OpenVINO can't run open_nsfw: install Nearloop again") from error

    def score(self, image: Any) -> float:
        """In [0, 1]. image: Pillow's, RGB."""
        self._request.infer([prepared(image)[None]])
        return float(self._request.get_output_tensor().data[0, 1])
