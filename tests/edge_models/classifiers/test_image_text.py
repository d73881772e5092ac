"""Encoders of pictures and texts, from a directory, here and in a process of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.image_text import ImageTextEncoder, open_image_text
from edge_models.classifiers.opening import open_encoder
from edge_models.encoder_process import EncoderProcess
from edge_models.engines.base import Unavailable, Unseen
from edge_models.siglip import reads_pictures
from tests.edge_models.test_siglip import Numpy
from tests.fakes.siglip import SIDE, WIDTH, picture, png, tensors, tiny_siglip

TASK = "zero-shot-image-classification"


def ref(folder: Path, **more: Any) -> EncoderRef:
    return EncoderRef(str(folder), TASK, **more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_siglip(tmp_path_factory.mktemp("siglip"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> ImageTextEncoder:
    return open_image_text(ref(folder, weights="float"))


def test_pictures_and_texts_lie_where_the_model_puts_them(encoder: ImageTextEncoder) -> None:
    """From a picture and a sentence to numpy's vectors: pixels, tokens, padding and both towers."""
    images, theirs = [picture(1), picture(2, (20, 90))], Numpy(tensors())

    found = encoder.embed_images(images)
    said = encoder.embed_texts(["a photo of a cat", "Dog"])

    for row, image in zip(found, images, strict=True):
        small = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BICUBIC), np.float64)
        assert row @ theirs.image(((small / 255 - 0.5) / 0.5).transpose(2, 0, 1)) > 1 - 1e-6
    assert said[0] @ theirs.text(np.array([3, 4, 5, 3, 6, 1] + [0] * 6)) > 1 - 1e-6
    assert said[1] @ theirs.text(np.array([7, 1] + [0] * 10)) > 1 - 1e-6
    assert (encoder.about.width, encoder.about.window_tokens, encoder.about.bias) == (WIDTH, 12, -12.5)
    assert encoder.embed_images([]).shape == (0, WIDTH)


def test_a_file_is_seen_as_a_person_sees_it(encoder: ImageTextEncoder) -> None:
    """Bytes are decoded upright and on white, then read like any other picture."""
    image = picture(4)
    clear = image.convert("RGBA")
    clear.putalpha(Image.new("L", image.size, 0))
    white = Image.new("RGB", image.size, "white")

    rows = encoder.embed_pictures((png(image), png(clear)))

    np.testing.assert_array_equal(rows, encoder.embed_images([image, white]))


@pytest.mark.parametrize(("data", "code"), [(b"", "unknown-format"), (b"\x89PNG\r\n\x1a\n" + b"x" * 40, "broken")])
def test_what_is_no_picture_is_unseen(encoder: ImageTextEncoder, data: bytes, code: str) -> None:
    """With why, and without a word of what stands in it."""
    with pytest.raises(Unseen) as raised:
        encoder.embed_pictures((data,))
    assert raised.value.code in (code, "unknown-format", "broken")


def test_in_a_process_of_its_own(folder: Path, encoder: ImageTextEncoder) -> None:
    """The worker gives the same vectors, and one picture that is none costs one answer."""
    process = EncoderProcess(ref(folder, weights="float"))
    image = picture(7)

    np.testing.assert_allclose(process.embed_pictures((png(image),)), encoder.embed_images([image]), atol=1e-6)
    pid = process.pid
    with pytest.raises(Unseen) as raised:
        process.embed_pictures((b"nothing",))
    assert raised.value.code == "unknown-format"
    np.testing.assert_allclose(process.embed_texts(("cat", "dog")), encoder.embed_texts(("cat", "dog")), atol=1e-6)

    assert process.pid == pid
    assert process.about.scale == pytest.approx(90, rel=1e-5)
    with pytest.raises(Unavailable, match="this encoder does zero-shot"):
        process.embed(("cat",))
    process.close()


def test_no_pictures_are_no_rows(folder: Path) -> None:
    """An empty ask stays one of pictures."""
    process = EncoderProcess(ref(folder))
    assert process.embed_pictures(()).shape == (0, WIDTH)
    assert process.embed_texts(()).shape == (0, WIDTH)
    process.close()


def _damaged(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\xff" * 100)


def _no_preprocessor(folder: Path) -> None:
    (folder / "preprocessor_config.json").unlink()


def _other_size(folder: Path) -> None:
    path = folder / "preprocessor_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"size": {"height": 33, "width": 34}}))


def _no_fixed_size(folder: Path) -> None:
    path = folder / "preprocessor_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"size": {"shortest_edge": 34}}))


def _small_vocabulary(folder: Path) -> None:
    weights = tensors()
    name = "text_model.embeddings.token_embedding.weight"
    weights[name] = weights[name][:-1]
    tiny_siglip(folder, weights)
    config = json.loads((folder / "config.json").read_text())
    config["text_config"]["vocab_size"] -= 1
    (folder / "config.json").write_text(json.dumps(config))


def _not_numbers(folder: Path) -> None:
    weights = tensors()
    weights["vision_model.post_layernorm.weight"][:] = np.nan
    tiny_siglip(folder, weights)


def _evil_export(folder: Path) -> None:
    (folder / "openvino_model.xml").write_text('<?xml version="1.0"?><net name="x" version="11"><layers>')


@pytest.mark.parametrize(
    "spoil",
    [_damaged, _no_preprocessor, _other_size, _no_fixed_size, _small_vocabulary, _not_numbers, _evil_export],
)
def test_parts_that_dont_belong_together(spoil: Any, tmp_path: Path) -> None:
    """Opening is an Unavailable that names a remedy, whatever is wrong."""
    spoil(tiny_siglip(tmp_path))
    with pytest.raises(Unavailable, match=r"fetch|export"):
        open_encoder(ref(tmp_path))


def test_only_openvino_runs_it(folder: Path) -> None:
    """Another runtime is refused."""
    with pytest.raises(Unavailable, match="OpenVINO alone"):
        open_encoder(ref(folder, runtime="onnx"))


def test_a_directory_tells_what_it_is(folder: Path, tmp_path: Path) -> None:
    """By its config.json and its weights, without opening it."""
    assert reads_pictures(folder)
    assert not reads_pictures(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    assert not reads_pictures(tmp_path)
