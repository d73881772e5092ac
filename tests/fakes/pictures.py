"""Pictures with words in them: drawn, painted over by Pillow, and looked at by eyes that see what is left of each letter.

`DrawnEyes` knows what was drawn and reads a letter only if its pixels are still there, so it tells what a painted picture
shows without any OCR, and reads what OCR would miss.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont, ImageOps

from daemon.boundary.boxes import Box, Point
from daemon.boundary.painting import Form
from providers.contract import Image, Line, Request, Sight
from providers.texts import carried, with_carried

FONTS: Final = tuple(
    str(path)
    for name in ("LiberationSans-Regular", "LiberationSerif-Regular", "LiberationMono-Regular", "DejaVuSans")
    for path in Path("/usr/share/fonts/truetype").glob(f"*/{name}.ttf")
)
"""Of this machine: metrics of Arial, Times and Courier. Without them Pillow's own is all that there is."""


def data_of(url: str) -> bytes:
    """What a `data:` URL of ours holds."""
    return base64.b64decode(url.partition(";base64,")[2], validate=True)


def url_of(data: bytes, form: str) -> str:
    """The other way round."""
    return f"data:image/{form};base64,{base64.b64encode(data).decode()}"


class Letter(NamedTuple):
    """One that was drawn. corners: from the top left, in reading direction, tight around its pixels."""

    at: int
    character: str
    corners: Box


class Drawn(NamedTuple):
    """A picture, what there is to see in it, and where each letter stands."""

    picture: Pictures.Image
    sight: Sight
    letters: tuple[Letter, ...]

    def data(self, form: str = "PNG", **options: object) -> bytes:
        """As a file."""
        file = io.BytesIO()
        self.picture.save(file, form, **options)  # type: ignore[arg-type]
        return file.getvalue()

    def part(self, form: str = "png", seen: bool = True) -> Image:
        """As a part of a request."""
        sight = replace(self.sight, form=form) if seen else None
        return Image(url_of(self.data(form.upper()), form), sight=sight)


def drawn(
    lines: Iterable[str],
    *,
    font: str | None = None,
    size: int = 24,
    angle: float = 0.0,
    sure: float = 1.0,
    kinds: dict[str, float] | None = None,
) -> Drawn:
    """A page with lines of words, turned by some degrees against the clock."""
    face = ImageFont.truetype(font, size) if font else ImageFont.load_default(size)
    said = tuple(lines)
    width = 80 + max(math.ceil(face.getlength(line)) for line in said)
    height = 80 + len(said) * size * 2
    page = Pictures.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(page)
    turned = page.rotate(angle, expand=True)
    found: list[Line] = []
    letters: list[Letter] = []
    at = 0

    def corners(left: float, top: float, right: float, bottom: float) -> Box:
        def turn(x: float, y: float) -> Point:
            radians = math.radians(angle)
            from_x, from_y = x - width / 2, y - height / 2
            return (
                from_x * math.cos(radians) + from_y * math.sin(radians) + turned.width / 2,
                -from_x * math.sin(radians) + from_y * math.cos(radians) + turned.height / 2,
            )

        return (turn(left, top), turn(right, top), turn(right, bottom), turn(left, bottom))

    for number, line in enumerate(said):
        x, y = 40.0, 40.0 + number * size * 2
        pen.text((x, y), line, "black", font=face)
        if line.strip():
            found.append(Line(at, at + len(line), corners(*pen.textbbox((x, y), line, font=face)), sure))
        for place, character in enumerate(line):
            behind = face.getlength(line[: place + 1])
            left, top, right, bottom = pen.textbbox((x + behind - face.getlength(character), y), character, font=face)
            if character.strip():
                letters.append(Letter(at + place, character, corners(left, top, right, bottom)))
        at += len(line) + 1
    picture = page.rotate(angle, Pictures.Resampling.BICUBIC, expand=True, fillcolor="white")
    sight = Sight(
        form="png",
        width=picture.width,
        height=picture.height,
        text="\n".join(said),
        lines=tuple(found),
        kinds=kinds if kinds is not None else {"document": 0.97},
    )
    return Drawn(picture, sight, tuple(letters))


class PillowPainter:
    """Paints for real. asked: (boxes, max_side, form) of each call."""

    def __init__(self, brush: str | None = "black") -> None:
        self.brush = brush
        self.asked: list[tuple[tuple[Box, ...], int, Form | None]] = []

    async def paint(self, url: str, boxes: tuple[Box, ...], max_side: int, form: Form | None) -> bytes:
        """As the contract has it; without a brush nothing is painted over."""
        self.asked.append((boxes, max_side, form))
        opened = Pictures.open(io.BytesIO(data_of(url)))
        form = form or ("jpeg" if opened.format == "JPEG" else "png")
        picture = ImageOps.exif_transpose(opened).convert("RGB")
        pen = ImageDraw.Draw(picture)
        for box in boxes if self.brush else ():
            pen.polygon(list(box), fill=self.brush)
        picture.thumbnail((max_side, max_side))
        file = io.BytesIO()
        bare = Pictures.frombytes("RGB", picture.size, picture.tobytes())
        bare.save(file, form.upper(), **({"quality": 90} if form == "jpeg" else {}))
        return file.getvalue()


class DrawnEyes:
    """Looks at pictures that were drawn, whatever became of them. looked: at how many."""

    def __init__(self, *pages: Drawn) -> None:
        self._pages = pages
        self.looked = 0

    async def look(self, request: Request) -> Request:
        """Sights for those that have none."""
        found = {}
        for path, part in carried(request):
            if part.sight is None:
                self.looked += 1
                found[path] = replace(part, sight=self.read(data_of(part.url)))
        return with_carried(request, found)

    def read(self, data: bytes) -> Sight:
        """What is still there of the page that has this shape."""
        picture = Pictures.open(io.BytesIO(data)).convert("L")
        page = min(
            self._pages, key=lambda each: abs(each.picture.width / each.picture.height - picture.width / picture.height)
        )
        scale = picture.width / page.picture.width
        before = _reduced(page.picture, picture.size)
        left = {letter.at for letter in page.letters if _is_there(letter, before, picture, scale)}
        text = "".join(
            character if character.isspace() or at in left else " " for at, character in enumerate(page.sight.text)
        )
        lines = tuple(
            replace(line, box=tuple((x * scale, y * scale) for x, y in line.box)) for line in page.sight.lines
        )
        form = (Pictures.open(io.BytesIO(data)).format or "").lower()
        return replace(page.sight, form=form, width=picture.width, height=picture.height, text=text, lines=lines)


def _reduced(picture: Pictures.Image, size: tuple[int, int]) -> Pictures.Image:
    return picture.convert("L").resize(size)


def _is_there(letter: Letter, before: Pictures.Image, after: Pictures.Image, scale: float) -> bool:
    """Whether a third of its dark pixels are as dark as they were, and stand on light ground."""
    xs, ys = [x * scale for x, _ in letter.corners], [y * scale for _, y in letter.corners]
    area = (math.floor(min(xs)), math.floor(min(ys)), math.ceil(max(xs)), math.ceil(max(ys)))
    old, new = before.crop(area).tobytes(), after.crop(area).tobytes()
    same = sum(abs(one - other) < 60 for one, other in zip(old, new, strict=True))
    return same > len(old) / 3 and max(new) - min(new) > 60


@cache
def fonts() -> tuple[str | None, ...]:
    """Those that can be drawn with here; None: Pillow's own."""
    return (None, *FONTS)
