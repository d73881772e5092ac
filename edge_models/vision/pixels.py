"""Pictures from somewhere, as pixels: nothing is decoded before its size is known to be bearable.

A few formats are read; what else Pillow could is not tried. What comes back is
RGB as a person sees it: turned as its EXIF says, what is transparent put on white, other colours as sRGB where its profile
says how. Whatever else a file holds (EXIF, text chunks, thumbnails, what is behind its end) isn't in it.

A file of several frames is told with all that differ, since a secret may stand in the seventh; if that are too many, it
can't be looked at. A photograph with a second one behind it (MPO, as cameras write for depth and gain) is its first.
"""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
from typing import Any, Final, NamedTuple

from PIL import ExifTags, Image, ImageCms

from edge_models.vision.limits import BROKEN, TOO_LARGE, TOO_MANY_FRAMES, TOO_MANY_PIXELS, UNKNOWN
from edge_models.vision.limits import USUAL as USUAL
from edge_models.vision.limits import Limits as Limits
from edge_models.vision.limits import Unseeable as Unseeable

FORMS: Final = {
    "PNG": "png",
    "JPEG": "jpeg",
    "MPO": "jpeg",
    "GIF": "gif",
    "WEBP": "webp",
    "AVIF": "avif",
    "BMP": "bmp",
    "TIFF": "tiff",
}
"""Pillow's names, and ours."""
_TROUBLE: Final = (
    OSError, SyntaxError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RuntimeError, AssertionError,
    EOFError, struct.error,
)  # fmt: skip
"""What Pillow's plugins raise for files that lie: seen in fuzzing, and in their code."""


class Upright(NamedTuple):
    """What a person would see. form: the file's real format. frames: how many it has.

    image: RGB, the first frame. others: the further frames that differ from all before them, as (number, RGB).
    """

    image: Image.Image
    form: str
    frames: int
    others: tuple[tuple[int, Image.Image], ...] = ()


def opened(data: bytes, limits: Limits) -> Upright:
    """Decode a picture. Raises Unseeable."""
    if len(data) > limits.size_bytes:
        raise Unseeable(TOO_LARGE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's are about odd metadata, and about sizes, which are checked here
        try:
            return _decoded(data, limits)
        except Image.DecompressionBombError as error:
            raise Unseeable(TOO_MANY_PIXELS) from error
        except Image.UnidentifiedImageError as error:
            raise Unseeable(UNKNOWN) from error
        except _TROUBLE as error:
            raise Unseeable(BROKEN) from error


def _decoded(data: bytes, limits: Limits) -> Upright:
    with Image.open(io.BytesIO(data), formats=tuple(name for name in FORMS if name != "MPO")) as file:
        form = FORMS.get(file.format or "")
        if form is None:
            raise Unseeable(UNKNOWN)
        _check(file, limits)
        first = seen(file)
        if file.format in ("JPEG", "MPO", "BMP"):
            return Upright(first, form, 1)
        return _with_frames(file, first, form, limits)


def _with_frames(file: Image.Image, first: Image.Image, form: str, limits: Limits) -> Upright:
    known = {_digest(first)}
    others: list[tuple[int, Image.Image]] = []
    number, pixels = 0, first.width * first.height
    while _goes_to(file, number + 1):
        number += 1
        _check(file, limits)
        pixels += file.width * file.height
        if number >= limits.all_frames or pixels > limits.all_pixels:
            raise Unseeable(TOO_MANY_FRAMES)
        frame = seen(file)
        if (digest := _digest(frame)) in known:
            continue
        if len(known) >= limits.frames:
            raise Unseeable(TOO_MANY_FRAMES)
        known.add(digest)
        others.append((number, frame))
    return Upright(first, form, number + 1, tuple(others))


def _goes_to(file: Image.Image, number: int) -> bool:
    try:
        file.seek(number)
    except EOFError:
        return False
    return True


def _digest(image: Image.Image) -> bytes:
    return hashlib.blake2b(image.tobytes(), digest_size=16, key=b"%d" % image.width).digest()


def _check(image: Image.Image, limits: Limits) -> None:
    """By what its header says."""
    if not image.width or not image.height:
        raise Unseeable(BROKEN)
    if image.width * image.height > limits.pixels or max(image.size) > limits.side:
        raise Unseeable(TOO_MANY_PIXELS)


def seen(image: Image.Image) -> Image.Image:
    """A frame in RGB, upright."""
    turn = _orientation(image)
    image.load()
    flat = _in_srgb(image)
    flat.info = {}
    return turn(flat) if turn else flat


def _orientation(image: Image.Image) -> Any:
    """How it has to be turned; None: not at all. What can't be read turns nothing."""
    try:
        said = image.getexif().get(ExifTags.Base.Orientation)
    except _TROUBLE:
        return None
    method = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_270,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_90,
    }.get(said if isinstance(said, int) else 0)
    return None if method is None else lambda flat: flat.transpose(method)


def _in_srgb(image: Image.Image) -> Image.Image:
    image = _eight_bits(image)
    if image.has_transparency_data:
        whole = image.convert("RGBA")
        flat = Image.new("RGB", whole.size, "white")
        flat.paste(whole, mask=whole.getchannel("A"))
        return flat
    if image.mode in ("RGB", "CMYK") and (profile := image.info.get("icc_profile")):
        return _by_profile(image, profile)
    return image.convert("RGB")


def _eight_bits(image: Image.Image) -> Image.Image:
    """Of deeper greys: 16 bits by their high byte, whole and real numbers by the range that they use."""
    if image.mode not in ("I", "F") and not image.mode.startswith("I;"):
        return image
    wide = image.convert("I") if image.mode != "F" else image
    low, high = wide.getextrema()
    assert isinstance(low, int | float)
    assert isinstance(high, int | float)
    if image.mode.startswith("I;") or (image.mode == "I" and low >= 0 and high <= 0xFFFF):
        low, high = 0, 0xFFFF
    if not low < high < float("inf"):
        return Image.new("L", image.size, 0 if high <= 0 else 255)
    scale = 255 / (high - low)
    return wide.convert("F").point(lambda value: value * scale + -low * scale).convert("L")


def _by_profile(image: Image.Image, profile: bytes) -> Image.Image:
    """By its colour profile, if that is one. A profile that is broken or for other colours is left aside."""
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if "sRGB" in ImageCms.getProfileDescription(source):
            return image.convert("RGB")
        made = ImageCms.profileToProfile(image, source, _SRGB, outputMode="RGB")
    except (*_TROUBLE, ImageCms.PyCMSError):
        return image.convert("RGB")
    return made if made is not None else image.convert("RGB")


_SRGB: Final = ImageCms.createProfile("sRGB")
