"""Paper without a person's identity in its form: receipts, letters, invoices, forms, tables, articles, notes."""

from __future__ import annotations

from typing import Any, Final

from PIL import ImageDraw

from edge_models.training.pictures.pen import Pen, Picture


def receipt(pen: Pen) -> Picture:
    """A narrow strip: a shop, lines with prices, a total, a code."""
    width = pen.between(280, 480)
    size = width / pen.random.uniform(20, 30)
    rows = pen.between(5, 28)
    image, draw = pen.blank(width, int((rows + pen.between(12, 20)) * size * 1.35), pen.paper())
    font, ink = pen.font(size, pen.pick(("mono", "mono", "sans"))), pen.pick(((0, 0, 0), (50, 50, 60), (90, 90, 110)))
    y, margin = size, width * 0.06

    def centred(text: str, scale: float = 1.0) -> None:
        nonlocal y
        used = pen.font(size * scale, "mono", True) if scale > 1 else font
        draw.text(((width - draw.textlength(text, used)) / 2, y), text, ink, used)
        y += size * 1.35 * scale

    def row(left: str, right: str, scale: float = 1.0) -> None:
        nonlocal y
        used = pen.font(size * scale, "mono", True) if scale > 1 else font
        draw.text((margin, y), left, ink, used)
        draw.text((width - margin - draw.textlength(right, used), y), right, ink, used)
        y += size * 1.35 * scale

    centred(pen.word().upper() if pen.chance(0.7) else f"{pen.word()} {pen.word()}".title(), pen.pick((1.2, 1.5, 1.8)))
    for _ in range(pen.between(1, 4)):
        centred(
            pen.pick(
                (
                    f"{pen.word()} St. {pen.digits(2)}".title(),
                    f"Tel. {pen.digits(9)}",
                    pen.date(),
                    f"No {pen.digits(6)}",
                )
            )
        )
    _rule(pen, draw, y, width)
    y += size * 0.8
    for _ in range(rows):
        row(f"{pen.pick(('', '1 x ', '2 x ', '3 '))}{pen.word()}{pen.pick(('', ' ' + pen.word()))}"[:18], pen.money())
    _rule(pen, draw, y, width)
    y += size * 0.8
    for label in ("SUBTOTAL", pen.pick(("TAX 8%", "MwSt 19%", "VAT", "IVA 21%")))[: pen.between(0, 2)]:
        row(label, pen.money())
    row(pen.pick(("TOTAL", "SUMME", "TOTAL EUR", "Amount due")), pen.money(), pen.pick((1.0, 1.3, 1.5)))
    row(pen.pick(("CASH", "VISA ****" + pen.digits(4), "CARD", "EC-Karte")), pen.money())
    centred(pen.pick(("THANK YOU!", "Vielen Dank", "Merci de votre visite", "*** " + pen.digits(8) + " ***")))
    if pen.chance(0.5):
        _code(pen, draw, margin, y, width - 2 * margin, size * 3)
        y += size * 4
    return image.crop((0, 0, width, min(image.height, int(y + size * 2))))


def letter(pen: Pen) -> Picture:
    """An address, a date, paragraphs."""
    image, draw, width, height = _page(pen)
    family = pen.pick(("serif", "sans"))
    size, margin = width / pen.between(45, 75), width * pen.random.uniform(0.08, 0.13)
    font, ink, y = pen.font(size, family), pen.ink(), height * 0.07
    for line in (pen.name(), f"{pen.word().title()} {pen.digits(2)}", f"{pen.digits(5)} {pen.word().title()}"):
        draw.text((margin, y), line, ink, font)
        y += size * 1.4
    draw.text((width * 0.68, y), pen.date(), ink, font)
    y += size * 4
    draw.text((margin, y), pen.words(4).capitalize(), ink, pen.font(size * 1.1, family, True))
    y += size * 3
    while y < height * pen.random.uniform(0.6, 0.95):
        y = _paragraph(pen, draw, margin, y, width - 2 * margin, size, font, pen.between(2, 7)) + size
    return image


