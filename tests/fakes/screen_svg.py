"""What stands on a terminal as a small SVG: one line of the file for each line of the screen, so that a change can be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import DIMMED_MONOKAI
from textual.app import App

WIDE: Final = 8
HIGH: Final = 16
_APART: Final = re.compile(r"\S+(?: \S+)*")
"""Words with one space between them: more are a gap, which some readers of SVG draw as one space."""
FONT: Final = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def screen_lines(app: App[Any]) -> list[list[Segment]]:
    """The screen in front as styled pieces, line by line."""
    return [list(strip) for strip in app.screen._compositor.render_strips()]


def words(app: App[Any]) -> str:
    """What can be read on it."""
    return "\n".join("".join(segment.text for segment in line).rstrip() for line in screen_lines(app))


def svg(app: App[Any]) -> str:
    """The picture."""
    lines = screen_lines(app)
    width = app.size.width * WIDE
    looks: dict[str, str] = {}
    ground = app.screen.background_colors[1].rich_color.get_truecolor(DIMMED_MONOKAI).hex
    drawn = [line_svg(line, y, looks, ground) for y, line in enumerate(lines)]
    style = "".join(f".{name}{{{look}}}" for look, name in looks.items())
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {len(lines) * HIGH}">',
            f'<style>text{{font:13.3px {FONT};white-space:pre}}{style}</style><rect width="100%" height="100%" fill="{ground}"/>',
            *drawn,
            "</svg>\n",
        ]
    )


def line_svg(line: Iterable[Segment], y: int, looks: dict[str, str], behind: str) -> str:
    """One line, at its place. looks: by what a style says, the class that has it; new ones come into it. behind: the ground."""
    rects: list[tuple[int, int, str]] = []  # from, to, colour
    spans = []
    for x, text, style in _runs(line):
        ink, ground = _colours(style)
        ground = "" if ground == behind else ground
        end = x + cell_len(text)
        if ground and rects and rects[-1][1:] == (x, ground):
            rects[-1] = (rects[-1][0], end, ground)
        elif ground:
            rects.append((x, end, ground))
        for word in _APART.finditer(text):
            first = x + cell_len(text[: word.start()])
            name = looks.setdefault(_look(ink, style), f"s{len(looks)}")
            spans.append(f'<tspan x="{first * WIDE}" class="{name}">{escape(word[0], quote=False)}</tspan>')
    drawn = "".join(
        f'<path class="{looks.setdefault(f"fill:{ground}", f"s{len(looks)}")}" d="M{begin * WIDE} {y * HIGH}h{(end - begin) * WIDE}v{HIGH}H{begin * WIDE}"/>'
        for begin, end, ground in rects
    )
    return f'{drawn}<text y="{y * HIGH + 12}">{"".join(spans)}</text>' if spans else drawn


def _runs(line: Iterable[Segment]) -> Iterator[tuple[int, str, Style]]:
    """Neighbours of one look as one, with the cell where they begin."""
    x, begin, text, before = 0, 0, "", Style()
    for segment in line:
        style = segment.style or Style()
        if text and _same(style, before):
            text += segment.text
        else:
            if text:
                yield begin, text, before
            begin, text, before = x, segment.text, style
        x += cell_len(segment.text)
    if text:
        yield begin, text, before


def _same(one: Style, other: Style) -> bool:
    return _colours(one) == _colours(other) and _look("", one) == _look("", other)


def _colours(style: Style) -> tuple[str, str]:
    ink = style.color.get_truecolor(DIMMED_MONOKAI).hex if style.color else "#c0c0c0"
    ground = style.bgcolor.get_truecolor(DIMMED_MONOKAI, foreground=False).hex if style.bgcolor else ""
    return (ground or "#000000", ink) if style.reverse else (ink, ground)


def _look(ink: str, style: Style) -> str:
    look = f"fill:{ink}"
    if style.bold:
        look += ";font-weight:bold"
    if style.italic:
        look += ";font-style:italic"
    if style.underline:
        look += ";text-decoration:underline"
    if style.dim:
        look += ";opacity:.6"
    return look
