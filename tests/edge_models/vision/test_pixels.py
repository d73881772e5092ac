"""Pictures from somewhere, as pixels: what is decoded, how it is seen, and what isn't touched."""

from __future__ import annotations

import io
import random
import struct
import time
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageDraw, PngImagePlugin, features

from edge_models.vision.pixels import USUAL, Limits, Unseeable, opened

RED, GREEN, BLUE = (255, 0, 0), (0, 128, 0), (0, 0, 255)
LOSSLESS = ("PNG", "GIF", "BMP", "TIFF")
FORMATS = (*LOSSLESS, "JPEG", "WEBP", *(("AVIF",) if features.check("avif") else ()))


def saved(image: Image.Image, format: str, **how: object) -> bytes:
    out = io.BytesIO()
    image.save(out, format, **how)
    return out.getvalue()


def corners(mode: str = "RGB") -> Image.Image:
    """A white picture of 40x20 with a red top left corner and a blue bottom right one."""
    image = Image.new("RGB", (40, 20), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 9, 9), fill=RED)
    draw.rectangle((30, 10, 39, 19), fill=BLUE)
    return image.convert(mode)


def code(data: bytes, limits: Limits = USUAL) -> str:
    with pytest.raises(Unseeable) as caught:
        opened(data, limits)
    return caught.value.code


def near(seen: object, wanted: tuple[int, int, int], by: int = 12) -> bool:
    assert isinstance(seen, tuple)
    return all(abs(int(a) - b) <= by for a, b in zip(seen, wanted, strict=True))


def png(width: int, height: int, body: bytes, depth: int = 8, colour: int = 2, *more: tuple[bytes, bytes]) -> bytes:
    """A PNG by hand, with whatever in its header."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    inner = b"".join(chunk(*each) for each in more)
    return b"\x89PNG\r\n\x1a\n" + head + inner + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("format", FORMATS)
def test_formats(format: str) -> None:
    """Each format that is read comes out as the same picture, under its own name."""
    seen = opened(saved(corners(), format), USUAL)
    assert (seen.form, seen.image.size, seen.image.mode, seen.frames) == (format.lower(), (40, 20), "RGB", 1)
    assert near(seen.image.getpixel((3, 3)), RED, 60)
    assert near(seen.image.getpixel((36, 16)), BLUE, 60)


@pytest.mark.parametrize("format", ["PPM", "ICO", "TGA", "PCX", "EPS", "PDF", "JPEG2000", "DDS", "SGI"])
def test_other_formats(format: str) -> None:
    """What else Pillow could read is not tried."""
    assert code(saved(corners(), format)) == "unknown-format"


@pytest.mark.parametrize("data", [b"", b"\x89PNG", b"GIF89a", b"hello", b"<svg/>", bytes(1000)])
def test_no_picture(data: bytes) -> None:
    """What is no picture is told as such."""
    assert code(data) in ("unknown-format", "broken")


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation(orientation: int) -> None:
    """A photograph is turned as its EXIF says, for all eight ways."""
    methods = (None, *(getattr(Image.Transpose, name) for name in (
        "FLIP_LEFT_RIGHT", "ROTATE_180", "FLIP_TOP_BOTTOM", "TRANSPOSE", "ROTATE_90", "TRANSVERSE", "ROTATE_270",
    )))  # fmt: skip
    method = methods[orientation - 1]
    stored = corners() if method is None else corners().transpose(method)
    exif = Image.Exif()
    exif[0x0112] = orientation
    seen = opened(saved(stored, "JPEG", exif=exif, quality=95), USUAL).image
    assert seen.size == (40, 20)
    assert near(seen.getpixel((3, 3)), RED, 40)
    assert near(seen.getpixel((36, 16)), BLUE, 40)


def test_broken_exif() -> None:
    """EXIF that nobody can read turns nothing, and hides nothing."""
    data = saved(corners(), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xff" + bytes(range(200)))
    assert opened(data, USUAL).image.size == (40, 20)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "I;16", "LA", "RGBA"])
def test_modes(mode: str) -> None:
    """Every kind of pixel that a PNG has is seen as RGB."""
    source = corners("L").convert("I").point(lambda value: value * 257).convert("I;16") if mode == "I;16" else None
    seen = opened(saved(source or corners(mode), "PNG"), USUAL).image
    assert seen.mode == "RGB"
    assert near(seen.getpixel((20, 10)), (255, 255, 255))
    assert not near(seen.getpixel((36, 16)), (255, 255, 255))


def test_sixteen_bits() -> None:
    """Sixteen bits of grey are seen by their high byte, not cut off at white."""
    deep = Image.new("I;16", (4, 4), 0x8000)
    assert near(opened(saved(deep, "PNG"), USUAL).image.getpixel((1, 1)), (128, 128, 128), 1)
    assert near(opened(saved(deep, "TIFF"), USUAL).image.getpixel((1, 1)), (128, 128, 128), 1)


def test_real_numbers() -> None:
    """A picture of real numbers is seen over the range that it uses, and one that holds no numbers is no accident."""
    image = Image.new("F", (2, 1), 0.0)
    image.putpixel((1, 0), 5.0)
    seen = opened(saved(image, "TIFF"), USUAL).image
    assert [seen.getpixel((x, 0)) for x in (0, 1)] == [(0, 0, 0), (255, 255, 255)]
    assert opened(saved(Image.new("F", (2, 1), float("nan")), "TIFF"), USUAL).image.size == (2, 1)


def test_alpha() -> None:
    """What is transparent is white, whatever colour is hidden under it."""
    image = Image.new("RGBA", (2, 1), (0, 0, 0, 0))
    image.putpixel((1, 0), (255, 0, 0, 255))
    seen = opened(saved(image, "PNG"), USUAL).image
    assert [seen.getpixel((x, 0)) for x in (0, 1)] == [(255, 255, 255), RED]
    palette = corners("P")
    white = palette.getpixel((20, 10))
    assert near(opened(saved(palette, "PNG", transparency=white), USUAL).image.getpixel((20, 10)), (255, 255, 255))
    assert near(opened(saved(corners("RGB"), "PNG", transparency=RED), USUAL).image.getpixel((3, 3)), (255, 255, 255))


def test_cmyk() -> None:
    """Printers' colours are seen as a screen shows them."""
    seen = opened(saved(corners("CMYK"), "JPEG", quality=95), USUAL).image
    assert near(seen.getpixel((3, 3)), RED, 60)
    assert near(seen.getpixel((20, 3)), (255, 255, 255), 10)


