"""Identity documents of countries that don't exist: passports, cards, licences, permits, visas."""

from __future__ import annotations

import math
from typing import Final

from PIL import Image, ImageDraw

from edge_models.training.pictures.pen import Colour, Pen, Picture

_TITLES: Final = {
    "passport": (
        "PASSPORT",
        "PASSEPORT",
        "REISEPASS",
        "PASAPORTE",
        "PASSAPORTO",
        "PASSAPORTE",
        "PASZPORT",
        "PASSPORT / PASSEPORT",
    ),
    "card": (
        "IDENTITY CARD",
        "CARTE D'IDENTITE",
        "PERSONALAUSWEIS",
        "CARTA DI IDENTITA",
        "DOCUMENTO NACIONAL",
        "NATIONAL ID",
        "ID CARD",
    ),
    "licence": (
        "DRIVING LICENCE",
        "DRIVER LICENSE",
        "PERMIS DE CONDUIRE",
        "FÜHRERSCHEIN",
        "PATENTE DI GUIDA",
        "COMMERCIAL DRIVER",
    ),
    "permit": (
        "RESIDENCE PERMIT",
        "AUFENTHALTSTITEL",
        "TITRE DE SEJOUR",
        "PERMANENT RESIDENT",
        "WORK PERMIT",
        "EMPLOYMENT CARD",
    ),
    "visa": ("VISA", "VISUM", "VISTO", "VISADO"),
    "pass": ("STUDENT ID", "EMPLOYEE", "STAFF PASS", "HEALTH INSURANCE", "PRESS", "MEMBER ID"),
}
_FIELDS: Final = (
    "Surname / Nom", "Given names / Prénoms", "Name", "Nationality", "Date of birth", "Sex", "Place of birth",
    "Date of issue",
    "Date of expiry", "Authority", "Personal No.", "Height", "Eyes", "Address", "Document No.", "Geburtsdatum", "Apellidos",
    "1.", "2.", "3.", "4a.", "4b.", "5.", "9.", "DOB", "EXP", "CLASS", "ISS",
)  # fmt: skip


def passport(pen: Pen) -> Picture:
    """A page with a photograph and two machine-readable lines; sometimes the page above it too."""
    width = pen.between(700, 1100)
    height = int(width * pen.random.uniform(0.66, 0.74))
    page = _guilloche(pen, width, height)
    draw = ImageDraw.Draw(page)
    high = int(height * pen.random.uniform(0.42, 0.52))
    wide, top = int(high * 0.78), int(height * 0.16)
    left = int(width * 0.04) if pen.chance(0.85) else width - wide - int(width * 0.05)
    page.paste(_portrait(pen, wide, high), (left, top))
    title = pen.font(height / 18, pen.pick(("sans", "serif")), True)
    draw.text((width * 0.05, height * 0.035), pen.pick(_TITLES["passport"]), pen.ink(), title)
    if pen.chance(0.8):
        draw.text((width * 0.5, height * 0.035), pen.word().upper(), pen.colour(0, 120), title)
    start = left + wide + int(width * 0.04) if left < width / 2 else int(width * 0.05)
    _fields(pen, draw, start, int(height * 0.14), int(width * 0.55), int(height * 0.6), pen.between(6, 10), height / 40)
    _machine_lines(pen, draw, width, height, 2, 44)
    if pen.chance(0.35):
        other = _guilloche(pen, width, int(height * pen.random.uniform(0.5, 1)))
        both = Image.new("RGB", (width, height + other.height))
        both.paste(other, (0, 0))
        both.paste(page, (0, other.height))
        return both
    return page


def card(pen: Pen) -> Picture:
    """An identity card."""
    return _card(pen, "card")


def licence(pen: Pen) -> Picture:
    """A driving licence."""
    return _card(pen, "licence")


def permit(pen: Pen) -> Picture:
    """A residence permit."""
    return _card(pen, "permit")


