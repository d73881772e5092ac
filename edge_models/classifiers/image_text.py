"""Encoders of pictures and texts: both lie in one space, so that a label can be told by words alone.

Three forms are read: a SigLIP checkpoint as the hub has it (`edge_models.siglip`), our own export of it, which is a graph
for each tower, and optimum-intel's, which is one graph for both. What such an export gives must be the vectors themselves
(`image_embeds`, `text_embeds`): a graph that ends in hidden states leaves the head to be guessed, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

from edge_models.classifiers.base import Described, EncoderRef, Weights
from edge_models.engines.base import Broken, Unavailable, Unseen
from edge_models.padded_tokenizer import PaddedTokenizer
from edge_models.pooling import Floats, Ids, unit
from edge_models.runtimes.base import Placement
from edge_models.runtimes.openvino import Graph, compiled
from edge_models.siglip import EXPORT, SiglipConfig, Towers, read_siglip_config, siglip_towers
from edge_models.siglip_export import exported_towers
from edge_models.vision.pixels import Limits, Unseeable, opened
from edge_models.vision.preprocess import Preprocessor, read_preprocessor

TASK: Final = "zero-shot-image-classification"
_LIMITS: Final = Limits()


class ImageTextEncoder:
    """One model, opened: what `edge_models.classifiers.base` says, and its single steps for those who compare them."""

    def __init__(
        self,
        towers: Towers,
        config: SiglipConfig,
        preprocessor: Preprocessor,
        tokenizer: PaddedTokenizer,
        placement: Placement,
    ) -> None:
        """Raises Unavailable if its parts don't belong together."""
        side = config.vision_config.image_size
        if preprocessor.shape != (side, side):
            raise Unavailable(
                f"the encoder reads pictures of {side} x {side} pixels, and its preprocessor_config.json doesn't make them:"
                " fetch the model again, whole"
            )
        if tokenizer.vocabulary > config.text_config.vocab_size:
            raise Unavailable(
                f"the tokenizer knows {tokenizer.vocabulary} tokens and the model {config.text_config.vocab_size}: they do"
                " not belong together, fetch the model again, whole"
            )
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self._image = Graph(compiled(towers.image, placement, exact=True))
        self._text = Graph(compiled(towers.text, placement, exact=True))
        try:
            widths = {
                len(self.embed_ids(tokenizer.ids(" "))),
                len(self.embed_pixels(np.zeros((3, side, side), np.float32))),
            }
        except Broken as error:
            raise Unavailable("the encoder fails on a plain picture: its files are damaged, fetch it again") from error
        if len(widths) != 1:
            raise Unavailable("the encoder's vectors of pictures and of texts can't be compared: fetch it again, whole")
        self.about = Described(
            TASK, (), widths.pop(), tokenizer.length, self._image.device, float(towers.scale), float(towers.bias)
        )

    def embed_pictures(self, pictures: Sequence[bytes]) -> Floats:
        """(pictures, width) of pictures in files. Raises Unseen, Broken."""
        try:
            return self.embed_images([opened(each, _LIMITS).image for each in pictures])
        except Unseeable as error:
            raise Unseen(error.code) from error
        except ValueError as error:  # of sizes that can't be brought to the model's
            raise Unseen("odd-shape") from error

    def embed_images(self, images: Sequence[Image.Image]) -> Floats:
        """(images, width). Raises Broken, ValueError for a picture that can't be brought to the model's size."""
        return _rows([self.embed_pixels(self.preprocessor.pixels(image)) for image in images], self.about.width)

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        """(texts, width). Raises Broken."""
        return _rows([self.embed_ids(self.tokenizer.ids(text)) for text in texts], self.about.width)

    def embed_pixels(self, pixels: Floats) -> Floats:
        """(width,) of one picture's (3, side, side). Raises Broken."""
        return self._one(self._image, {next(iter(self._image.inputs)): pixels[np.newaxis]})

    def embed_ids(self, ids: Ids) -> Floats:
        """(width,) of one text's tokens, (tokens,). Raises Broken."""
        (name, kind), *_ = self._text.inputs.items()
        return self._one(self._text, {name: ids[np.newaxis].astype(kind)})

    def _one(self, graph: Graph, feeds: dict[str, Any]) -> Floats:
        vector: Floats = graph.run(feeds, graph.outputs[:1])[graph.outputs[0]]
        if vector.ndim != 2 or not np.isfinite(vector).all() or not vector.any():
            raise Broken("the encoder gives no numbers for an input: its model may be damaged, fetch it again")
        row: Floats = unit(vector)[0]
        return row

    def close(self) -> None:
        """Give memory back."""
        self._image.close()
        self._text.close()


def _rows(vectors: list[Floats], width: int) -> Floats:
    return np.stack(vectors) if vectors else np.empty((0, width), np.float32)


def open_image_text(ref: EncoderRef) -> ImageTextEncoder:
    """Load, check and warm up. Raises NotInstalled, Unavailable."""
    if ref.runtime != "openvino":
        raise Unavailable("encoders of pictures run on OpenVINO alone: leave `runtime` out")
    directory = Path(ref.directory)
    config = read_siglip_config(directory)
    preprocessor = read_preprocessor(directory)
    text = config.text_config
    tokenizer = PaddedTokenizer(directory, text.max_position_embeddings, text.pad_token_id)
    return ImageTextEncoder(_towers(directory, config, ref.weights), config, preprocessor, tokenizer, ref.placement)


def _towers(directory: Path, config: SiglipConfig, weights: Weights) -> Towers:
    if (directory / EXPORT).is_file():
        return exported_towers(directory, config)
    return siglip_towers(directory, weights)
