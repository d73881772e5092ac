"""What screens show: code in editors, terminals, differences, notebooks; and windows, pages, dialogs, phones."""

from __future__ import annotations

import inspect
import json
import textwrap
from typing import Any, Final, NamedTuple

from PIL import ImageDraw

from edge_models.training.pictures.pen import Colour, Pen, Picture


class Theme(NamedTuple):
    """Colours of an editor: behind, plain, and of words, strings, notes, numbers."""

    back: Colour
    plain: Colour
    words: Colour
    strings: Colour
    notes: Colour
    numbers: Colour


_THEMES: Final = (
    Theme((30, 30, 30), (212, 212, 212), (86, 156, 214), (206, 145, 120), (106, 153, 85), (181, 206, 168)),
    Theme((39, 40, 34), (248, 248, 242), (249, 38, 114), (230, 219, 116), (117, 113, 94), (174, 129, 255)),
    Theme((255, 255, 255), (0, 0, 0), (0, 0, 255), (163, 21, 21), (0, 128, 0), (9, 134, 88)),
    Theme((255, 255, 255), (36, 41, 46), (215, 58, 73), (3, 47, 98), (106, 115, 125), (0, 92, 197)),
    Theme((253, 246, 227), (101, 123, 131), (133, 153, 0), (42, 161, 152), (147, 161, 161), (211, 54, 130)),
    Theme((0, 43, 54), (131, 148, 150), (133, 153, 0), (42, 161, 152), (88, 110, 117), (211, 54, 130)),
    Theme((40, 42, 54), (248, 248, 242), (255, 121, 198), (241, 250, 140), (98, 114, 164), (189, 147, 249)),
    Theme((46, 52, 64), (216, 222, 233), (129, 161, 193), (163, 190, 140), (97, 110, 136), (180, 142, 173)),
    Theme((13, 17, 23), (201, 209, 217), (255, 123, 114), (165, 214, 255), (139, 148, 158), (121, 192, 255)),
    Theme((248, 248, 248), (51, 51, 51), (0, 112, 32), (64, 112, 160), (136, 136, 136), (64, 160, 112)),
    Theme((0, 0, 0), (220, 220, 220), (205, 205, 0), (205, 0, 0), (0, 160, 0), (205, 0, 205)),
)
_WORDS: Final = frozenset(
    [
        "def",
        "return",
        "if",
        "else",
        "elif",
        "for",
        "while",
        "in",
        "import",
        "from",
        "class",
        "not",
        "and",
        "or",
        "None",
        "True",
        "False",
        "try",
        "except",
        "with",
        "as",
        "raise",
        "yield",
        "pass",
        "const",
        "let",
        "function",
        "var",
        "new",
        "public",
        "private",
        "void",
        "int",
        "string",
        "static",
        "final",
        "struct",
        "fn",
        "impl",
        "use",
        "match",
        "pub",
        "func",
        "package",
        "end",
        "select",
        "where",
        "insert",
        "into",
        "values",
        "update",
        "set",
        "join",
        "on",
        "group",
        "by",
        "order",
        "begin",
    ]
)
_LEVELS: Final = ("INFO", "WARN", "ERROR", "DEBUG")
_CHANGES: Final = ("modified:", "new file:", "deleted:")
_MODULES: Final = (textwrap, json.decoder, json.encoder, inspect)


def code(pen: Pen) -> Picture:
    """Lines of a program in an editor, with or without numbers, a bar of files, a map."""
    theme = pen.pick(_THEMES)
    width, size = pen.between(420, 1400), pen.random.uniform(11, 22)
    rows = pen.between(6, 48)
    height = int(rows * size * 1.45 + size * 3)
    image, draw = pen.blank(width, height, theme.back)
    x, y = size, size
    if pen.chance(0.35):
        x += _files(pen, draw, theme, height, size)
    if pen.chance(0.4):
        y += _tabs(pen, draw, theme, x, width, size)
    numbers = pen.chance(0.5)
    font = pen.font(size, "mono")
    for row, line in enumerate(program(pen, rows)):
        if y > height:
            break
        if numbers:
            draw.text((x, y), f"{row + 1:>3}", theme.notes, font)
        _coloured(draw, theme, x + (size * 2.6 if numbers else 0), y, line, font)
        y += size * 1.45
    if pen.chance(0.2):
        draw.rectangle((0, height - size * 1.6, width, height), pen.colour(0, 200))
    return image


