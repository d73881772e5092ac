"""From pictures to numbers, by hand; training/test_vision_reference.py holds the same to transformers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from edge_models.engines.base import Unavailable
from edge_models.vision.preprocess import Preprocessor, Steps, cropped, edges, read_preprocessor, steps_of
from tests.fakes.siglip import PREPROCESSOR, picture

PLAIN = {"do_resize": False, "do_rescale": False, "do_normalize": False}


def test_the_steps_by_hand() -> None:
    """A pixel is its 8-bit value over 255, less the mean, over the deviation, channels first and red first of them."""
    image = Image.new("RGB", (2, 1), (255, 102, 0))
    image.putpixel((1, 0), (0, 0, 255))
    steps = steps_of(PREPROCESSOR | {"do_resize": False, "image_mean": [0.5, 0.4, 0.1], "image_std": [0.5, 0.2, 0.1]})
    found = Preprocessor(steps).pixels(image)
    np.testing.assert_allclose(found, [[[1, -1]], [[0, -2]], [[-1, 9]]], atol=1e-6)
    assert found.dtype == np.float32


@pytest.mark.parametrize("code", range(6))
def test_the_filter_is_the_configurations(code: int) -> None:
    """`resample` is Pillow's own number."""
    image = picture()
    found = Preprocessor(steps_of(PREPROCESSOR | {"resample": code, **{k: False for k in PLAIN if k != "do_resize"}}))
    expected = np.asarray(image.resize((34, 34), Image.Resampling(code)))
    assert (found.pixels(image) == expected.transpose(2, 0, 1)).all()


@pytest.mark.parametrize(
    ("size", "shape", "expected"),
    [
        ({"height": 20, "width": 30}, (100, 50), (20, 30)),
        ({"shortest_edge": 20}, (100, 50), (40, 20)),
        ({"shortest_edge": 20}, (50, 101), (20, 40)),
        ({"shortest_edge": 20, "longest_edge": 30}, (100, 50), (30, 15)),
        ({"shortest_edge": 20, "longest_edge": 90}, (100, 50), (40, 20)),
        ({"shortest_edge": 50, "longest_edge": 100}, (100, 50), (100, 50)),
        ({"max_height": 50, "max_width": 50}, (100, 200), (25, 50)),
    ],
)
def test_every_form_of_size(size: dict[str, int], shape: tuple[int, int], expected: tuple[int, int]) -> None:
    """(height, width) that comes out of the four forms that transformers know."""
    assert edges(size, *shape) == expected


def test_a_number_is_a_square_or_the_shorter_edge() -> None:
    """By the kind of processor, or by what the file says of it."""
    assert steps_of(PREPROCESSOR | {"size": 20}).size == {"shortest_edge": 20}  # as SigLIP's has it
    assert steps_of(PREPROCESSOR | {"size": 20, "default_to_square": True}).size == {"height": 20, "width": 20}
    assert steps_of(PREPROCESSOR | {"size": [20, 30]}).size == {"height": 20, "width": 30}
    clip = {"image_processor_type": "CLIPFeatureExtractor"}
    assert steps_of(clip | {"size": 20, "crop_size": 18}).crop == (18, 18)
    assert steps_of(clip).size == {"shortest_edge": 224}


def test_the_crop_is_around_the_middle_and_pads_with_black() -> None:
    """Too small a picture gets a black border before anything is subtracted from it."""
    values = np.arange(1, 17, dtype=np.uint8).reshape(1, 4, 4)
    assert cropped(values, 2, 2).tolist() == [[[6, 7], [10, 11]]]
    assert cropped(values, 6, 2)[0, :, 0].tolist() == [0, 2, 6, 10, 14, 0]
    steps = Steps(size=None, crop=(3, 3), factor=1 / 255, mean=(0.5,) * 3, std=(0.5,) * 3)
    assert Preprocessor(steps).pixels(Image.new("RGB", (1, 1), "white"))[0].tolist() == [
        [-1] * 3,
        [-1, 1, -1],
        [-1] * 3,
    ]


def test_the_order_of_channels_may_be_turned() -> None:
    """Some encoders read blue first (do_flip_channel_order)."""
    image = Image.new("RGB", (1, 1), (10, 20, 30))
    steps = steps_of(PLAIN | {"do_flip_channel_order": True})
    assert Preprocessor(steps).pixels(image).ravel().tolist() == [30, 20, 10]


def test_colours_are_converted_only_if_it_says_so() -> None:
    """A grey picture becomes RGB, or is refused where the configuration converts none."""
    grey = Image.new("L", (1, 1), 7)
    assert Preprocessor(steps_of(PLAIN | {"do_convert_rgb": True})).pixels(grey).ravel().tolist() == [7, 7, 7]
    with pytest.raises(ValueError, match="not RGB"):
        Preprocessor(steps_of(PLAIN)).pixels(grey)


def test_a_strip_is_refused() -> None:
    """A picture of 1 x 100,000 can't be brought to a size by its shorter edge."""
    with pytest.raises(ValueError, match="narrow"):
        edges({"shortest_edge": 224}, 1, 100_000)
    assert edges({"shortest_edge": 2, "longest_edge": 10}, 1, 100_000) == (1, 10)


def test_what_newer_transformers_write_is_read(tmp_path: Path) -> None:
    """processor_config.json holds the same under `image_processor`."""
    (tmp_path / "processor_config.json").write_text(json.dumps({"image_processor": PREPROCESSOR}))
    inside = read_preprocessor(tmp_path).steps
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR))
    assert read_preprocessor(tmp_path).steps == inside
    assert read_preprocessor(tmp_path).shape == (34, 34)


@pytest.mark.parametrize(
    "odd",
    [
        {"do_pad": True},
        {"do_thumbnail": True},
        {"rescale_offset": True},
        {"crop_pct": 0.9},
        {"resample": 9},
        {"size": {"longest_edge": 20}},
        {"size": {"height": 0, "width": 4}},
        {"size": {"height": 10**6, "width": 4}},
        {"size": [1, 2, 3]},
        {"do_center_crop": True, "crop_size": {"shortest_edge": 3}},
        {"image_mean": [0.5]},
        {"image_std": [0.5, 0.5, 0.0]},
        {"image_mean": "grey"},
        {"size": "large"},
        {"image_processor_type": "NewImageProcessor", "do_rescale": None},
        {"image_processor_type": "NewImageProcessor", "resample": None},
        {"image_processor_type": "NewImageProcessor", "image_mean": None},
        {"image_processor_type": "NewImageProcessor", "crop_size": 3},
    ],
)
def test_what_cant_be_followed_is_refused(odd: dict[str, Any]) -> None:
    """A step that isn't known, or that nobody says how to do, is an Unavailable and no guess."""
    with pytest.raises(Unavailable, match=r"preprocessor_config\.json"):
        Preprocessor(steps_of(PREPROCESSOR | odd))


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"[" * 200_000, b'{"size": {"height": "\\ud800"}}'])
def test_hostile_files(data: bytes, tmp_path: Path) -> None:
    """Whatever stands in the file, reading it is an Unavailable."""
    (tmp_path / "preprocessor_config.json").write_bytes(data)
    with pytest.raises(Unavailable, match="fetch"):
        read_preprocessor(tmp_path)
    with pytest.raises(Unavailable, match=r"no preprocessor_config\.json"):
        read_preprocessor(tmp_path / "nowhere")
