"""From a picture to the numbers that a vision encoder reads, as its preprocessor_config.json says.

Bit for bit what transformers' image processors on Pillow and numpy give for the same picture
(`image_processing_backends.PilBackend`; training/test_vision_reference.py holds it to them): resize of 8-bit pixels by
Pillow, crop, one multiplication in float64 rounded to float32, and mean and deviation in float32. Their processors on
torchvision resize otherwise, by up to one grey level. What a configuration asks for beyond that is refused: a step left out
gives vectors that look sound and are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from PIL import Image

from edge_models.engines.base import Unavailable
from edge_models.plain_files import open_plain
from edge_models.pooling import Floats

FILES: Final = ("preprocessor_config.json", "processor_config.json")
"""Where it stands: by itself, or as newer transformers write it, inside the whole processor's."""
MOST_SIDE: Final = 4096
"""Pixels of what is made; the largest encoder that we know reads 1024."""
_MOST_BYTES: Final = 1 << 20
_FILTERS: Final = {int(each): each for each in Image.Resampling}
_BICUBIC, _BILINEAR = int(Image.Resampling.BICUBIC), int(Image.Resampling.BILINEAR)
_HALF: Final = (0.5, 0.5, 0.5)
_CLIP: Final = {
    "resample": _BICUBIC,
    "size": {"shortest_edge": 224},
    "do_center_crop": True,
    "crop_size": {"height": 224, "width": 224},
    "image_mean": (0.48145466, 0.4578275, 0.40821073),
    "image_std": (0.26862954, 0.26130258, 0.27577711),
    "do_convert_rgb": True,
    "default_to_square": False,
}
_SIGLIP: Final = {
    "resample": _BICUBIC,
    "size": {"height": 224, "width": 224},
    "image_mean": _HALF,
    "image_std": _HALF,
    "do_convert_rgb": True,
    "default_to_square": False,
}
_VIT: Final = {
    "resample": _BILINEAR,
    "size": {"height": 224, "width": 224},
    "image_mean": _HALF,
    "image_std": _HALF,
}
_DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "SiglipImageProcessor": _SIGLIP,
    "CLIPImageProcessor": _CLIP,
    "ViTImageProcessor": _VIT,
}
"""What each of transformers' classes does where its file says nothing (its class attributes)."""
_STEPS: Final = frozenset(
    {"do_resize", "do_center_crop", "do_rescale", "do_normalize", "do_convert_rgb", "do_flip_channel_order"}
)
_HARMLESS: Final = frozenset({"do_reduce_labels", "do_lower_case"})
"""Steps that touch no picture."""


class _Config(Struct, frozen=True):
    """What is read of the file; None: it says nothing of it."""

    image_processor_type: str | None = None
    feature_extractor_type: str | None = None
    do_resize: bool | None = None
    size: dict[str, int | None] | list[int] | int | None = None
    default_to_square: bool | None = None
    resample: int | None = None
    do_center_crop: bool | None = None
    crop_size: dict[str, int | None] | list[int] | int | None = None
    do_rescale: bool | None = None
    rescale_factor: float | None = None
    do_normalize: bool | None = None
    image_mean: tuple[float, ...] | float | None = None
    image_std: tuple[float, ...] | float | None = None
    do_convert_rgb: bool | None = None
    do_flip_channel_order: bool | None = None


class Steps(Struct, frozen=True, kw_only=True):
    """What is done to a picture, in this order; None: it isn't.

    convert: to RGB, whatever it is. size: how large it becomes, in one of the forms of `edges`. resample: Pillow's filter.
    crop: (height, width) around its middle. factor: of each number. flip: from RGB to BGR. mean, std: for each channel.
    """

    convert: bool = True
    size: dict[str, int] | None = None
    resample: int = _BICUBIC
    crop: tuple[int, int] | None = None
    factor: float | None = 1 / 255
    flip: bool = False
    mean: tuple[float, float, float] | None = None
    std: tuple[float, float, float] | None = None


