"""Pixels and vectors held to transformers: bit for bit where its processors run on Pillow and numpy."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.image_text import open_image_text
from edge_models.training.vision_corpus import drawn
from edge_models.vision.pixels import Limits, opened
from edge_models.vision.preprocess import read_preprocessor
from tests.fakes.siglip import PREPROCESSOR, picture, tiny_siglip

pytestmark = [pytest.mark.export, pytest.mark.timeout(600)]

SIGLIP2 = PREPROCESSOR | {"image_processor_type": "SiglipImageProcessorFast", "resample": 2}
CLIP = {"image_processor_type": "CLIPImageProcessor"}
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("siglip", "Siglip", PREPROCESSOR),
    ("siglip", "Siglip", SIGLIP2),
    ("siglip", "Siglip", {"image_processor_type": "SiglipImageProcessor"}),
    ("siglip", "Siglip", PREPROCESSOR | {"size": 48, "resample": 1}),
    ("siglip", "Siglip", PREPROCESSOR | {"size": {"height": 30, "width": 71}, "image_mean": [0.1, 0.5, 0.9]}),
    ("siglip", "Siglip", PREPROCESSOR | {"do_rescale": False}),
    ("siglip", "Siglip", PREPROCESSOR | {"do_normalize": False, "rescale_factor": 1 / 127.5}),
    ("clip", "CLIP", CLIP),
    ("clip", "CLIP", CLIP | {"size": 40, "crop_size": 61}),
    ("clip", "CLIP", CLIP | {"size": {"shortest_edge": 37}, "crop_size": {"height": 33, "width": 20}, "resample": 0}),
    ("vit", "ViT", {"image_processor_type": "ViTFeatureExtractor"}),
    ("mobilevit", "MobileViT", {
        "image_processor_type": "MobileViTImageProcessor", "do_resize": True, "size": {"shortest_edge": 50}, "resample": 2,
        "do_center_crop": True, "crop_size": {"height": 40, "width": 40}, "do_rescale": True, "rescale_factor": 1 / 255,
        "do_normalize": False, "do_flip_channel_order": True,
    }),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "prefix", "said"), CASES)
def test_pixels_are_transformers_bit_for_bit(kind: str, prefix: str, said: dict[str, Any], tmp_path: Path) -> None:
    """Over sizes, filters, crops, scales, means and orders of channels, and pictures of every shape but a strip."""
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(said))
    module = import_module(f"transformers.models.{kind}.image_processing_pil_{kind}")
    theirs = getattr(module, f"{prefix}ImageProcessorPil").from_pretrained(tmp_path)
    ours = read_preprocessor(tmp_path)
    images = [
        picture(seed, size) for seed, size in enumerate([(61, 40), (40, 61), (224, 224), (300, 33), (1, 1), (500, 377)])
    ]

    for image in images:
        expected = np.asarray(theirs(images=image, return_tensors="np")["pixel_values"][0])
        found = ours.pixels(image)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, expected.astype(np.float32))
        if ours.shape:
            assert found.shape[1:] == ours.shape


def test_files_are_decoded_as_pillow_says() -> None:
    """Over the drawn corpus: upright, on white, and never further apart than rounding."""
    from edge_models.training.vision_reference import upright

    for each in drawn():
        ours, theirs = opened(each.data, Limits()).image, upright(each.data)
        assert ours.size == theirs.size, each.name
        apart = np.abs(np.asarray(ours, np.int16) - np.asarray(theirs, np.int16)).max()
        assert apart <= 1, each.name


def test_vectors_are_torchs(tmp_path: Path) -> None:
    """Both towers, the tokens, the scale and the bias, of a checkpoint that our own writer wrote."""
    from edge_models.training.vision_reference import SiglipReference

    folder = tiny_siglip(tmp_path)
    ours = open_image_text(EncoderRef(str(folder), "zero-shot-image-classification", weights="float"))
    theirs = SiglipReference(folder)
    image, text = picture(9), "A photo of a passport page, unheard of"

    np.testing.assert_array_equal(ours.tokenizer.ids(text), theirs.ids(text))
    np.testing.assert_allclose(ours.embed_images([image])[0], theirs.embed(theirs.pixels(image)), atol=2e-6)
    np.testing.assert_allclose(ours.embed_texts([text])[0], theirs.embed_ids(theirs.ids(text)), atol=2e-6)
    assert ours.about.scale == pytest.approx(theirs._model.logit_scale.detach().exp().item(), rel=1e-6)
    assert ours.about.bias == pytest.approx(theirs._model.logit_bias.item())


def test_what_is_no_siglip_is_refused(tmp_path: Path) -> None:
    """With what it needs."""
    from edge_models.engines.base import Unavailable
    from edge_models.training.vision_reference import SiglipReference

    with pytest.raises(Unavailable, match=r"config\.json"):
        SiglipReference(tmp_path)