def staff_pass(pen: Pen) -> Picture:
    """One that isn't a state's, upright or lying."""
    if pen.chance(0.5):
        return _card(pen, "pass")
    width = pen.between(380, 560)
    height = int(width * 1.58)
    image = _guilloche(pen, width, height) if pen.chance(0.4) else Image.new("RGB", (width, height), pen.pale())
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, int(height * 0.18)), pen.colour(0, 160))
    draw.text((width * 0.08, height * 0.05), pen.word().upper(), (255, 255, 255), pen.font(height / 16, bold=True))
    side = int(width * 0.5)
    image.paste(_portrait(pen, side, int(side * 1.2)), (width // 4, int(height * 0.22)))
    for row in range(pen.between(2, 4)):
        text = pen.pick((pen.name(), pen.digits(8), pen.pick(_TITLES["pass"])))
        draw.text((width * 0.2, height * (0.68 + 0.075 * row)), text, pen.ink(), pen.font(height / 24, bold=row == 0))
    return image


def card_back(pen: Pen) -> Picture:
    """Three machine-readable lines, a stripe or a code, small print."""
    width = pen.between(640, 1000)
    height = int(width * 0.63)
    image = _guilloche(pen, width, height)
    draw = ImageDraw.Draw(image)
    if pen.chance(0.4):
        draw.rectangle((0, height * 0.06, width, height * 0.2), (25, 20, 20))
    _fields(
        pen,
        draw,
        int(width * 0.06),
        int(height * 0.22),
        int(width * 0.6),
        int(height * 0.4),
        pen.between(3, 6),
        height / 26,
    )
    if pen.chance(0.6):
        _bars(pen, draw, int(width * 0.62), int(height * 0.1), int(width * 0.33), int(height * 0.25))
    if pen.chance(0.4):
        size = int(height * 0.26)
        image.paste(_portrait(pen, int(size * 0.8), size), (int(width * 0.76), int(height * 0.36)))
    _machine_lines(pen, draw, width, height, 3, 30)
    return image


def visa(pen: Pen) -> Picture:
    """A sticker in a passport."""
    width = pen.between(700, 1000)
    height = int(width * pen.random.uniform(0.6, 0.78))
    image = _guilloche(pen, width, height)
    draw = ImageDraw.Draw(image)
    draw.text(
        (width * 0.06, height * 0.05),
        pen.pick(_TITLES["visa"]),
        pen.colour(0, 140),
        pen.font(height / 10, "serif", True),
    )
    draw.text((width * 0.6, height * 0.07), pen.code(9), (170, 30, 30), pen.font(height / 16, "mono"))
    high = int(height * 0.45)
    if pen.chance(0.7):
        image.paste(_portrait(pen, int(high * 0.78), high), (int(width * 0.04), int(height * 0.2)))
    _fields(
        pen,
        draw,
        int(width * 0.35),
        int(height * 0.2),
        int(width * 0.6),
        int(height * 0.5),
        pen.between(5, 10),
        height / 32,
    )
    _machine_lines(pen, draw, width, height, 2, pen.pick((36, 44)))
    return image


def _card(pen: Pen, kind: str) -> Picture:
    width = pen.between(600, 1000)
    height = int(width * 0.63)
    image = _guilloche(pen, width, height)
    draw = ImageDraw.Draw(image)
    band = pen.chance(0.5)
    if band:
        draw.rectangle((0, 0, width, int(height * 0.15)), pen.colour(0, 170))
    title = pen.pick(_TITLES[kind])
    shade: Colour = (255, 255, 255) if band else pen.ink()
    draw.text(
        (width * pen.random.uniform(0.03, 0.35), height * 0.035),
        title,
        shade,
        pen.font(height / 13, bold=pen.chance(0.7)),
    )
    if pen.chance(0.4):
        draw.text((width * 0.04, height * 0.16), pen.word().upper(), pen.colour(0, 120), pen.font(height / 18))
    high = int(height * pen.random.uniform(0.48, 0.62))
    wide = int(high * pen.random.uniform(0.74, 0.82))
    right = pen.chance(0.25)
    left = width - wide - int(width * 0.05) if right else int(width * 0.04)
    image.paste(_portrait(pen, wide, high), (left, int(height * 0.24)))
    if pen.chance(0.35):
        small = int(high * 0.4)
        ghost = _portrait(pen, int(small * 0.8), small).convert("L").convert("RGB")
        image.paste(ghost, (int(width * (0.05 if right else 0.83)), int(height * 0.62)))
    start = int(width * 0.05) if right else left + wide + int(width * 0.04)
    _fields(pen, draw, start, int(height * 0.22), int(width * 0.5), int(height * 0.7), pen.between(5, 11), height / 26)
    if pen.chance(0.3):
        x, y, side = width * 0.8, height * 0.2, height * 0.14
        draw.rounded_rectangle((x, y, x + side * 1.25, y + side), 6, (212, 175, 85), (120, 95, 40), 2)
    if pen.chance(0.5):
        _signature(pen, draw, int(width * 0.45), int(height * 0.85), int(width * 0.25))
    return image


def _portrait(pen: Pen, width: int, height: int) -> Picture:
    face = pen.face(width, height)
    return face.convert("L").convert("RGB") if pen.chance(0.35) else face


def _fields(
    pen: Pen, draw: ImageDraw.ImageDraw, x: int, y: int, width: int, height: int, count: int, size: float
) -> None:
    label, value = pen.font(size * 0.75), pen.font(size * 1.15, pen.pick(("sans", "sans", "mono")), pen.chance(0.4))
    ink, pale = pen.ink(), pen.colour(40, 140)
    columns = pen.pick((1, 1, 2))
    step = height / math.ceil(count / columns)
    numbered = pen.chance(0.25)
    for number in range(count):
        left = x + (number % columns) * width // columns
        top = y + (number // columns) * step
        text = pen.pick(
            (pen.word().upper(), pen.word().upper(), pen.date(), pen.code(9), pen.name().upper(), pen.pick("MF"))
        )
        if numbered:
            draw.text((left, top), f"{number + 1}. {text}", ink, value)
        else:
            draw.text((left, top), pen.pick(_FIELDS), pale, label)
            draw.text((left, top + size), text, ink, value)


def machine_lines(pen: Pen, lines: int, length: int) -> list[str]:
    """Lines as machines read them, their check digits by chance."""
    name = f"{pen.word().upper()}<<{pen.word().upper()}"
    first = f"{pen.pick(('P<', 'ID', 'I<', 'V<', 'AR'))}{pen.code(3)}{name if lines == 2 else pen.code(9)}"
    middle = f"{pen.code(9)}{pen.digits(1)}{pen.code(3)}{pen.digits(7)}{pen.pick('MF<')}{pen.digits(7)}"
    found = [first, middle] if lines == 2 else [first, middle, name]
    return [line[:length].ljust(length, "<") for line in found]


def _machine_lines(pen: Pen, draw: ImageDraw.ImageDraw, width: int, height: int, lines: int, length: int) -> None:
    size = width * 0.92 / length / 0.6
    font, top = pen.font(size, "mono", pen.chance(0.3)), height - (lines * 1.4 + 0.5) * size
    if pen.chance(0.5):
        draw.rectangle((0, top - size * 0.4, width, height), pen.colour(225, 250))
    for number, line in enumerate(machine_lines(pen, lines, length)):
        draw.text((width * 0.04, top + number * 1.4 * size), line, (15, 15, 15), font)


def _guilloche(pen: Pen, width: int, height: int) -> Picture:
    """Paper with fine curved lines, as against copying."""
    image = pen.gradient(width, height, pen.colour(185, 250), pen.colour(185, 250))
    draw = ImageDraw.Draw(image)
    for _ in range(pen.pick((0, 1, 2, 3))):
        shade = pen.colour(140, 235)
        period, swing, step = pen.between(60, 400), pen.between(4, 60), pen.between(5, 22)
        for row in range(-swing, height + swing, step):
            phase = row * pen.pick((0.0, 0.01, 0.03))
            points = [(x, row + swing * math.sin(x / period * 6.28 + phase)) for x in range(0, width + 12, 12)]
            draw.line(points, shade, 1)
    if pen.chance(0.5):
        x, y, size = pen.between(0, width), pen.between(0, height), pen.between(height // 6, height // 2)
        for ring in range(0, size, max(4, size // 12)):
            draw.ellipse((x - ring, y - ring, x + ring, y + ring), None, pen.colour(150, 230), 1)
    return image


def _bars(pen: Pen, draw: ImageDraw.ImageDraw, x: int, y: int, width: int, height: int) -> None:
    at = x
    while at < x + width:
        wide = pen.between(1, 5)
        draw.rectangle((at, y, at + wide, y + height), (10, 10, 10))
        at += wide + pen.between(2, 6)


def _signature(pen: Pen, draw: ImageDraw.ImageDraw, x: int, y: int, width: int) -> None:
    points = [(x + width * n / 24, y + pen.between(-16, 16)) for n in range(25)]
    draw.line(points, (20, 25, 80), 2, "curve")


LOOKS: Final = (passport, passport, card, licence, permit, staff_pass, card_back, visa)