class Preprocessor:
    """One configuration."""

    def __init__(self, steps: Steps) -> None:
        """Raises Unavailable if such steps make no sense."""
        self.steps = steps
        self._filter = _FILTERS.get(steps.resample)
        if steps.size and self._filter is None:
            raise _odd(f"resample {steps.resample}", "it is none of Pillow's filters, 0 to 5")
        if (steps.mean is None) != (steps.std is None) or 0 in (steps.std or ()):
            raise _odd("image_mean and image_std", "both are needed, and no deviation may be 0")
        self.shape = self._shape()

    def _shape(self) -> tuple[int, int] | None:
        """(height, width) of what comes out; None: it depends on the picture."""
        size = self.steps.size or {}
        if self.steps.crop:
            return self.steps.crop
        return (size["height"], size["width"]) if "height" in size and "shortest_edge" not in size else None

    def pixels(self, image: Image.Image) -> Floats:
        """(3, height, width). Raises ValueError for a picture that isn't RGB, where the configuration converts none."""
        if image.mode != "RGB":
            if not self.steps.convert:
                raise ValueError(
                    "the picture is not RGB, and its encoder's configuration converts none (do_convert_rgb)"
                )
            image = image.convert("RGB")
        if self.steps.size:
            height, width = edges(self.steps.size, image.height, image.width)
            image = image.resize((width, height), self._filter)
        values: NDArray[Any] = np.asarray(image, np.uint8).transpose(2, 0, 1)
        if self.steps.crop:
            values = cropped(values, *self.steps.crop)
        if self.steps.factor is not None:
            values = (values.astype(np.float64) * self.steps.factor).astype(np.float32)
        if self.steps.flip:
            values = values[::-1]
        whole: Floats = np.ascontiguousarray(values, np.float32)
        if self.steps.mean and self.steps.std:
            mean, std = (np.array(each, np.float32)[:, None, None] for each in (self.steps.mean, self.steps.std))
            whole = (whole - mean) / std
        return whole


def edges(size: Mapping[str, int], height: int, width: int) -> tuple[int, int]:
    """(height, width) that a picture of this height and width is brought to. size: in one of transformers' forms."""
    if "shortest_edge" in size and "longest_edge" in size:
        return _between(height, width, size["shortest_edge"], size["longest_edge"])
    if "shortest_edge" in size:
        short = size["shortest_edge"]
        long = int(short * max(height, width) / min(height, width))
        made = (long, short) if width <= height else (short, long)
    elif "max_height" in size:
        scale = min(size["max_height"] / height, size["max_width"] / width)
        made = (int(height * scale), int(width * scale))
    else:
        made = (size["height"], size["width"])
    return _bearable(*made)


def _between(height: int, width: int, shortest: int, longest: int) -> tuple[int, int]:
    """The shorter edge as wanted, unless the longer one would be too long then (transformers, as DETR has it)."""
    short, long = min(height, width), max(height, width)
    exact: float = shortest
    if long / short * shortest > longest:
        exact = longest * short / long
        shortest = round(exact)
    if short == shortest:
        return height, width
    other = int(exact * long / short)
    return _bearable(*((other, shortest) if width < height else (shortest, other)))


def _bearable(height: int, width: int) -> tuple[int, int]:
    """A strip of pixels can't be brought to a size by its shorter edge: the other would be miles long."""
    if max(height, width) > MOST_SIDE:
        raise ValueError(f"the picture is so narrow that it would become over {MOST_SIDE} pixels long")
    return max(1, height), max(1, width)


def cropped(values: NDArray[Any], height: int, width: int) -> NDArray[Any]:
    """The middle of (channels, rows, columns); black around what is smaller."""
    rows, columns = values.shape[-2:]
    top, left = (rows - height) // 2, (columns - width) // 2
    if top < 0 or left < 0:
        whole = (max(height, rows), max(width, columns))
        above, before = ceil((whole[0] - rows) / 2), ceil((whole[1] - columns) / 2)
        larger = np.zeros((*values.shape[:-2], *whole), values.dtype)
        larger[..., above : above + rows, before : before + columns] = values
        values, top, left = larger, top + above, left + before
    return values[..., max(0, top) : top + height, max(0, left) : left + width]


