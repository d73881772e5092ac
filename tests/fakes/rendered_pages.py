"""Pages of planted personal data and secrets, drawn for measuring what is read of them: made up, the same for the same seed."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from daemon.signals.machine_readable import check_digit

FONTS: Final[Mapping[str, str | None]] = {
    "sans": "LiberationSans-Regular.ttf",
    "serif": "DejaVuSerif.ttf",
    "mono": "DejaVuSansMono.ttf",
}
_FIRST: Final = [
    "Anna",
    "Peter",
    "Maria",
    "Jonas",
    "Clara",
    "Felix",
    "Ingrid",
    "Marco",
    "Sofia",
    "Daniel",
    "Yusuf",
    "Elena",
    "Hugo",
    "Nina",
    "Oscar",
]
_LAST: Final = [
    "Miller",
    "Schneider",
    "Rossi",
    "Dupont",
    "Novak",
    "Larsen",
    "Garcia",
    "Keller",
    "Yilmaz",
    "Fischer",
    "Lindqvist",
    "Moreau",
    "Hansen",
    "Weber",
]
_STREETS: Final = ["Garden Street", "Mill Road", "Station Avenue", "Church Lane", "Park Drive"]
_TOWNS: Final = ["Hamburg", "Lyon", "Leeds", "Turin", "Malmo", "Ghent", "Porto"]
_FILLING: Final = [
    "thank",
    "you",
    "for",
    "your",
    "message",
    "about",
    "the",
    "delivery",
    "of",
    "last",
    "week",
    "we",
    "have",
    "looked",
    "into",
    "it",
    "and",
    "found",
    "that",
    "the",
    "parcel",
    "was",
    "sent",
    "on",
    "time",
    "please",
    "keep",
    "this",
    "letter",
    "with",
    "your",
    "documents",
    "and",
    "tell",
    "us",
    "of",
    "any",
    "change",
    "by",
    "the",
    "end",
    "of",
    "the",
    "month",
]


class Planted(Struct, frozen=True):
    """A value, its class, and the line that it stands in."""

    label: str
    value: str
    line: str


class Page(Struct, frozen=True):
    """A drawn page. font, angle (degrees), quality (JPEG; 0: PNG): how."""

    data: bytes
    planted: tuple[Planted, ...]
    font: str
    angle: float
    quality: int
    lines: int
    width: int
    height: int


def planted(draw: random.Random) -> tuple[Planted, ...]:
    """One value of each class."""
    first, last = draw.choice(_FIRST), draw.choice(_LAST)
    year, month, day = draw.randint(1950, 2004), draw.randint(1, 12), draw.randint(1, 28)
    digits = lambda count: "".join(draw.choices("0123456789", k=count))  # noqa: E731
    passport = draw.choice("CFGHJK") + digits(8)
    card = _with_luhn("4" + digits(14))
    iban = _iban("DE", digits(18))
    zone = f"{passport}{check_digit(passport)}D<<{year % 100:02}{month:02}{day:02}"
    zone += f"{check_digit(zone[-6:])}{draw.choice('MF')}"
    expiry = f"{draw.randint(27, 35)}{draw.randint(1, 12):02}{draw.randint(1, 28):02}"
    zone += f"{expiry}{check_digit(expiry)}<<<<<<<<<<<<<<0"
    key = "sk-proj-" + "".join(draw.choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=32))
    rows = (
        ("PERSON", f"{first} {last}", "Dear Mr/Ms {}, as agreed"),
        ("EMAIL_ADDRESS", f"{first}.{last}@{draw.choice(('posteo.de', 'orange.fr', 'kpn.nl'))}".lower(), "E-mail: {}"),
        ("PHONE_NUMBER", f"+49 {draw.randint(30, 89)} {digits(4)} {digits(4)}", "Phone: {}"),
        ("IBAN_CODE", " ".join(iban[at : at + 4] for at in range(0, len(iban), 4)), "IBAN {}"),
        ("CREDIT_CARD", " ".join(card[at : at + 4] for at in range(0, 16, 4)), "Card {} (Visa)"),
        ("PASSPORT_NUMBER", passport, "Passport no. {}"),
        ("DATE_OF_BIRTH", f"{day:02}.{month:02}.{year}", "Date of birth: {}"),
        ("STREET_ADDRESS", f"{draw.randint(1, 250)} {draw.choice(_STREETS)}", "Address: {}, " + draw.choice(_TOWNS)),
        ("MRZ", zone, "{}"),
        ("SECRET", key, "OPENAI_API_KEY={}"),
        (
            "IP_ADDRESS",
            f"{draw.randint(80, 190)}.{draw.randint(1, 250)}.{draw.randint(1, 250)}.{draw.randint(1, 250)}",
            "Host {} is up",
        ),
    )
    return tuple(Planted(label, value, form.format(value)) for label, value, form in rows)


def pages(count: int, seed: int, megapixels: float = 1.0, filling: int = 4) -> Iterator[Page]:
    """Pages in all fonts by turns; every third upright, others turned by up to 10 degrees; half as JPEG of quality 50.

    filling: lines of nobody's words among those that hold a value.
    """
    draw = random.Random(seed)
    for number in range(count):
        font = list(FONTS)[number % len(FONTS)]
        angle = 0.0 if number % 3 == 0 else draw.uniform(-10, 10)
        yield page(draw, font, angle, 50 if number % 2 else 0, megapixels, filling)


def page(draw: random.Random, font: str, angle: float, quality: int, megapixels: float, filling: int) -> Page:
    """One of them."""
    values = planted(draw)
    lines = [each.line for each in values]
    for _ in range(filling):
        lines.insert(draw.randint(0, len(lines)), " ".join(draw.choices(_FILLING, k=9)))
    width = int((megapixels * 1e6 * 0.75) ** 0.5)
    height = int(width / 0.75)
    size = max(16, int(width / 46))
    face = ImageFont.truetype(FONTS[font], size)
    image = Image.new("RGB", (width, height), draw.choice(("white", "#fbf8f0", "#eef2f5")))
    pen = ImageDraw.Draw(image)
    step = (height - 120) // len(lines)
    for number, line in enumerate(lines):
        pen.text((60, 60 + number * step), line, fill=draw.choice(("black", "#222233")), font=face)
    if angle:
        image = image.rotate(angle, expand=True, fillcolor="#77706a", resample=Image.Resampling.BICUBIC)
    if draw.random() < 0.3:
        image = image.filter(ImageFilter.GaussianBlur(0.6))
    held = io.BytesIO()
    image.save(held, "JPEG", quality=quality) if quality else image.save(held, "PNG")
    return Page(held.getvalue(), values, font, angle, quality, len(lines), image.width, image.height)


def _with_luhn(digits: str) -> str:
    from daemon.signals.pii import luhn

    return next(digits + last for last in "0123456789" if luhn(digits + last) == 0)


def _iban(country: str, account: str) -> str:
    number = int("".join(str(int(sign, 36)) for sign in account + country + "00"))
    return f"{country}{98 - number % 97:02}{account}"