def test_profile() -> None:
    """A colour profile that is none, or for other colours, changes nothing; a real one is obeyed."""
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    for profile in (b"nonsense", bytes(300), lab):
        assert opened(saved(corners(), "PNG", icc_profile=profile), USUAL).image.getpixel((3, 3)) == RED
    xyz = ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()
    assert opened(saved(corners(), "PNG", icc_profile=xyz), USUAL).image.size == (40, 20)


def frames(count: int, same: bool = False) -> list[Image.Image]:
    made = []
    for number in range(count):
        image = Image.new("RGB", (30, 30), "white")
        ImageDraw.Draw(image).rectangle((0, 0, 1 if same else number + 1, 5), fill=BLUE)
        made.append(image)
    return made


@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP", "TIFF"])
def test_frames(format: str) -> None:
    """All frames that differ are there, with their numbers."""
    first, *others = frames(4)
    data = saved(first, format, save_all=True, append_images=others)
    seen = opened(data, USUAL)
    assert seen.frames == 4
    assert [number for number, _ in seen.others] == [1, 2, 3]
    assert near(seen.others[2][1].getpixel((4, 2)), BLUE, 60)
    assert near(seen.image.getpixel((4, 2)), (255, 255, 255), 60)


def test_repeated_frames() -> None:
    """Frames that were seen before count once, so that a long animation of a few pictures can be looked at."""
    first, second, *_ = frames(2)
    data = saved(first, "TIFF", save_all=True, append_images=[second, first, second] * 20)
    seen = opened(data, USUAL)
    assert (seen.frames, len(seen.others)) == (61, 1)


def test_too_many_frames() -> None:
    """A secret in a frame that nobody looked at must not leave: more than so many make it unseeable."""
    first, *others = frames(14)
    assert code(saved(first, "GIF", save_all=True, append_images=others)) == "too-many-frames"
    assert code(saved(first, "TIFF", save_all=True, append_images=[first] * 400)) == "too-many-frames"
    limits = Limits(all_pixels=30 * 30 * 5)
    assert code(saved(first, "TIFF", save_all=True, append_images=[first] * 9), limits) == "too-many-frames"


