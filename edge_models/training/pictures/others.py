"""Pictures that are none of the kinds with a name: logos, icons, patterns, drawings, posters, maps, music, games, noise."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from edge_models.training.pictures.pen import Pen, Picture


def logo(pen: Pen) -> Picture:
    """A shape or several, and a name."""
    width, height = pen.between(200, 800), pen.between(150, 600)
    image, draw = pen.blank(width, height, pen.pick(((255, 255, 255), (255, 255, 255), pen.colour(), (0, 0, 0))))
    x, y, radius = width / 2, height * 0.42, min(width, height) * pen.random.uniform(0.2, 0.32)
    for number in range(pen.between(1, 4)):
        part, sides, turn = radius * (1 - number * 0.25), pen.between(3, 8), pen.random.random() * 6
        points = [
            (x + part * math.cos(turn + 6.283 * n / sides), y + part * math.sin(turn + 6.283 * n / sides))
            for n in range(sides)
        ]
        if pen.chance(0.4):
            draw.ellipse((x - part, y - part, x + part, y + part), pen.colour())
        else:
            draw.polygon(points, pen.colour())
    if pen.chance(0.6):
        text, font = pen.word().title(), pen.font(height / 8, pen.pick(("sans", "serif")), True)
        draw.text((x - draw.textlength(text, font) / 2, height * 0.78), text, pen.colour(0, 200), font)
    return image


def pattern(pen: Pen) -> Picture:
    """The same shape again and again."""
    width, height, step = pen.between(200, 800), pen.between(200, 800), pen.between(16, 90)
    image, draw = pen.blank(width, height, pen.colour())
    shades, kind = (pen.colour(), pen.colour()), pen.between(0, 3)
    for row in range(height // step + 2):
        for column in range(width // step + 2):
            x, y, shade = column * step, row * step, shades[(row + column) % 2]
            box = (x, y, x + step * 0.9, y + step * 0.9)
            if kind == 0:
                draw.ellipse(box, shade)
            elif kind == 1:
                draw.rectangle((x, y, x + step, y + step), shade)
            elif kind == 2:
                draw.polygon(((x, y + step), (x + step / 2, y), (x + step, y + step)), shade)
            else:
                draw.line((x, y, x + step, y + step), shade, max(1, step // 6))
    return image


def drawing(pen: Pen) -> Picture:
    """A simple scene in flat colours, as children and cartoons have it."""
    width, height = pen.between(300, 900), pen.between(250, 700)
    image, draw = pen.blank(width, height, pen.pick(((160, 210, 245), (250, 215, 160), (30, 35, 70), (255, 255, 255))))
    ground = height * pen.random.uniform(0.55, 0.8)
    draw.rectangle(
        (0, ground, width, height), pen.pick(((90, 170, 80), (230, 205, 150), (80, 120, 60), (240, 240, 250)))
    )
    sun = width * 0.08
    x, y = pen.random.uniform(0.1, 0.9) * width, height * 0.18
    draw.ellipse((x - sun, y - sun, x + sun, y + sun), (255, 220, 80))
    for _ in range(pen.between(1, 7)):
        x, size = pen.random.uniform(0, width), height * pen.random.uniform(0.1, 0.3)
        kind = pen.between(0, 2)
        if kind == 0:
            draw.rectangle((x, ground - size, x + size, ground), pen.colour(), (0, 0, 0), 2)
            draw.polygon(
                ((x - size * 0.1, ground - size), (x + size / 2, ground - size * 1.6), (x + size * 1.1, ground - size)),
                (170, 60, 50),
            )
        elif kind == 1:
            draw.rectangle((x - size * 0.08, ground - size, x + size * 0.08, ground), (110, 75, 40))
            draw.ellipse((x - size * 0.45, ground - size * 1.7, x + size * 0.45, ground - size * 0.7), (60, 140, 60))
        else:
            draw.ellipse(
                (x - size * 0.2, ground - size * 1.1, x + size * 0.2, ground - size * 0.7),
                (240, 200, 170),
                (0, 0, 0),
                2,
            )
            draw.line((x, ground - size * 0.7, x, ground - size * 0.2), pen.colour(), max(3, int(size / 8)))
    return image


def poster(pen: Pen) -> Picture:
    """Few large words on colour, as slides, covers and cards of a saying have."""
    width, height = pen.pick(((800, 450), (640, 640), (500, 700), (900, 500)))
    image = pen.gradient(width, height, pen.colour(), pen.colour()) if pen.chance(0.6) else pen.photo(width, height)
    draw, size = ImageDraw.Draw(image), width / pen.between(9, 18)
    shade = pen.pick(((255, 255, 255), (20, 20, 20), (255, 230, 60)))
    for row in range(pen.between(1, 4)):
        text, font = pen.words(pen.between(1, 3)).title(), pen.font(size, pen.pick(("sans", "serif")), True)
        draw.text(((width - draw.textlength(text, font)) / 2, height * 0.3 + row * size * 1.3), text, shade, font)
    return image


def city_map(pen: Pen) -> Picture:
    """Streets, water, parks, names."""
    width, height = pen.between(400, 900), pen.between(400, 800)
    image, draw = pen.blank(width, height, (242, 239, 233))
    for _ in range(pen.between(2, 5)):
        x, y, size = pen.random.uniform(0, width), pen.random.uniform(0, height), pen.random.uniform(60, 220)
        points = [
            (x + size * pen.random.uniform(0.5, 1) * math.cos(a), y + size * pen.random.uniform(0.5, 1) * math.sin(a))
            for a in (0, 0.9, 1.8, 2.7, 3.6, 4.5, 5.4)
        ]
        draw.polygon(points, pen.pick(((170, 211, 223), (200, 230, 190), (225, 220, 210))))
    for _ in range(pen.between(14, 40)):
        x, y, angle = (
            pen.random.uniform(0, width),
            pen.random.uniform(0, height),
            pen.pick((0.2, 1.77)) + pen.random.uniform(-0.15, 0.15),
        )
        wide = pen.pick((2, 3, 5, 8))
        far = (
            x - 900 * math.cos(angle),
            y - 900 * math.sin(angle),
            x + 900 * math.cos(angle),
            y + 900 * math.sin(angle),
        )
        draw.line(far, (200, 195, 190), wide + 2)
        draw.line(far, pen.pick(((255, 255, 255), (250, 220, 150), (255, 255, 255))), wide)
    for _ in range(pen.between(5, 25)):
        draw.text(
            (pen.random.uniform(0, width), pen.random.uniform(0, height)),
            pen.word().title(),
            (90, 90, 90),
            pen.font(pen.between(9, 16)),
        )
    return image


def music(pen: Pen) -> Picture:
    """Notes on their lines."""
    width, height = pen.between(500, 900), pen.between(400, 1000)
    image, draw = pen.blank(width, height, pen.paper())
    gap = pen.between(6, 11)
    for top in range(gap * 6, height - gap * 6, gap * 11):
        for line in range(5):
            draw.line((width * 0.05, top + line * gap, width * 0.95, top + line * gap), (0, 0, 0))
        x = width * 0.12
        while x < width * 0.94:
            y = top + pen.between(-2, 10) * gap / 2
            draw.ellipse(
                (x, y - gap / 2, x + gap * 1.3, y + gap / 2), (0, 0, 0) if pen.chance(0.7) else None, (0, 0, 0), 2
            )
            up = pen.pick((-1, 1))
            draw.line(
                (x + (gap * 1.3 if up < 0 else 0), y, x + (gap * 1.3 if up < 0 else 0), y + up * gap * 3.5),
                (0, 0, 0),
                2,
            )
            x += pen.random.uniform(2, 5) * gap
            if pen.chance(0.12):
                draw.line((x, top, x, top + 4 * gap), (0, 0, 0), 2)
                x += gap
    return image


def square_code(pen: Pen) -> Picture:
    """A code for cameras, or a board of a game."""
    cells, cell = pen.between(21, 41), pen.between(6, 16)
    dots = pen.noise.random((cells, cells)) < 0.5
    for row, column in ((0, 0), (0, cells - 7), (cells - 7, 0)):
        dots[row : row + 7, column : column + 7] = True
        dots[row + 1 : row + 6, column + 1 : column + 6] = False
        dots[row + 2 : row + 5, column + 2 : column + 5] = True
    border = np.pad(~dots, 4, constant_values=True)
    image = Image.fromarray((border * 255).astype(np.uint8)).convert("RGB")
    return image.resize((image.width * cell, image.height * cell), Image.Resampling.NEAREST)


def noise(pen: Pen) -> Picture:
    """Noise, one colour, or two that blend."""
    width, height = pen.between(150, 600), pen.between(150, 600)
    if pen.chance(0.4):
        return pen.gradient(width, height, pen.colour(), pen.colour())
    if pen.chance(0.3):
        return Image.new("RGB", (width, height), pen.colour())
    cells = pen.between(3, 200)
    small = pen.noise.integers(0, 255, (cells, cells, pen.pick((1, 3)))).astype(np.uint8)
    image = Image.fromarray(small.squeeze()).convert("RGB")
    return image.resize((width, height), pen.pick((Image.Resampling.NEAREST, Image.Resampling.BICUBIC)))


def game(pen: Pen) -> Picture:
    """Blocks of a game of old."""
    cells, cell = pen.between(12, 30), pen.between(16, 36)
    shades = [pen.colour() for _ in range(6)]
    image, draw = pen.blank(cells * cell, int(cells * 0.7) * cell, pen.pick(((0, 0, 0), (100, 150, 250), (20, 20, 50))))
    for row in range(int(cells * 0.7)):
        for column in range(cells):
            if pen.chance(0.1 + 0.6 * (row / cells) ** 2):
                box = (column * cell, row * cell, (column + 1) * cell - 1, (row + 1) * cell - 1)
                draw.rectangle(box, pen.pick(shades), (30, 30, 30))
    return image


OTHERS: Final = (logo, pattern, drawing, poster, city_map, music, square_code, noise, game)
