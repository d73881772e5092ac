"""Charts and diagrams, drawn line by line, in many styles."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from edge_models.training.pictures.pen import Colour, Pen, Picture

_PALETTES: Final = (
    ((31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189), (140, 86, 75)),
    ((68, 114, 196), (237, 125, 49), (165, 165, 165), (255, 192, 0), (91, 155, 213), (112, 173, 71)),
    ((76, 114, 176), (221, 132, 82), (85, 168, 104), (196, 78, 82), (129, 114, 179), (147, 120, 96)),
    ((248, 118, 109), (0, 186, 56), (97, 156, 255), (245, 100, 227), (183, 159, 0), (0, 191, 196)),
    ((0, 0, 0), (90, 90, 90), (150, 150, 150), (200, 200, 200), (60, 60, 60), (120, 120, 120)),
    ((99, 110, 250), (239, 85, 59), (0, 204, 150), (171, 99, 250), (255, 161, 90), (25, 211, 243)),
)


class Frame(NamedTuple):
    """A chart in the making: where its plot is, and how it looks."""

    image: Picture
    draw: ImageDraw.ImageDraw
    left: float
    top: float
    right: float
    bottom: float
    size: float
    ink: Colour
    palette: tuple[Colour, ...]

    def x(self, share: float) -> float:
        return self.left + (self.right - self.left) * share

    def y(self, share: float) -> float:
        return self.bottom - (self.bottom - self.top) * share


def frame(pen: Pen, axes: bool = True) -> Frame:
    """A title, axes with numbers, lines behind, names."""
    width = pen.between(360, 1100)
    height = int(width * pen.random.uniform(0.5, 1.05))
    dark = pen.chance(0.15)
    back: Colour = (
        pen.pick(((20, 22, 28), (35, 38, 46)))
        if dark
        else pen.pick(((255, 255, 255),) * 4 + ((250, 250, 245), (235, 240, 245)))
    )
    ink: Colour = (225, 225, 225) if dark else pen.pick(((0, 0, 0), (60, 60, 60), (110, 110, 110)))
    image, draw = pen.blank(width, height, back)
    size = width / pen.random.uniform(38, 60)
    left, right = width * pen.random.uniform(0.09, 0.16), width * pen.random.uniform(0.8, 0.97)
    top, bottom = height * pen.random.uniform(0.1, 0.16), height * pen.random.uniform(0.8, 0.89)
    made = Frame(image, draw, left, top, right, bottom, size, ink, pen.pick(_PALETTES))
    if pen.chance(0.8):
        title, font = (
            pen.words(pen.between(2, 5)).capitalize(),
            pen.font(size * 1.4, pen.pick(("sans", "sans", "serif")), pen.chance(0.4)),
        )
        place = left if pen.chance(0.3) else (width - draw.textlength(title, font)) / 2
        draw.text((place, height * 0.03), title, ink, font)
    if axes:
        _axes(pen, made, dark)
    return made


def _axes(pen: Pen, made: Frame, dark: bool) -> None:
    draw, font = made.draw, pen.font(made.size)
    style = pen.between(0, 3)
    if style == 1:
        draw.rectangle((made.left, made.top, made.right, made.bottom), (50, 54, 64) if dark else (235, 235, 235))
    faint: Colour = (70, 74, 84) if dark else (255, 255, 255) if style == 1 else (215, 215, 215)
    scale = pen.pick((1, 5, 10, 20, 100, 0.1, 0.25, 1000))
    rows, columns = pen.between(4, 8), pen.between(4, 9)
    for row in range(rows + 1):
        y = made.y(row / rows)
        if style != 3:
            draw.line((made.left, y, made.right, y), faint)
        text = f"{row * scale:g}"
        draw.text(
            (made.left - made.size * 0.6 - draw.textlength(text, font), y - made.size * 0.6), text, made.ink, font
        )
    for column in range(columns + 1):
        x = made.x(column / columns)
        if style == 1 or pen.chance(0.1):
            draw.line((x, made.top, x, made.bottom), faint)
        draw.text(
            (x - made.size * 0.7, made.bottom + made.size * 0.5),
            pen.pick((f"{column}", f"{2015 + column}", pen.word()[:4])),
            made.ink,
            font,
        )
    if style in (0, 2, 3):
        draw.line((made.left, made.bottom, made.right, made.bottom), made.ink, 1 + (style == 2))
        draw.line((made.left, made.top, made.left, made.bottom), made.ink, 1 + (style == 2))
    if style == 0:
        draw.rectangle((made.left, made.top, made.right, made.bottom), None, made.ink)
    label = pen.words(2)
    draw.text(((made.left + made.right) / 2 - made.size * 3, made.bottom + made.size * 2), label, made.ink, font)
    sign = Image.new("L", (int(made.size * 12), int(made.size * 1.5)), 0)
    ImageDraw.Draw(sign).text((0, 0), pen.words(2), 255, font)
    sign = sign.rotate(90, expand=True)
    made.image.paste(made.ink, (2, int((made.top + made.bottom) / 2 - sign.height / 2)), sign)


def _legend(pen: Pen, made: Frame, count: int) -> None:
    if pen.chance(0.35):
        return
    draw, font = made.draw, pen.font(made.size)
    x = made.right - made.size * 8 if pen.chance(0.7) else made.left + made.size
    y = made.top + made.size * 0.6
    if pen.chance(0.5):
        draw.rectangle(
            (x - made.size * 0.5, y - 3, x + made.size * 7.5, y + count * made.size * 1.5),
            (255, 255, 255),
            (180, 180, 180),
        )
    for number in range(count):
        top = y + number * made.size * 1.5
        draw.rectangle((x, top + made.size * 0.2, x + made.size * 1.4, top + made.size), made.palette[number])
        draw.text((x + made.size * 2, top), pen.word(), (60, 60, 60), font)


def bars(pen: Pen) -> Picture:
    """Upright bars, in groups or on each other."""
    made = frame(pen)
    groups, series = pen.between(3, 12), pen.between(1, 4)
    stacked, gap = pen.chance(0.3), pen.random.uniform(0.1, 0.4)
    for group in range(groups):
        base = 0.0
        for number in range(series):
            value = pen.random.uniform(0.05, 0.95) / (series if stacked else 1)
            wide = (1 - gap) / groups / (1 if stacked else series)
            left = (group + gap / 2) / groups + (0 if stacked else number * wide)
            shade = made.palette[number] if series > 1 or pen.chance(0.97) else made.palette[group % 6]
            made.draw.rectangle((made.x(left), made.y(base + value), made.x(left + wide), made.y(base)), shade)
            base += value if stacked else 0
    if series > 1:
        _legend(pen, made, series)
    return made.image


def lying_bars(pen: Pen) -> Picture:
    """Bars from left to right."""
    made = frame(pen)
    rows = pen.between(3, 14)
    for row in range(rows):
        value = pen.random.uniform(0.05, 0.97)
        top, bottom = made.y((row + 0.8) / rows), made.y((row + 0.2) / rows)
        made.draw.rectangle((made.left, top, made.x(value), bottom), made.palette[0 if rows > 6 else row % 6])
    return made.image


def histogram(pen: Pen) -> Picture:
    """How often which value."""
    made = frame(pen)
    count = pen.between(12, 60)
    values, _ = np.histogram(
        np.concatenate([pen.noise.normal(0, 1, 500), pen.noise.normal(pen.random.uniform(0, 4), 0.8, 300)]), count
    )
    most = values.max() * 1.08
    edge = (255, 255, 255) if pen.chance(0.4) else None
    for number, value in enumerate(values):
        box = (made.x(number / count), made.y(value / most), made.x((number + 1) / count), made.bottom)
        made.draw.rectangle(box, made.palette[0], edge)
    return made.image


def lines(pen: Pen) -> Picture:
    """Lines over time; sometimes with what is below them filled, or with points."""
    made = frame(pen)
    series, count = pen.between(1, 5), pen.between(5, 120)
    filled, marked = pen.chance(0.2), pen.chance(0.35) and count < 30
    for number in range(series):
        steps = np.cumsum(pen.noise.normal(pen.random.uniform(-0.3, 0.5), 1, count))
        if pen.chance(0.3):
            steps = np.exp(-np.linspace(0, 4, count)) * pen.pick((-1, 1)) + pen.noise.normal(0, 0.02, count)
        low, high = steps.min(), steps.max()
        values = 0.05 + 0.9 * (steps - low) / max(high - low, 1e-9) * pen.random.uniform(0.4, 1)
        points = [(made.x(at / (count - 1)), made.y(float(value))) for at, value in enumerate(values)]
        shade = made.palette[number]
        if filled:
            made.draw.polygon([(made.left, made.bottom), *points, (made.right, made.bottom)], shade)
        made.draw.line(points, shade, max(1, int(made.size / pen.pick((4, 6, 9)))))
        for x, y in points if marked else ():
            made.draw.ellipse(
                (x - made.size * 0.35, y - made.size * 0.35, x + made.size * 0.35, y + made.size * 0.35), shade
            )
    _legend(pen, made, series)
    return made.image


def scatter(pen: Pen) -> Picture:
    """Points, in groups."""
    made = frame(pen)
    groups = pen.between(1, 4)
    for number in range(groups):
        count = pen.between(15, 200)
        middle, spread = pen.noise.uniform(0.25, 0.75, 2), pen.noise.uniform(0.03, 0.18, 2)
        points = pen.noise.normal(middle, spread, (count, 2))
        if pen.chance(0.4):
            points[:, 1] = points[:, 0] * pen.random.uniform(0.3, 0.9) + pen.noise.normal(0.05, 0.06, count)
        radius = made.size * pen.random.uniform(0.2, 0.5)
        for x, y in points:
            if 0 < x < 1 and 0 < y < 1:
                at = (made.x(x) - radius, made.y(y) - radius, made.x(x) + radius, made.y(y) + radius)
                made.draw.ellipse(at, made.palette[number], (255, 255, 255) if pen.chance(0.1) else None)
    if groups > 1:
        _legend(pen, made, groups)
    return made.image


def pie(pen: Pen) -> Picture:
    """Or a ring."""
    made = frame(pen, axes=False)
    radius = min(made.right - made.left, made.bottom - made.top) * 0.46
    x, y, start = (made.left + made.right) / 2, (made.top + made.bottom) / 2, pen.random.uniform(0, 360)
    shares = pen.noise.dirichlet(np.ones(pen.between(2, 7)) * 2)
    font, edge = pen.font(made.size), (255, 255, 255) if pen.chance(0.5) else None
    for number, share in enumerate(shares):
        end = start + share * 360
        made.draw.pieslice((x - radius, y - radius, x + radius, y + radius), start, end, made.palette[number % 6], edge)
        middle = math.radians((start + end) / 2)
        far = radius * pen.pick((0.6, 1.15))
        made.draw.text(
            (x + far * math.cos(middle) - made.size, y + far * math.sin(middle)),
            pen.pick((f"{share:.1%}", pen.word())),
            made.ink,
            font,
        )
        start = end
    if pen.chance(0.3):
        inner = radius * 0.55
        made.draw.ellipse((x - inner, y - inner, x + inner, y + inner), (255, 255, 255))
    return made.image


def heatmap(pen: Pen) -> Picture:
    """A table of colours, and their scale."""
    made = frame(pen, axes=pen.chance(0.5))
    rows, columns = pen.between(4, 16), pen.between(4, 16)
    first, last = pen.colour(0, 140), pen.colour(150, 255)
    values, font = pen.noise.random((rows, columns)), pen.font(made.size * 0.8)
    told = pen.chance(0.4) and columns < 10
    for row in range(rows):
        for column in range(columns):
            share = float(values[row, column])
            box = (
                made.x(column / columns),
                made.y((row + 1) / rows),
                made.x((column + 1) / columns),
                made.y(row / rows),
            )
            made.draw.rectangle(box, tuple(int(a + (b - a) * share) for a, b in zip(first, last, strict=True)))
            if told:
                made.draw.text(
                    ((box[0] + box[2]) / 2 - made.size * 0.7, (box[1] + box[3]) / 2 - made.size * 0.5),
                    f"{share:.2f}",
                    (255, 255, 255),
                    font,
                )
    for step in range(40):
        shade = tuple(int(a + (b - a) * step / 40) for a, b in zip(first, last, strict=True))
        made.draw.rectangle(
            (made.right + made.size, made.y((step + 1) / 40), made.right + made.size * 2, made.y(step / 40)), shade
        )
    return made.image


def boxes(pen: Pen) -> Picture:
    """Quartiles and whiskers."""
    made = frame(pen)
    count = pen.between(2, 9)
    for number in range(count):
        low, first, middle, third, high = sorted(pen.random.uniform(0.05, 0.95) for _ in range(5))
        centre, half = made.x((number + 0.5) / count), (made.right - made.left) / count * 0.28
        made.draw.line((centre, made.y(low), centre, made.y(high)), made.ink)
        made.draw.rectangle(
            (centre - half, made.y(third), centre + half, made.y(first)),
            made.palette[number % 6] if pen.chance(0.6) else (255, 255, 255),
            made.ink,
        )
        made.draw.line((centre - half, made.y(middle), centre + half, made.y(middle)), made.ink, 2)
        for value in (low, high):
            made.draw.line((centre - half / 2, made.y(value), centre + half / 2, made.y(value)), made.ink)
    return made.image


def areas(pen: Pen) -> Picture:
    """What lies on each other, over time."""
    made = frame(pen)
    series, count = pen.between(2, 5), pen.between(6, 40)
    parts = np.abs(np.cumsum(pen.noise.normal(0, 1, (series, count)), axis=1)) + 0.6
    tops = np.cumsum(parts, axis=0)
    tops = tops / tops.max() * 0.95
    for number in reversed(range(series)):
        points = [(made.x(at / (count - 1)), made.y(float(value))) for at, value in enumerate(tops[number])]
        made.draw.polygon([(made.left, made.bottom), *points, (made.right, made.bottom)], made.palette[number])
    _legend(pen, made, series)
    return made.image


def radar(pen: Pen) -> Picture:
    """Values on spokes."""
    made = frame(pen, axes=False)
    spokes, radius = pen.between(5, 9), min(made.right - made.left, made.bottom - made.top) * 0.44
    x, y = (made.left + made.right) / 2, (made.top + made.bottom) / 2
    angles = [6.283 * number / spokes for number in range(spokes)]
    for ring in range(1, 5):
        made.draw.polygon(
            [(x + radius * ring / 4 * math.sin(a), y - radius * ring / 4 * math.cos(a)) for a in angles],
            None,
            (200, 200, 200),
        )
    for angle in angles:
        made.draw.line((x, y, x + radius * math.sin(angle), y - radius * math.cos(angle)), (200, 200, 200))
        made.draw.text(
            (x + radius * 1.1 * math.sin(angle) - made.size, y - radius * 1.1 * math.cos(angle)),
            pen.word(),
            made.ink,
            pen.font(made.size),
        )
    for number in range(pen.between(1, 3)):
        points = [
            (x + radius * far * math.sin(a), y - radius * far * math.cos(a))
            for a in angles
            for far in (pen.random.uniform(0.2, 1),)
        ]
        made.draw.line([*points, points[0]], made.palette[number], 3)
    return made.image


def plan(pen: Pen) -> Picture:
    """Tasks over time."""
    made = frame(pen)
    rows = pen.between(5, 16)
    for row in range(rows):
        start = pen.random.uniform(0, 0.7)
        box = (
            made.x(start),
            made.y((row + 0.8) / rows),
            made.x(min(1, start + pen.random.uniform(0.08, 0.3))),
            made.y((row + 0.2) / rows),
        )
        made.draw.rectangle(box, made.palette[pen.between(0, 3)])
    return made.image


def flow(pen: Pen) -> Picture:
    """Boxes and arrows."""
    width, height = pen.between(400, 1100), pen.between(350, 900)
    image, draw = pen.blank(width, height, pen.pick(((255, 255, 255), (250, 250, 250), (245, 248, 252))))
    size, palette = width / pen.between(42, 60), pen.pick(_PALETTES)
    columns, rows = pen.between(2, 4), pen.between(2, 5)
    line, font, pale = pen.ink(), pen.font(size), pen.chance(0.6)
    middles = {}
    for row in range(rows):
        for column in range(columns):
            if pen.chance(0.8):
                middles[row, column] = ((column + 0.5) * width / columns, (row + 0.5) * height / rows)
    for (row, column), (x, y) in middles.items():
        for other in ((row + 1, column), (row, column + 1), (row + 1, column + 1)):
            if other in middles and pen.chance(0.6):
                _arrow(draw, x, y, *middles[other], size, line)
    for x, y in middles.values():
        wide, high = width / columns * 0.34, height / rows * 0.27
        shade = palette[pen.between(0, 5)]
        fill = tuple(255 - (255 - c) // 4 for c in shade) if pale else (255, 255, 255)
        shape, box = pen.between(0, 3), (x - wide, y - high, x + wide, y + high)
        if shape == 0:
            draw.ellipse(box, fill, line, 2)
        elif shape == 1:
            draw.polygon(((x, y - high * 1.2), (x + wide, y), (x, y + high * 1.2), (x - wide, y)), fill, line)
        else:
            draw.rounded_rectangle(box, pen.pick((0, 8)), fill, shade, 2)
        text = pen.words(pen.between(1, 2)).title()
        draw.text((x - draw.textlength(text, font) / 2, y - size * 0.6), text, line, font)
    return image


def network(pen: Pen) -> Picture:
    """Circles and lines, or a tree."""
    width, height = pen.between(400, 900), pen.between(400, 800)
    image, draw = pen.blank(width, height, (255, 255, 255))
    size, palette = width / 45, pen.pick(_PALETTES)
    points = [
        (pen.random.uniform(0.06, 0.94) * width, pen.random.uniform(0.06, 0.94) * height)
        for _ in range(pen.between(6, 30))
    ]
    for number, (x, y) in enumerate(points[1:], 1):
        draw.line((x, y, *points[pen.between(max(0, number - 4), number - 1)]), (130, 130, 130), pen.between(1, 2))
    for x, y in points:
        radius = size * pen.random.uniform(0.8, 2)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), pen.pick(palette), (60, 60, 60))
        if pen.chance(0.7):
            draw.text(
                (x - size * 0.5, y - size * 0.6),
                pen.pick((pen.word(), pen.digits(1), "ABCDEF"[pen.between(0, 5)])),
                (0, 0, 0),
                pen.font(size),
            )
    return image


def contours(pen: Pen) -> Picture:
    """A field in colours or lines, perhaps with points on it."""
    made = frame(pen)
    wide, high = int(made.right - made.left), int(made.bottom - made.top)
    small = pen.noise.normal(size=(5, 5)).astype(np.float32)
    field = np.asarray(Image.fromarray(small).resize((wide, high), Image.Resampling.BICUBIC))
    share = (field - field.min()) / max(1e-6, float(field.max() - field.min()))
    steps = pen.pick((6, 10, 255))
    share = np.floor(share * steps) / steps
    first, last = np.array(pen.colour(0, 150)), np.array(pen.colour(120, 255))
    colours = (first + (last - first) * share[..., None]).astype(np.uint8)
    if steps < 255 and pen.chance(0.3):
        edge = (
            np.abs(np.diff(share, axis=0, prepend=share[:1])) + np.abs(np.diff(share, axis=1, prepend=share[:, :1])) > 0
        )
        colours = np.where(edge[..., None], np.uint8(0), np.uint8(255)).repeat(3, axis=2)
    made.image.paste(Image.fromarray(colours), (int(made.left), int(made.top)))
    if pen.chance(0.5):
        for _ in range(pen.between(10, 90)):
            x, y, radius = made.x(pen.random.random()), made.y(pen.random.random()), made.size * 0.3
            made.draw.ellipse((x - radius, y - radius, x + radius, y + radius), pen.pick(made.palette), (0, 0, 0))
    return made.image


def panels(pen: Pen) -> Picture:
    """Several small charts beside each other."""
    columns, rows = pen.pick(((2, 1), (3, 1), (2, 2), (3, 2), (1, 2), (4, 1)))
    kinds = pen.pick(
        ((bars,), (lines,), (scatter,), (histogram, lines), (scatter, contours), (contours,), (lines, bars, scatter))
    )
    width, height = pen.between(600, 1100), pen.between(260, 800)
    image, draw = pen.blank(width, height, (255, 255, 255))
    for row in range(rows):
        for column in range(columns):
            one = pen.pick(kinds)(pen).resize((width // columns, (height - 30) // rows), Image.Resampling.BICUBIC)
            image.paste(one, (column * (width // columns), 30 + row * ((height - 30) // rows)))
    if pen.chance(0.6):
        draw.text((width * 0.3, 6), pen.words(4).capitalize(), (0, 0, 0), pen.font(17))
    return image


def _arrow(draw: Any, x: float, y: float, to_x: float, to_y: float, size: float, shade: Colour) -> None:
    draw.line((x, y, to_x, to_y), shade, 2)
    angle = math.atan2(to_y - y, to_x - x)
    tip = (x + (to_x - x) * 0.62, y + (to_y - y) * 0.62)
    wings = [(tip[0] - size * math.cos(angle + turn), tip[1] - size * math.sin(angle + turn)) for turn in (-0.4, 0.4)]
    draw.polygon((tip, *wings), shade)


CHARTS: Final = (
    bars,
    bars,
    lying_bars,
    histogram,
    lines,
    lines,
    scatter,
    pie,
    heatmap,
    boxes,
    areas,
    radar,
    plan,
    flow,
    flow,
    network,
    contours,
    panels,
    panels,
)