def difference(pen: Pen) -> Picture:
    """What was added and taken out, in green and red."""
    theme = pen.pick(_THEMES)
    width, size, rows = pen.between(600, 1300), pen.random.uniform(12, 18), pen.between(10, 40)
    image, draw = pen.blank(width, int((rows + 3) * size * 1.5), theme.back)
    dark = sum(theme.back) < 380
    added, gone = ((20, 60, 35), (75, 25, 30)) if dark else ((220, 255, 228), (255, 225, 228))
    font, sign = pen.font(size, "mono"), " "
    draw.text((size, size * 0.4), f"@@ -{pen.digits(2)},7 +{pen.digits(2)},9 @@ {pen.word()}.py", theme.numbers, font)
    for row, line in enumerate(program(pen, rows)):
        sign = pen.pick(" +-") if pen.chance(0.4) else sign
        top = (row + 1.7) * size * 1.5
        if sign != " ":
            draw.rectangle((0, top, width, top + size * 1.5), added if sign == "+" else gone)
        draw.text((size, top), sign, theme.plain, font)
        _coloured(draw, theme, size * 3, top, line, font)
    return image


def terminal(pen: Pen) -> Picture:
    """Commands, their output, logs, a trace of an error."""
    theme = pen.pick([theme for theme in _THEMES if sum(theme.back) < 200] if pen.chance(0.85) else _THEMES)
    width, size, rows = pen.between(500, 1300), pen.random.uniform(11, 19), pen.between(6, 42)
    bar = pen.chance(0.5)
    image, draw = pen.blank(width, int((rows + 2 + bar * 2) * size * 1.4), theme.back)
    y = size * 0.6
    if bar:
        _title_bar(pen, draw, width, size)
        y += size * 2
    font = pen.font(size, "mono")
    user = f"{pen.word()}@{pen.word()}:~/{pen.word()}$ "
    for line in _session(pen, rows, user):
        shade = theme.words if line.startswith(("ERROR", "Trace", "error")) else theme.plain
        if line.startswith(user):
            draw.text((size * 0.6, y), user, theme.notes, font)
            draw.text((size * 0.6 + draw.textlength(user, font), y), line.removeprefix(user), theme.plain, font)
        else:
            draw.text((size * 0.6, y), line, shade, font)
        y += size * 1.4
    return image


def notebook(pen: Pen) -> Picture:
    """Cells of code in grey boxes, with their output below."""
    width, size = pen.between(700, 1200), pen.random.uniform(12, 17)
    height = pen.between(500, 1000)
    theme = pen.pick(_THEMES[2:4])
    image, draw = pen.blank(width, height, (255, 255, 255))
    font, y, number = pen.font(size, "mono"), size, pen.between(1, 40)
    while y < height:
        lines = program(pen, pen.between(2, 9))
        box = (size * 6, y, width - size, y + (len(lines) + 1) * size * 1.4)
        draw.rectangle(box, (247, 247, 247), (207, 207, 207))
        draw.text((size * 0.6, y + size * 0.5), f"In [{number}]:", (48, 63, 159), font)
        for row, line in enumerate(lines):
            _coloured(draw, theme, size * 6.6, y + size * 0.5 + row * size * 1.4, line, font)
        y = box[3] + size
        for _ in range(pen.between(0, 4)):
            draw.text((size * 6.6, y), f"{pen.word()}  {pen.money()}  {pen.money()}", (0, 0, 0), font)
            y += size * 1.4
        y, number = y + size, number + 1
    return image


def program(pen: Pen, rows: int) -> list[str]:
    """Lines of Python's own library, or of a program made up in one of several languages."""
    if pen.chance(0.35):
        lines = inspect.getsource(pen.pick(_MODULES)).splitlines()
        start = pen.between(0, max(0, len(lines) - rows))
        return lines[start : start + rows]
    return [line for _ in range(rows) for line in _made_up(pen)][:rows]