def article(pen: Pen) -> Picture:
    """A paper or a book's page, in one column or two, perhaps with a figure."""
    image, draw, width, height = _page(pen)
    family, size = pen.pick(("serif", "serif", "sans")), width / pen.between(60, 95)
    font, margin, y = pen.font(size, family), width * 0.08, height * 0.06
    if pen.chance(0.7):
        for _ in range(pen.between(1, 2)):
            title = pen.words(5).title()
            draw.text((margin, y), title, pen.ink(), pen.font(size * 1.8, family, True))
            y += size * 2.6
    columns = pen.pick((1, 2, 2))
    wide = (width - 2 * margin - (columns - 1) * size * 2) / columns
    for column in range(columns):
        x, down = margin + column * (wide + size * 2), y
        while down < height * 0.93:
            if pen.chance(0.18):
                draw.text(
                    (x, down),
                    f"{pen.between(1, 6)} {pen.words(2).title()}",
                    pen.ink(),
                    pen.font(size * 1.2, family, True),
                )
                down += size * 2
            if pen.chance(0.07) and down < height * 0.7:
                box = (x, down, x + wide, down + height * 0.15)
                draw.rectangle(box, pen.colour(200, 250), pen.ink())
                down += height * 0.17
            down = (
                _paragraph(pen, draw, x, down, wide, size, font, min(9, int((height * 0.95 - down) / size / 1.35)))
                + size * 0.7
            )
    return image


def invoice(pen: Pen) -> Picture:
    """A head, an address, a table of items, a sum."""
    image, draw, width, height = _page(pen)
    size, margin = width / pen.between(50, 70), width * 0.08
    font, ink = pen.font(size), pen.ink()
    draw.text((margin, height * 0.05), pen.word().title(), pen.colour(0, 160), pen.font(size * 2.4, bold=True))
    draw.text(
        (width * 0.62, height * 0.05),
        pen.pick(("INVOICE", "RECHNUNG", "FACTURE", "QUOTE")),
        ink,
        pen.font(size * 2, bold=True),
    )
    for row in range(4):
        draw.text(
            (margin, height * 0.14 + row * size * 1.5),
            pen.pick((pen.name(), pen.words(2).title(), pen.digits(8))),
            ink,
            font,
        )
        draw.text((width * 0.62, height * 0.14 + row * size * 1.5), f"{pen.plain().title()}: {pen.code(6)}", ink, font)
    rows = pen.between(3, 18)
    _table(pen, draw, margin, height * 0.3, width - 2 * margin, rows, pen.between(3, 5), size, pen.chance(0.5))
    y = height * 0.3 + (rows + 2) * size * 1.9
    draw.text((width * 0.62, y), f"Total {pen.money()}", ink, pen.font(size * 1.3, bold=True))
    if y < height * 0.8:
        _paragraph(pen, draw, margin, height * 0.85, width - 2 * margin, size * 0.8, pen.font(size * 0.8), 3)
    return image


def table(pen: Pen) -> Picture:
    """Numbers in rows and columns, and few words around."""
    image, draw, width, height = _page(pen)
    size = width / pen.between(45, 80)
    draw.text((width * 0.06, height * 0.04), pen.words(4).title(), pen.ink(), pen.font(size * 1.6, bold=True))
    rows = min(int(height * 0.85 / size / 1.9) - 2, pen.between(8, 40))
    _table(pen, draw, width * 0.06, height * 0.1, width * 0.88, rows, pen.between(3, 9), size, pen.chance(0.6))
    return image


def form(pen: Pen) -> Picture:
    """Labels with boxes or lines to fill in, some filled."""
    image, draw, width, height = _page(pen)
    size, y = width / pen.between(45, 65), height * 0.05
    ink, font = pen.ink(), pen.font(size)
    draw.text((width * 0.08, y), pen.words(3).upper(), ink, pen.font(size * 1.7, bold=True))
    y += size * 4
    boxed, hand = pen.chance(0.6), (30, 40, 140)
    while y < height * 0.92:
        count = pen.pick((1, 1, 2, 3))
        for number in range(count):
            x, wide = width * 0.08 + number * width * 0.84 / count, width * 0.8 / count
            draw.text((x, y), pen.words(2).capitalize(), ink, font)
            box = (x, y + size * 1.4, x + wide, y + size * 3.2)
            if boxed:
                draw.rectangle(box, None, ink)
            else:
                draw.line((x, box[3], x + wide, box[3]), ink)
            if pen.chance(0.5):
                draw.text((x + size / 2, box[1] + size * 0.2), pen.word(), hand, pen.font(size * 1.2, "serif"))
        if pen.chance(0.25):
            y += size * 4
            for number in range(3):
                x = width * (0.08 + 0.25 * number)
                draw.rectangle((x, y, x + size, y + size), None, ink)
                draw.text((x + size * 1.5, y), pen.plain(), ink, font)
        y += size * pen.random.uniform(4, 5)
    return image