def test_a_frame_breaks() -> None:
    """A file whose later frame is damaged is not seen as its first one alone."""
    first, *others = frames(4)
    data = saved(first, "WEBP", save_all=True, append_images=others)
    assert code(data[: len(data) * 2 // 3]) == "broken"


def test_too_large() -> None:
    """A file over the limit is not looked into."""
    assert code(saved(corners(), "BMP"), Limits(size_bytes=100)) == "too-large"


def test_too_many_pixels() -> None:
    """By its header alone: nothing is decoded."""
    for size in ((60_000, 60_000), (2**31 - 1, 2**31 - 1), (30_000, 1), (8_000, 8_000)):
        began = time.process_time()
        assert code(png(*size, zlib.compress(b""))) == "too-many-pixels", size
        assert time.process_time() - began < 0.5
    assert code(png(0, 5, zlib.compress(b""))) in ("broken", "unknown-format")


def test_a_bomb() -> None:
    """A few kilobytes that would be gigabytes are refused, or end with the picture that their header tells."""
    packed = zlib.compress(bytes(200_000_000), 9)
    assert len(packed) < 250_000
    began = time.process_time()
    assert opened(png(20, 20, packed), USUAL).image.size == (20, 20)
    text = zlib.compress(b"a" * 50_000_000, 9)
    body = zlib.compress(b"\0" * 61 * 20)
    assert code(png(20, 20, body, 8, 2, (b"zTXt", b"Comment\0\0" + text))) == "broken"
    assert code(png(20, 20, body, 8, 2, (b"iTXt", b"Comment\0\1\0\0\0" + text))) == "broken"
    assert time.process_time() - began < 2


def test_words_beside_the_picture_are_not_in_it() -> None:
    """Text chunks and what stands behind the end belong to the file, not to the picture."""
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "the secret of the seventh frame")
    seen = opened(saved(corners(), "PNG", pnginfo=info) + b"and something behind it", USUAL)
    assert saved(seen.image, "PNG") == saved(corners(), "PNG")
    assert seen.image.info == {}


SAMPLES = {format: saved(corners(), format) for format in FORMATS} | {
    "animated": saved(frames(3)[0], "GIF", save_all=True, append_images=frames(3)[1:])
}
SMALL = Limits(size_bytes=1 << 20, pixels=1 << 20)


def looked(data: bytes) -> None:
    """It is a picture within the limits, or unseeable: nothing else."""
    try:
        seen = opened(data, SMALL)
    except Unseeable as error:
        assert error.code in ("too-large", "too-many-pixels", "too-many-frames", "unknown-format", "broken")
    else:
        assert seen.image.mode == "RGB"
        assert seen.image.width * seen.image.height <= SMALL.pixels


@pytest.mark.parametrize("format", sorted(SAMPLES))
def test_truncated(format: str) -> None:
    """A file that ends anywhere is a picture or unseeable."""
    data = SAMPLES[format]
    for end in range(0, len(data), max(1, len(data) // 60)):
        looked(data[:end])


@pytest.mark.parametrize("format", sorted(SAMPLES))
def test_damaged(format: str) -> None:
    """So is one with any bytes changed."""
    draw = random.Random(format)
    for _ in range(100):
        data = bytearray(SAMPLES[format])
        for _ in range(draw.choice((1, 2, 8))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        looked(bytes(data))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.binary(max_size=200), st.integers(0, 400), st.integers(0, 100))
def test_random_bytes(format: str, noise: bytes, at: int, over: int) -> None:
    """So is one with noise anywhere in it, and noise alone."""
    data = SAMPLES[format]
    looked(data[:at] + noise + data[at + over :])
    looked(data[:12] + noise)
    looked(noise)


def test_photograph_with_another_behind_it() -> None:
    """Cameras put a second picture behind a photograph: it is a JPEG, and its first picture is what is seen."""
    data = saved(corners(), "MPO", save_all=True, append_images=[Image.new("RGB", (7, 7), "black")])
    seen = opened(data, USUAL)
    assert (seen.form, seen.frames, seen.image.size, seen.others) == ("jpeg", 1, (40, 20), ())
