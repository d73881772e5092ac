"""A SigLIP as its authors run it: transformers' image processor, tokenizer and model, in torch.

It takes nothing of ours, decoding included: what an encoder is held to must not share its faults.
"""

from __future__ import annotations

import copy
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from PIL import Image, ImageOps

from edge_models.engines.base import Unavailable
from edge_models.pooling import Floats, Ids
from edge_models.training.quiet import quiet

_LOCAL: Final[dict[str, Any]] = {"local_files_only": True, "trust_remote_code": False}


def upright(data: bytes) -> Image.Image:
    """A picture as a person sees it: turned as its EXIF says, transparency on white, RGB."""
    image = ImageOps.exif_transpose(Image.open(BytesIO(data)))
    if image.has_transparency_data:
        whole = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", whole.size, "white"), whole).convert("RGB")
    return image.convert("RGB")


class SiglipReference:
    """One checkpoint in torch on the CPU, in float32, and once more in float64."""

    def __init__(self, directory: Path) -> None:
        """Raises Unavailable if transformers can't read it."""
        try:
            with quiet():
                self._model = transformers.SiglipModel.from_pretrained(
                    directory, dtype=torch.float32, use_safetensors=True, **_LOCAL
                ).eval()
                self._processor = _processor(directory)
                self._tokenizer = _tokenizer(directory)
        except Exception as error:
            raise Unavailable(
                "transformers can't read this directory as a SigLIP: it needs config.json, preprocessor_config.json,"
                f" model.safetensors and the tokenizer's files ({type(error).__name__})"
            ) from error
        self._double: Any = None
        self._length = int(self._model.config.text_config.max_position_embeddings)

    def upright(self, data: bytes) -> Image.Image:
        """Decoded."""
        return upright(data)

    def pixels(self, image: Image.Image) -> Floats:
        """(3, height, width)."""
        with quiet():
            found: Floats = np.asarray(self._processor(images=image, return_tensors="np")["pixel_values"][0])
        return found

    def embed(self, pixels: Floats) -> Floats:
        """(width,)."""
        return self._vector(self._model.get_image_features, pixel_values=torch.from_numpy(pixels)[None]).astype(
            np.float32
        )

    def embed_exact(self, pixels: Floats) -> NDArray[np.float64]:
        """(width,), in float64 all through."""
        return self._vector(self._in_float64().get_image_features, pixel_values=torch.from_numpy(pixels)[None].double())

    def ids(self, text: str) -> Ids:
        """(tokens,)."""
        with quiet():
            found = self._tokenizer(text, padding="max_length", truncation=True, max_length=self._length)
        return np.array(found["input_ids"], np.int64)

    def embed_ids(self, ids: Ids) -> Floats:
        """(width,) of tokens."""
        return self._vector(self._model.get_text_features, input_ids=torch.from_numpy(ids)[None]).astype(np.float32)

    def embed_ids_exact(self, ids: Ids) -> NDArray[np.float64]:
        """(width,), in float64 all through."""
        return self._vector(self._in_float64().get_text_features, input_ids=torch.from_numpy(ids)[None])

    def _in_float64(self) -> Any:
        if self._double is None:
            self._double = copy.deepcopy(self._model).double()
        return self._double

    def _vector(self, features: Any, **inputs: Any) -> NDArray[np.float64]:
        with torch.inference_mode():
            found = features(**inputs)
            pooled = found if isinstance(found, torch.Tensor) else found.pooler_output
            row: NDArray[np.float64] = (pooled / pooled.norm(dim=-1, keepdim=True))[0].double().numpy()
        return row


def _processor(directory: Path) -> Any:
    """transformers' processor on Pillow and numpy; AutoImageProcessor wants torchvision, which resizes otherwise."""
    module = import_module("transformers.models.siglip.image_processing_pil_siglip")
    return module.SiglipImageProcessorPil.from_pretrained(directory, **_LOCAL)


def _tokenizer(directory: Path) -> Any:
    """Its own class, or tokenizer.json alone where that class needs a library that isn't here (sentencepiece)."""
    try:
        return transformers.AutoTokenizer.from_pretrained(directory, **_LOCAL)
    except (ImportError, ValueError):
        return transformers.PreTrainedTokenizerFast.from_pretrained(directory, **_LOCAL)