def notes(pen: Pen) -> Picture:
    """Hand-like lines on ruled or squared paper."""
    image, draw, width, height = _page(pen)
    step, shade = pen.between(18, 40), pen.colour(170, 225)
    for at in range(step, height, step):
        draw.line((0, at, width, at), shade)
    if pen.chance(0.4):
        for at in range(step, width, step):
            draw.line((at, 0, at, height), shade)
    ink = pen.pick(((20, 30, 120), (20, 20, 20), (130, 20, 20)))
    font = pen.font(step * 0.8, "serif")
    for at in range(step * 2, int(height * pen.random.uniform(0.4, 0.95)), step):
        draw.text((width * 0.08 + pen.between(-4, 4), at - step * 0.8), pen.words(pen.between(2, 7)), ink, font)
    return image


def plain_text(pen: Pen) -> Picture:
    """A part of a page: large letters, edge to edge."""
    width, height = pen.between(300, 900), pen.between(150, 700)
    image, draw = pen.blank(width, height, pen.paper())
    size = pen.random.uniform(14, 34)
    font, y = pen.font(size, pen.pick(("serif", "sans"))), size * 0.5
    while y < height:
        y = (
            _paragraph(pen, draw, size * 0.7, y, width - size, size, font, pen.between(2, 8))
            + size * pen.random.random()
        )
    return image


def _page(pen: Pen) -> tuple[Picture, ImageDraw.ImageDraw, int, int]:
    width = pen.between(560, 1000)
    height = int(width * pen.pick((1.414, 1.414, 1.29, 0.75, 1.1)))
    image, draw = pen.blank(width, height, pen.paper())
    return image, draw, width, height


def _paragraph(
    pen: Pen, draw: ImageDraw.ImageDraw, x: float, y: float, width: float, size: float, font: Any, lines: int
) -> float:
    """Draw it; where the next begins."""
    ink = pen.ink()
    for number in range(max(1, lines)):
        line, most = "", width * (1 if number < lines - 1 else pen.random.uniform(0.2, 0.9))
        while draw.textlength(line, font) < most:
            line += f"{pen.plain()} "
        draw.text((x, y), line.rsplit(" ", 2)[0], ink, font)
        y += size * 1.35
    return y


def _table(
    pen: Pen,
    draw: ImageDraw.ImageDraw,
    x: float,
    y: float,
    width: float,
    rows: int,
    columns: int,
    size: float,
    lines: bool,
) -> None:
    step, ink, head = size * 1.9, pen.ink(), pen.pick((None, pen.colour(60, 220)))
    font, striped = pen.font(size), pen.chance(0.4)
    if head:
        draw.rectangle((x, y, x + width, y + step), head)
    for row in range(rows + 1):
        top = y + row * step
        if striped and row % 2 and row:
            draw.rectangle((x, top, x + width, top + step), (240, 240, 244))
        if lines:
            draw.line((x, top, x + width, top), ink)
        for column in range(columns):
            text = pen.plain().title() if row == 0 else pen.words(1) if column == 0 else pen.money()
            draw.text((x + size * 0.4 + column * width / columns, top + size * 0.35), text, ink, font)
    if lines:
        for column in range(columns + 1):
            at = x + column * width / columns
            draw.line((at, y, at, y + (rows + 1) * step), ink)


def _rule(pen: Pen, draw: ImageDraw.ImageDraw, y: float, width: int) -> None:
    if pen.chance(0.5):
        draw.line((width * 0.05, y + 4, width * 0.95, y + 4), (60, 60, 60))
    else:
        for at in range(int(width * 0.05), int(width * 0.95), 9):
            draw.line((at, y + 4, at + 5, y + 4), (60, 60, 60), 2)


def _code(pen: Pen, draw: ImageDraw.ImageDraw, x: float, y: float, width: float, height: float) -> None:
    at = x
    while at < x + width - 4:
        wide = pen.between(1, 4)
        draw.rectangle((at, y, at + wide, y + height), (10, 10, 10))
        at += wide + pen.between(1, 5)


RECEIPTS: Final = (receipt,)
DOCUMENTS: Final = (letter, article, invoice, table, form, notes, plain_text)