def _made_up(pen: Pen) -> list[str]:
    one, two, three = pen.word(), pen.word(), pen.word()
    number = pen.digits(2)
    return list(
        pen.pick(
            (
                (
                    f"def {one}({two}, {three}=None):",
                    f'    """{pen.words(4)}."""',
                    f"    if {two} > {number}:",
                    f'        return "{three}"',
                    f"    return {one}({two} - 1)",
                    "",
                ),
                (
                    f"function {one}({two}) {{",
                    f"  const {three} = await fetch('/api/{one}');",
                    f"  if (!{three}.ok) throw new Error('{two}');",
                    f"  return {three}.json();",
                    "}",
                    "",
                ),
                (
                    f"public class {one.title()} {{",
                    f"    private final int {two} = {number};",
                    f"    // {pen.words(3)}",
                    f"    public void {three}(String value) {{",
                    f"        this.{two}.add(value);",
                    "    }",
                    "}",
                ),
                (
                    f"SELECT {one}, COUNT(*) FROM {two}",  # noqa: S608
                    f"WHERE {three} > {number}",
                    f"GROUP BY {one} ORDER BY 2 DESC;",
                    "",
                ),
                (
                    f"fn {one}({two}: &str) -> Result<u{number}> {{",
                    f"    let {three} = {two}.parse()?;",
                    f"    Ok({three} + {number})",
                    "}",
                    "",
                ),
                (
                    f'<div class="{one}">',
                    f"  <p id='{two}'>{pen.words(3)}</p>",
                    f'  <a href="/{three}">{two}</a>',
                    "</div>",
                ),
                (
                    f"for (int i = 0; i < {number}; i++) {{",
                    f'    printf("%d {two}\\n", {one}[i]);',
                    f"    {one}[i] += {three};",
                    "}",
                ),
                (
                    f"# {pen.words(5)}",
                    f"{one} = {{'{two}': {number}, '{three}': [1, 2, 3]}}",
                    f"for {two} in {one}.values():",
                    f"    print({two}, {three})",
                ),
                (
                    f"{one}:",
                    f"  {two}: {number}",
                    f"  {three}:",
                    f'    - name: "{two}"',
                    f"      image: {one}:{number}",
                ),
                ("{", f'  "{one}": "{two}",', f'  "{three}": {number},', f'  "items": [{number}, 4]', "}"),
                (f"import {one}", f"from {two} import {three}", ""),
            )
        )
    )


def _session(pen: Pen, rows: int, user: str) -> list[str]:
    found: list[str] = []
    while len(found) < rows:
        command = pen.pick(
            (
                "ls -la",
                f"git commit -m '{pen.words(3)}'",
                f"cd {pen.word()}",
                f"python {pen.word()}.py",
                "make test",
                "docker ps",
                f"pip install {pen.word()}",
                f"curl -s http://{pen.word()}/",
                "git status",
            )
        )
        found.append(user + command)
        kind = pen.between(0, 4)
        for _ in range(pen.between(1, 9)):
            found.append(  # noqa: PERF401
                (
                    f"drwxr-xr-x  {pen.between(1, 9)} {pen.word()} staff {pen.digits(5)} Mar {pen.digits(2)} {pen.word()}",
                    f"2024-05-11 12:{pen.digits(2)}:{pen.digits(2)} {pen.pick(_LEVELS)} {pen.word()}: {pen.words(5)}",
                    f'  File "/usr/lib/{pen.word()}.py", line {pen.digits(3)}, in {pen.word()}',
                    f"{pen.pick(('ok', 'PASSED', 'error:', 'warning:'))} {pen.word()}::{pen.word()} [{pen.digits(2)}%]",
                    f"    {pen.pick(_CHANGES)}   {pen.word()}/{pen.word()}.{pen.pick(('py', 'js', 'rs'))}",
                )[kind]
            )
        if kind == 2:
            found.append(f"{pen.word().title()}Error: {pen.words(5)}")
    return found[:rows]


def _coloured(draw: ImageDraw.ImageDraw, theme: Theme, x: float, y: float, line: str, font: Any) -> None:
    line = line.rstrip().replace("\t", "    ")
    stripped = line.lstrip()
    if stripped.startswith(("#", "//", '"""', "*")):
        draw.text((x, y), line, theme.notes, font)
        return
    wide, quoted = draw.textlength("m", font), False
    at, start = 0, 0
    while at < len(line):
        start = at
        while at < len(line) and (line[at].isalnum() or line[at] == "_"):
            at += 1
        at = max(at, start + 1)
        part = line[start:at]
        quoted ^= part in "\"'"
        shade = (
            theme.strings
            if quoted or part in "\"'"
            else theme.words
            if part.lower() in _WORDS
            else theme.numbers
            if part.isdigit()
            else theme.plain
        )
        draw.text((x + start * wide, y), part, shade, font)