def read_preprocessor(directory: Path) -> Preprocessor:
    """What the directory's file says. Raises Unavailable."""
    file = next((directory / name for name in FILES if (directory / name).is_file()), None)
    if file is None:
        raise Unavailable("the encoder's directory has no preprocessor_config.json: fetch it again, whole")
    try:
        with open_plain(file) as opened:
            data = opened.read(_MOST_BYTES + 1)
        whole = msgspec.json.decode(data if len(data) <= _MOST_BYTES else b"", type=dict[str, msgspec.Raw])
        if file.name == FILES[1]:
            whole = msgspec.json.decode(whole.get("image_processor", b"{}"), type=dict[str, msgspec.Raw])
        said = {name: msgspec.json.decode(raw) for name, raw in whole.items()}
    except (OSError, ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise Unavailable(f"the encoder's {file.name} is damaged or no such file: fetch it again") from error
    return Preprocessor(steps_of(said))


def steps_of(said: Mapping[str, Any]) -> Steps:
    """A preprocessor_config.json as steps. Raises Unavailable for one that can't be followed to the letter."""
    try:
        config = msgspec.convert(dict(said), _Config)
    except (ValueError, RecursionError) as error:
        raise Unavailable(
            "the encoder's preprocessor_config.json is damaged or no such file: fetch it again"
        ) from error
    unknown = sorted(
        name for name, value in said.items() if name.startswith("do_") and value and name not in _STEPS | _HARMLESS
    )
    if unknown or said.get("rescale_offset") or said.get("crop_pct") is not None:
        raise _odd(", ".join(unknown) or "rescale_offset or crop_pct", "that step is not known here")
    kind = (config.image_processor_type or config.feature_extractor_type or "").removesuffix("Fast").removesuffix("Pil")
    kind = kind.replace("FeatureExtractor", "ImageProcessor")
    defaults = _DEFAULTS.get(kind, {})
    untold = [name for name in ("do_resize", "do_rescale", "do_normalize") if getattr(config, name) is None]
    if config.do_center_crop is None and config.crop_size is not None:
        untold.append("do_center_crop")
    if kind not in _DEFAULTS and untold:
        raise _odd(", ".join(untold), "the file doesn't say it, and its kind (image_processor_type) is not known here")

    def value(name: str, otherwise: Any = None) -> Any:
        found = getattr(config, name)
        return defaults.get(name, otherwise) if found is None else found

    size = _size("size", value("size"), value("default_to_square", True)) if value("do_resize", True) else None
    crop = _size("crop_size", value("crop_size"), True) if value("do_center_crop", False) else None
    if value("do_resize", True) and (size is None or value("resample") is None):
        raise _odd("do_resize", "neither the file nor its kind says the size and the filter (resample)")
    if crop is not None and set(crop) != {"height", "width"}:
        raise _odd("crop_size", "it has to have a height and a width")
    normalize = value("do_normalize", True)
    mean, std = (_three(name, value(name)) if normalize else None for name in ("image_mean", "image_std"))
    if normalize and (mean is None or std is None):
        raise _odd("do_normalize", "neither the file nor its kind says image_mean and image_std")
    return Steps(
        convert=bool(value("do_convert_rgb", False)),
        size=size,
        resample=value("resample", _BICUBIC),
        crop=(crop["height"], crop["width"]) if crop else None,
        factor=value("rescale_factor", 1 / 255) if value("do_rescale", True) else None,
        flip=bool(value("do_flip_channel_order", False)),
        mean=mean,
        std=std,
    )


_FORMS: Final = (
    {"height", "width"},
    {"shortest_edge"},
    {"shortest_edge", "longest_edge"},
    {"max_height", "max_width"},
)


def _size(name: str, said: Any, square: bool) -> dict[str, int] | None:
    """One of transformers' forms as a table: a number is a square, or the shorter edge; two are height and width."""
    match said:
        case None:
            return None
        case int():
            found = {"height": said, "width": said} if square else {"shortest_edge": said}
        case list() if len(said) == 2:
            found = {"height": said[0], "width": said[1]}
        case dict():
            found = {key: number for key, number in said.items() if number is not None}
        case _:
            found = {}
    if set(found) not in _FORMS or not all(0 < number <= MOST_SIDE for number in found.values()):
        raise _odd(name, f"it is no size of 1 to {MOST_SIDE} pixels in a form that is known here")
    return found


def _three(name: str, said: Any) -> tuple[float, float, float] | None:
    numbers = (said,) * 3 if isinstance(said, int | float) else said
    if numbers is None:
        return None
    if len(numbers) != 3:
        raise _odd(name, "it has to have a number for each of red, green and blue")
    red, green, blue = map(float, numbers)
    return red, green, blue


def _odd(what: str, why: str) -> Unavailable:
    return Unavailable(f"the encoder's preprocessor_config.json can't be followed in {what}: {why}; take another model")
