"""Files that are nothing but pixels."""

from __future__ import annotations

import io
from typing import Any, Final

import pytest
from PIL import ExifTags, Image, ImageCms, PngImagePlugin

from daemon.boundary.bare import form_of

PICTURE: Final = Image.effect_noise((320, 240), 80).convert("RGB")
CANARY: Final = b"canary-5F2A"


def saved(form: str, picture: Image.Image = PICTURE, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    "options", [{}, {"progressive": True}, {"quality": 98, "subsampling": 0}, {"restart_marker_rows": 1}]
)
def test_jpegs_of_pixels_are_bare(options: dict[str, Any]) -> None:
    """However they are compressed."""
    assert form_of(saved("JPEG", **options)) == "jpeg"


@pytest.mark.parametrize("mode", ["RGB", "L", "P"])
def test_pngs_of_pixels_are_bare(mode: str) -> None:
    """With a palette as well."""
    assert form_of(saved("PNG", PICTURE.convert(mode))) == "png"


def exif() -> Image.Exif:
    told = Image.Exif()
    told[ExifTags.Base.Artist] = CANARY.decode()
    told.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] = (51.0, 30.0, 0.0)
    return told


def text() -> PngImagePlugin.PngInfo:
    told = PngImagePlugin.PngInfo()
    told.add_text("Author", CANARY.decode())
    return told


PROFILE: Final = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("JPEG", {"exif": exif()}),
        ("JPEG", {"comment": CANARY}),
        ("JPEG", {"icc_profile": PROFILE}),
        ("JPEG", {"xmp": b"<x>" + CANARY + b"</x>"}),
        ("PNG", {"exif": exif()}),
        ("PNG", {"pnginfo": text()}),
        ("PNG", {"icc_profile": PROFILE}),
        ("PNG", {"dpi": (72, 72)}),
        ("GIF", {}),
        ("WEBP", {}),
        ("BMP", {}),
    ],
    ids=lambda given: given if isinstance(given, str) else "".join(given) or "plain",
)
def test_anything_else_is_not(form: str, options: dict[str, Any]) -> None:
    """Whoever took it and where, comments, profiles, other formats."""
    assert form_of(saved(form, **options)) is None


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_nothing_may_follow_the_end(form: str) -> None:
    """Phones put films there."""
    whole = saved(form)
    assert form_of(whole + CANARY) is None
    assert form_of(whole + whole) is None
    assert form_of(whole[:-1]) is None


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_a_torn_file_is_none(form: str) -> None:
    """Wherever it is cut; and nothing raises."""
    whole = saved(form)
    assert [at for at in range(0, len(whole), 97) if form_of(whole[:at]) is not None] == []


def test_a_thumbnail_in_jfif_counts() -> None:
    """The header may hold one."""
    whole = saved("JPEG")
    assert whole[2:4] == b"\xff\xe0"
    thumbnail = b"\x01\x01" + CANARY[:3]
    header = whole[6:18] + thumbnail
    assert form_of(whole[:4] + (len(header) + 2).to_bytes(2) + header + whole[20:]) is None