def _files(pen: Pen, draw: ImageDraw.ImageDraw, theme: Theme, height: int, size: float) -> float:
    wide = size * pen.between(9, 14)
    shade = tuple(max(0, min(255, c + pen.pick((-10, 10)))) for c in theme.back)
    draw.rectangle((0, 0, wide, height), shade)
    font = pen.font(size * 0.9)
    for row in range(int(height / size / 1.7)):
        name = f"{pen.pick(('', '  ', '    '))}{pen.word()}{pen.pick(('.py', '.ts', '', '.md', '.rs'))}"
        draw.text((size * 0.6, size + row * size * 1.7), name, theme.plain, font)
    return wide


def _tabs(pen: Pen, draw: ImageDraw.ImageDraw, theme: Theme, x: float, width: int, size: float) -> float:
    for number in range(pen.between(1, 4)):
        left = x + number * size * 9
        draw.rectangle((left, 0, left + size * 8.8, size * 2), theme.back if number == 0 else theme.notes)
        draw.text((left + size * 0.6, size * 0.4), f"{pen.word()}.py  x", theme.plain, pen.font(size * 0.85))
    return size * 1.6


def _title_bar(pen: Pen, draw: ImageDraw.ImageDraw, width: int, size: float, name: str | None = None) -> None:
    shade = pen.pick(((60, 60, 64), (222, 222, 224), (240, 240, 240), (45, 45, 60), (0, 90, 158), (255, 255, 255)))
    draw.rectangle((0, 0, width, size * 2), shade)
    ink: Colour = (20, 20, 20) if sum(shade) > 380 else (240, 240, 240)
    font = pen.font(size * 0.95)
    text = name or f"{pen.word().title()} - {pen.word()}"
    if pen.chance(0.5):
        for number, colour in enumerate(((255, 95, 86), (255, 189, 46), (39, 201, 63))):
            left = size * (0.6 + 1.5 * number)
            draw.ellipse((left, size * 0.5, left + size, size * 1.5), colour)
        draw.text(((width - draw.textlength(text, font)) / 2, size * 0.4), text, ink, font)
    else:
        draw.text((size * 0.7, size * 0.4), text, ink, font)
        draw.text((width - size * 5, size * 0.4), "—  □  ×", ink, font)


class Look(NamedTuple):
    """Colours of an interface."""

    back: Colour
    raised: Colour
    ink: Colour
    faint: Colour
    accent: Colour


def look(pen: Pen) -> Look:
    """One by chance."""
    accent = pen.pick(
        ((0, 120, 215), (25, 118, 210), (76, 175, 80), (233, 84, 32), (103, 58, 183), (220, 40, 60), (0, 150, 136))
    )
    if pen.chance(0.3):
        return Look((28, 28, 32), (45, 45, 52), (230, 230, 230), (140, 140, 150), accent)
    return Look(
        pen.pick(((255, 255, 255), (246, 246, 248), (240, 240, 240), (236, 233, 216))),
        (255, 255, 255),
        (30, 30, 34),
        (130, 130, 138),
        accent,
    )


