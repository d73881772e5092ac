"""What all drawn pictures share: chance, fonts, words of nobody, colours, surfaces, faces of nobody."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Colour: TypeAlias = tuple[int, int, int]
Picture: TypeAlias = Image.Image

_FOLDERS: Final = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
    "C:/Windows/Fonts",
)
_FAMILIES: Final = {
    "sans": ("DejaVuSans", "LiberationSans", "NimbusSans", "URWGothic", "Arial", "Helvetica", "DejaVuSansCondensed"),
    "serif": ("DejaVuSerif", "LiberationSerif", "NimbusRoman", "P052", "C059", "URWBookman", "Times", "Georgia"),
    "mono": ("DejaVuSansMono", "LiberationMono", "NimbusMonoPS", "NotoMono", "Courier", "Menlo", "Consolas"),
}
_SYLLABLES: Final = tuple(
    (  # noqa: SIM905
        "ba be bi bo bra ca ce cla da de do dri el en er fa fe fo ga ge gra ha he hi in is ja ka ke ko la le li lo ma "
        "me mi mo na ne ni no or pa pe pla po ra re ri ro sa se si so sta ta te ti to tra un va ve vi wa we za ze"
    ).split()
)
_PLAIN: Final = tuple(
    (  # noqa: SIM905
        "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they "
        "which one you were all her she there would their we him been has when who will no more if out so up said "
        "what its about than into them can only other time new some could these two may first then do any like my now "
        "over such our man me even most made after also did many off before must well back through years where much "
        "your way down should because long each just state those people too mr how little good world make very year "
        "still see work order report annual service agreement payment market results value figure table method signal "
        "model energy water system control growth"
    ).split()
)


class Pen:
    """One picture's chance, and what it may draw with. photos: photographs that may be parts of it; () for none."""

    def __init__(self, seed: str, photos: Sequence[Picture] = ()) -> None:
        self.random = Random(seed)
        self.photos = photos
        self.noise = np.random.default_rng(self.random.getrandbits(32))

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def between(self, low: int, high: int) -> int:
        return self.random.randint(low, max(low, high))

    def pick(self, values: Sequence[Any]) -> Any:
        return self.random.choice(values)

    def font(self, size: float, family: str = "sans", bold: bool = False) -> Any:
        """A font of that family, of those that are installed; Pillow's own where there is none."""
        found = fonts(family, bold)
        return ImageFont.truetype(self.pick(found), max(6, int(size))) if found else ImageFont.load_default(size)

    def word(self) -> str:
        """A word that nobody has."""
        return "".join(self.pick(_SYLLABLES) for _ in range(self.between(2, 4)))

    def plain(self) -> str:
        """A common one, or one that nobody has."""
        return str(self.pick(_PLAIN)) if self.chance(0.7) else self.word()

    def words(self, count: int) -> str:
        return " ".join(self.plain() for _ in range(count))

    def name(self) -> str:
        return f"{self.word().title()} {self.word().title()}"

    def digits(self, count: int) -> str:
        return "".join(str(self.between(0, 9)) for _ in range(count))

    def code(self, count: int) -> str:
        return "".join(self.pick("ABCDEFGHJKLMNPRSTUVWXYZ0123456789") for _ in range(count))

    def date(self) -> str:
        day, month, year = self.between(1, 28), self.between(1, 12), self.between(1940, 2035)
        found: str = self.pick(
            (f"{day:02}.{month:02}.{year}", f"{day:02}/{month:02}/{year}", f"{year}-{month:02}-{day:02}",
             f"{day:02} {self.pick(('JAN', 'MAR', 'MAI', 'JUN', 'SEP', 'OCT', 'DEC'))} {year}")
        )  # fmt: skip
        return found

    def money(self) -> str:
        return f"{self.between(0, 300)}{self.pick('.,')}{self.between(0, 99):02}"

    def colour(self, low: int = 0, high: int = 255) -> Colour:
        return (self.between(low, high), self.between(low, high), self.between(low, high))

    def pale(self) -> Colour:
        return self.colour(205, 255)

    def paper(self) -> Colour:
        white = self.between(238, 255)
        return (white, white - self.between(0, 8), white - self.between(0, 16))

    def ink(self) -> Colour:
        found: Colour = self.pick(((0, 0, 0), (20, 20, 24), (40, 40, 40), (25, 30, 70), (60, 20, 20)))
        return found

    def blank(self, width: int, height: int, colour: Colour) -> tuple[Picture, ImageDraw.ImageDraw]:
        image = Image.new("RGB", (width, height), colour)
        return image, ImageDraw.Draw(image)

    def surface(self, width: int, height: int) -> Picture:
        """A table, cloth, wall or floor: noise of several sizes in one colour; or a part of a photograph."""
        if self.photos and self.chance(0.3):
            return self.photo(width, height)
        base = np.array(self.colour(20, 230), np.float32)
        field = np.zeros((height, width), np.float32)
        for scale, weight in ((4, 6), (16, 10), (64, 14)):
            rough = self.noise.normal(size=(height // scale + 2, width // (scale * self.pick((1, 1, 6))) + 2))
            rough = Image.fromarray(rough.astype(np.float32)).resize((width, height), Image.Resampling.BILINEAR)
            field += weight * self.random.random() * np.asarray(rough)
        image = Image.fromarray(np.clip(base + field[..., None], 0, 255).astype(np.uint8))
        if self.chance(0.4):
            draw, step = ImageDraw.Draw(image), self.between(30, 160)
            line = tuple(int(c * 0.7) for c in base)
            for at in range(0, max(width, height), step):
                draw.line((at, 0, at, height) if self.chance(0.9) else (0, at, width, at), line, self.between(1, 3))
        return image

    def gradient(self, width: int, height: int, first: Colour, second: Colour) -> Picture:
        angle = self.random.random() * 6.3
        across, down = np.meshgrid(np.linspace(-0.5, 0.5, width), np.linspace(-0.5, 0.5, height))
        share = np.clip(0.5 + across * np.cos(angle) + down * np.sin(angle), 0, 1)[..., None]
        mixed = np.array(first) * (1 - share) + np.array(second) * share
        return Image.fromarray(mixed.astype(np.uint8))

    def photo(self, width: int, height: int) -> Picture:
        """A part of a photograph, or where there are none, coloured blurs."""
        if not self.photos:
            small = self.noise.integers(0, 255, (5, 5, 3)).astype(np.uint8)
            return Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)
        source = self.pick(self.photos)
        share = self.random.uniform(0.3, 1.0)
        wide = max(16, int(min(source.width, source.height * width / height) * share))
        high = max(16, min(source.height, int(wide * height / width)))
        left, top = self.between(0, source.width - wide), self.between(0, source.height - high)
        return source.crop((left, top, left + wide, top + high)).resize((width, height), Image.Resampling.BILINEAR)

    def face(self, width: int, height: int) -> Picture:
        """A face of nobody, as on a card: head, hair, shoulders; soft, with a little noise."""
        scale = 2
        wide, high = width * scale, height * scale
        back = self.pick(((235, 235, 235), (200, 215, 230), (170, 190, 215), (245, 240, 225), (210, 210, 200)))
        image, draw = self.blank(wide, high, back)
        skin = self.pick(
            ((236, 195, 170), (224, 172, 140), (198, 134, 96), (141, 85, 54), (92, 58, 40), (250, 215, 195))
        )
        hair = self.pick(((30, 22, 18), (70, 45, 25), (120, 85, 45), (200, 170, 110), (150, 150, 150), (90, 30, 20)))
        centre, top = wide * self.random.uniform(0.46, 0.54), high * self.random.uniform(0.14, 0.24)
        across, down = wide * self.random.uniform(0.21, 0.27), high * self.random.uniform(0.24, 0.3)
        if self.chance(0.5):
            draw.ellipse((centre - across * 1.35, top - 0.1 * high, centre + across * 1.35, top + down * 2.6), hair)
        cloth = self.colour(10, 180)
        draw.ellipse((centre - wide * 0.5, high * 0.74, centre + wide * 0.5, high * 1.6), cloth)
        draw.rectangle((centre - across * 0.45, top + down * 1.6, centre + across * 0.45, high * 0.82), skin)
        draw.ellipse((centre - across, top, centre + across, top + down * 2.05), skin)
        draw.chord(
            (centre - across * 1.08, top - 0.05 * high, centre + across * 1.08, top + down * 1.5), 180, 360, hair
        )
        darker = (skin[0] * 6 // 10, skin[1] * 6 // 10, skin[2] * 6 // 10)
        for side in (-0.42, 0.42):
            x, y = centre + across * side, top + down * 0.95
            draw.ellipse((x - across * 0.16, y - down * 0.06, x + across * 0.16, y + down * 0.06), (250, 250, 250))
            draw.ellipse((x - across * 0.08, y - down * 0.06, x + across * 0.08, y + down * 0.06), self.colour(10, 90))
            draw.line((x - across * 0.2, y - down * 0.17, x + across * 0.2, y - down * 0.17), hair, max(2, wide // 70))
        draw.line((centre, top + down, centre - across * 0.1, top + down * 1.35), darker, max(1, wide // 90))
        mouth = (centre - across * 0.35, top + down * 1.5, centre + across * 0.35, top + down * 1.66)
        draw.ellipse(mouth, (170, 80, 80))
        image = image.filter(ImageFilter.GaussianBlur(wide / 90)).resize((width, height), Image.Resampling.BILINEAR)
        values = np.asarray(image, np.float32)
        light = np.linspace(self.random.uniform(0.75, 1.1), self.random.uniform(0.75, 1.1), width)[None, :, None]
        values = (values * light + self.noise.normal(0, 5, values.shape)).astype(np.float32)
        return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


_found: dict[tuple[str, bool], tuple[str, ...]] = {}


def fonts(family: str, bold: bool = False) -> tuple[str, ...]:
    """Paths of what is installed of a family, sorted."""
    if (family, bold) not in _found:
        files = [file for folder in _FOLDERS for kind in ("ttf", "otf") for file in Path(folder).rglob(f"*.{kind}")]
        kept = [
            str(file)
            for file in files
            if file.stem.partition("-")[0] in _FAMILIES[family] and "Italic" not in file.stem and "Obl" not in file.stem
        ]
        weighty = [path for path in kept if ("Bold" in path or "Demi" in path) == bold]
        _found[family, bold] = tuple(sorted(weighty or kept))
    return _found[family, bold]