def window(pen: Pen) -> Picture:
    """An application: title, menus, tools, a list at the side, a table or fields, a line of state."""
    colours = look(pen)
    width, height, size = pen.between(700, 1400), pen.between(450, 900), pen.random.uniform(11, 17)
    image, draw = pen.blank(width, height, colours.back)
    _title_bar(pen, draw, width, size)
    font, y = pen.font(size), size * 2.2
    if pen.chance(0.7):
        x = size
        for name in ("File", "Edit", "View", "Insert", "Tools", "Window", "Help", "Datei", "Format")[
            : pen.between(4, 9)
        ]:
            draw.text((x, y), name, colours.ink, font)
            x += draw.textlength(name, font) + size * 1.4
        y += size * 2
    if pen.chance(0.7):
        for number in range(pen.between(5, 18)):
            _icon(pen, draw, size + number * size * 2.6, y, size * 1.9)
        y += size * 2.8
    side = size * pen.between(10, 16) if pen.chance(0.6) else 0.0
    if side:
        draw.rectangle((0, y, side, height), colours.raised)
        for row in range(int((height - y) / size / 2)):
            top = y + size * 0.5 + row * size * 2
            if row == 2:
                draw.rectangle((0, top - size * 0.3, side, top + size * 1.5), colours.accent)
            _icon(pen, draw, size * 0.5, top, size * 1.1)
            draw.text((size * 2.2, top), pen.plain().title(), colours.ink, font)
    body = pen.between(0, 3)
    if body == 0:
        _grid(pen, draw, colours, side + 1, y, width, height, size)
    elif body == 1:
        _fields(pen, draw, colours, side + size * 2, y + size, width, height, size)
    elif body == 2:
        _tiles(pen, image, draw, colours, side + size, y + size, width, height, size)
    else:
        image.paste(
            pen.photo(int(width - side - 2 * size), int(height - y - 3 * size)), (int(side + size), int(y + size))
        )
    draw.rectangle((0, height - size * 1.7, width, height), colours.raised, colours.faint)
    draw.text((size, height - size * 1.5), pen.words(3), colours.faint, font)
    return image


def page(pen: Pen) -> Picture:
    """A web page: a bar, a large picture, tiles, buttons; perhaps in its browser."""
    colours = look(pen)
    width, height, size = pen.between(800, 1400), pen.between(600, 1200), pen.random.uniform(12, 18)
    image, draw = pen.blank(width, height, colours.back)
    y = 0.0
    if pen.chance(0.5):
        _title_bar(pen, draw, width, size)
        draw.rectangle((0, size * 2, width, size * 4.4), colours.raised)
        draw.rounded_rectangle((size * 7, size * 2.3, width - size * 4, size * 4.1), size * 0.9, (235, 235, 238))
        draw.text(
            (size * 8, size * 2.6), f"https://www.{pen.word()}.com/{pen.word()}", (60, 60, 60), pen.font(size * 0.9)
        )
        y = size * 4.4
    draw.rectangle((0, y, width, y + size * 3.4), pen.pick((colours.raised, colours.accent, colours.ink)))
    draw.text((size * 2, y + size), pen.word().title(), colours.faint, pen.font(size * 1.4, bold=True))
    for number in range(pen.between(3, 6)):
        draw.text(
            (width - size * (7 + number * 6), y + size * 1.1), pen.plain().title()[:8], colours.faint, pen.font(size)
        )
    y += size * 3.4
    if pen.chance(0.6):
        high = int(height * 0.3)
        image.paste(
            pen.photo(width, high) if pen.chance(0.5) else pen.gradient(width, high, pen.colour(), pen.colour()),
            (0, int(y)),
        )
        draw.text((width * 0.1, y + high * 0.3), pen.words(4).title(), (255, 255, 255), pen.font(size * 2.6, bold=True))
        _button(pen, draw, colours, width * 0.1, y + high * 0.65, size)
        y += high
    if pen.chance(0.6):
        _tiles(pen, image, draw, colours, size * 2, y + size * 2, width, height, size)
    else:
        font = pen.font(size)
        while y < height:
            y += size * 2
            draw.text((width * 0.1, y), pen.words(4).capitalize(), colours.accent, pen.font(size * 1.3, bold=True))
            for _ in range(pen.between(1, 5)):
                y += size * 1.6
                draw.text((width * 0.1, y), pen.words(11), colours.ink, font)
            y += size
    return image


def dialog(pen: Pen) -> Picture:
    """A question or settings before something darkened, or alone."""
    colours = look(pen)
    width, height, size = pen.between(380, 900), pen.between(240, 600), pen.random.uniform(12, 18)
    image, draw = pen.blank(width, height, pen.pick((colours.back, (90, 90, 96), pen.colour())))
    inset = pen.pick((0, width // 12))
    box = (inset, inset // 2, width - inset, height - inset // 2)
    draw.rounded_rectangle(box, pen.pick((0, 10)), colours.raised, colours.faint)
    draw.text(
        (box[0] + size, box[1] + size * 0.8), pen.words(3).capitalize(), colours.ink, pen.font(size * 1.2, bold=True)
    )
    y = box[1] + size * 4
    if pen.chance(0.5):
        _icon(pen, draw, box[0] + size, y, size * 3)
        for row in range(pen.between(1, 4)):
            draw.text((box[0] + size * 5, y + row * size * 1.5), pen.words(6), colours.ink, pen.font(size))
    else:
        _fields(pen, draw, colours, box[0] + size, y, box[2], box[3] - size * 4, size)
    for number in range(pen.between(1, 3)):
        _button(pen, draw, colours, box[2] - size * 7.5 * (number + 1), box[3] - size * 3.2, size, number > 0)
    return image


def phone(pen: Pen) -> Picture:
    """A phone's screen: a chat, a list, settings, icons, a post with a picture."""
    colours = look(pen)
    width = pen.between(360, 620)
    height, size = int(width * pen.random.uniform(1.6, 2.2)), width / 24
    image, draw = pen.blank(width, height, colours.back)
    draw.text((size, size * 0.5), f"{pen.between(0, 23)}:{pen.between(10, 59)}", colours.ink, pen.font(size, bold=True))
    draw.rectangle((width - size * 2.4, size * 0.6, width - size * 0.6, size * 1.4), None, colours.ink)
    y, kind, font = size * 2.2, pen.between(0, 4), pen.font(size)
    draw.rectangle((0, y, width, y + size * 3), pen.pick((colours.raised, colours.accent)))
    draw.text((size * 3, y + size * 0.8), pen.name(), colours.ink, pen.font(size * 1.2, bold=True))
    y += size * 4
    while y < height - size * 4:
        if kind == 0:
            mine, rows = pen.chance(0.5), pen.between(1, 3)
            left = size * (8 if mine else 1)
            bubble = (left, y, left + size * 14, y + size * (rows * 1.4 + 1))
            draw.rounded_rectangle(bubble, size * 0.8, colours.accent if mine else colours.raised, colours.faint)
            for row in range(rows):
                draw.text((left + size * 0.7, y + size * 0.5 + row * size * 1.4), pen.words(4)[:26], colours.ink, font)
            y = bubble[3] + size * 0.8
        elif kind in (1, 2):
            draw.ellipse((size, y, size * 3.4, y + size * 2.4), pen.colour(60, 230))
            draw.text((size * 4.2, y), pen.words(2).title(), colours.ink, font)
            draw.text((size * 4.2, y + size * 1.3), pen.words(4), colours.faint, pen.font(size * 0.8))
            if kind == 2:
                on = pen.chance(0.5)
                draw.rounded_rectangle(
                    (width - size * 3.4, y + size * 0.4, width - size, y + size * 1.6),
                    size * 0.6,
                    colours.accent if on else colours.faint,
                )
            draw.line((size * 4, y + size * 3, width, y + size * 3), colours.faint)
            y += size * 3.6
        elif kind == 3:
            for column in range(4):
                _icon(pen, draw, size * (1.6 + column * 5.6), y, size * 3.4)
                draw.text(
                    (size * (1.6 + column * 5.6), y + size * 3.7),
                    pen.plain()[:7].title(),
                    colours.ink,
                    pen.font(size * 0.75),
                )
            y += size * 6.2
        else:
            high = int(width * 0.7)
            image.paste(pen.photo(width, high), (0, int(y)))
            draw.text((size, y + high + size * 0.6), pen.words(6), colours.ink, font)
            y += high + size * 3
    draw.rectangle((0, height - size * 3, width, height), colours.raised)
    for number in range(4):
        _icon(pen, draw, width * (0.1 + 0.25 * number), height - size * 2.4, size * 1.6)
    return image


def _icon(pen: Pen, draw: ImageDraw.ImageDraw, x: float, y: float, side: float) -> None:
    box, shade = (x, y, x + side, y + side), pen.colour(30, 230)
    pick = pen.between(0, 3)
    if pick == 0:
        draw.ellipse(box, shade)
    elif pick == 1:
        draw.rounded_rectangle(box, side / 4, shade)
        draw.ellipse((x + side * 0.3, y + side * 0.3, x + side * 0.7, y + side * 0.7), (255, 255, 255))
    elif pick == 2:
        draw.polygon(((x, y + side), (x + side / 2, y), (x + side, y + side)), shade)
    else:
        draw.rectangle(box, None, shade, max(1, int(side / 8)))
        draw.line((x, y + side / 2, x + side, y + side / 2), shade, max(1, int(side / 8)))


def _button(
    pen: Pen, draw: ImageDraw.ImageDraw, colours: Look, x: float, y: float, size: float, plain: bool = False
) -> None:
    shade = colours.back if plain else colours.accent
    draw.rounded_rectangle((x, y, x + size * 7, y + size * 2.2), pen.pick((0, 4, size)), shade, colours.faint)
    draw.text(
        (x + size, y + size * 0.5),
        pen.pick(("OK", "Cancel", "Apply", "Save", "Next", "Buy now", "Login")),
        colours.ink if plain else (255, 255, 255),
        pen.font(size),
    )


def _grid(
    pen: Pen, draw: ImageDraw.ImageDraw, colours: Look, x: float, y: float, width: float, height: float, size: float
) -> None:
    columns, font, row = pen.between(3, 8), pen.font(size), 0
    wide = (width - x) / columns
    while y < height - size * 3:
        if row % 2:
            draw.rectangle((x, y, width, y + size * 1.8), colours.raised)
        for column in range(columns):
            text = pen.plain().title() if row == 0 or column == 0 else pen.money()
            draw.text(
                (x + column * wide + size * 0.5, y + size * 0.3), text[: int(wide / size * 1.7)], colours.ink, font
            )
            draw.line((x + column * wide, y, x + column * wide, y + size * 1.8), colours.faint)
        draw.line((x, y, width, y), colours.faint)
        y, row = y + size * 1.8, row + 1


def _fields(
    pen: Pen, draw: ImageDraw.ImageDraw, colours: Look, x: float, y: float, width: float, height: float, size: float
) -> None:
    font, wide = pen.font(size), (width - x) * 0.5
    while y < height - size * 3:
        draw.text((x, y + size * 0.4), pen.words(2).capitalize()[:18], colours.ink, font)
        left, kind = x + size * 10, pen.between(0, 3)
        if kind == 0:
            draw.rectangle((left, y, left + size * 1.3, y + size * 1.3), colours.raised, colours.faint)
            draw.line(
                (left + 2, y + size * 0.7, left + size * 0.6, y + size * 1.2, left + size * 1.2, y), colours.accent, 2
            )
        elif kind == 1:
            draw.line((left, y + size, left + wide, y + size), colours.faint, 3)
            knob = left + wide * pen.random.random()
            draw.ellipse((knob, y + size * 0.4, knob + size * 1.2, y + size * 1.6), colours.accent)
        else:
            draw.rectangle((left, y, left + wide, y + size * 1.9), colours.raised, colours.faint)
            draw.text((left + size * 0.5, y + size * 0.4), pen.plain(), colours.ink, font)
        y += size * 2.9


def _tiles(
    pen: Pen,
    image: Picture,
    draw: ImageDraw.ImageDraw,
    colours: Look,
    x: float,
    y: float,
    width: float,
    height: float,
    size: float,
) -> None:
    columns = pen.between(2, 5)
    wide = (width - x - size) / columns
    high = wide * pen.random.uniform(0.6, 1.1)
    start, photos = x, pen.chance(0.6)
    while y < height - size * 4:
        for column in range(columns):
            x = start + column * wide
            draw.rectangle((x, y, x + wide - size, y + high), colours.raised, colours.faint)
            if photos:
                image.paste(pen.photo(max(8, int(wide - size)), max(8, int(high * 0.6))), (int(x), int(y)))
            else:
                _icon(pen, draw, x + size, y + size, high * 0.4)
            draw.text(
                (x + size * 0.5, y + high * 0.66),
                pen.words(2).title()[: int(wide / size * 1.5)],
                colours.ink,
                pen.font(size),
            )
            draw.text((x + size * 0.5, y + high * 0.82), pen.money(), colours.accent, pen.font(size * 0.9))
        y += high + size


CODE: Final = (code, code, code, difference, terminal, notebook)
INTERFACES: Final = (window, window, page, dialog, phone)
