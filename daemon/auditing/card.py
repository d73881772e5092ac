"""The report card as a picture to be shown around: counts, classes and names of tools, and nothing that is the user's
own.

A drawing of our own making in SVG, 1200 by 630 as sites show links: no project, no path, no model, no value. Every text
in it is a number, a date, or a word from our own tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape

from daemon.auditing.report import ClassCount, Report
from daemon.auditing.words import dates, money, named, share, short

WIDTH: Final = 1200
HEIGHT: Final = 630
_ROWS: Final = 6
_FONT: Final = "'Inter','Segoe UI','Helvetica Neue',Arial,sans-serif"
_INK: Final = "#e8edf4"
_DIM: Final = "#93a1b5"
_RED: Final = "#ff7a70"
_AMBER: Final = "#ffc15e"
_GREEN: Final = "#5fd39a"
_BLUE: Final = "#7db4ff"


def card(report: Report) -> str:
    """The picture, as an SVG document."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            f'font-family="{_FONT}" role="img" aria-label="{escape(_spoken(report))}">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#0f1622"/>',
            *_head(report),
            *_tiles(report),
            *_classes(report),
            *_tools(report),
            *_foot(report),
            "</svg>\n",
        )
    )


def _spoken(report: Report) -> str:
    return (
        f"{report.secrets} secrets and {report.personal} personal values were sent by coding agents; "
        f"{share(report.staying, report.turns)} of {report.turns} turns could have been answered on the device"
    )


def _text(x: float, y: float, text: str, size: int, fill: str = _INK, weight: int = 400, anchor: str = "start") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" font-weight="{weight}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def _box(x: float, y: float, width: float, height: float, fill: str, radius: float = 14) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{fill}"/>'


def _head(report: Report) -> Iterator[str]:
    yield _text(60, 78, "What my coding agents have sent", 38, weight=700)
    until = dates(report)
    yield _text(60, 112, f"{short(report.requests)} requests{f', {until}' if until else ''}", 20, _DIM)


def _tiles(report: Report) -> Iterator[str]:
    known = report.priced > 0
    tiles = (
        (short(report.secrets), "secrets", "distinct, to providers", _RED),
        (short(report.personal), "personal values", "distinct, to providers", _AMBER),
        (share(report.staying, report.turns), "could have stayed", f"of {short(report.turns)} turns, estimate", _GREEN),
        (money(report.cost_usd) if known else "unknown", "at list prices", f"{short(report.priced)} requests", _BLUE),
    )
    width, gap = 255.0, 20.0
    for place, (number, what, of, colour) in enumerate(tiles):
        x = 60 + place * (width + gap)
        yield _box(x, 140, width, 150, "#182233")
        yield _box(x, 140, 6, 150, colour, 3)
        yield _text(x + 26, 206, number, 50 if len(number) < 8 else 38, colour, 700)
        yield _text(x + 26, 242, what, 21, weight=600)
        yield _text(x + 26, 270, of, 16, _DIM)


def _classes(report: Report) -> Iterator[str]:
    yield _text(60, 342, "What it was", 22, weight=700)
    rows = _shown(report)
    if not rows:
        yield _text(60, 380, "Nothing was found in what the logs hold.", 18, _DIM)
    most = max((row.values for row in rows), default=1)
    for place, row in enumerate(rows):
        yield from _row(60, 362 + place * 34, row, most)


def _shown(report: Report) -> list[ClassCount]:
    """The most frequent classes, secrets first, of which half the rows are kept for each kind as long as it fills them."""
    ordered = sorted(report.classes, key=lambda each: -each.values)
    secrets = [each for each in ordered if each.signal == "secret"]
    others = [each for each in ordered if each.signal != "secret"]
    kept = max(_ROWS // 2, _ROWS - len(others))
    return [*secrets[:kept], *others[: _ROWS - len(secrets[:kept])]]


def _row(x: float, y: float, row: ClassCount, most: int) -> Iterator[str]:
    yield _text(x, y + 18, named(row.label), 17, _INK)
    yield _box(x + 230, y + 5, max(4.0, 250 * row.values / most), 16, _RED if row.signal == "secret" else _AMBER, 4)
    yield _text(x + 560, y + 18, short(row.values), 17, _INK, 600, "end")


def _tools(report: Report) -> Iterator[str]:
    yield _text(700, 342, "Which tool sent it", 22, weight=700)
    yield _text(1010, 342, "secrets", 15, _DIM, anchor="end")
    yield _text(1140, 342, "personal", 15, _DIM, anchor="end")
    tools = sorted(report.tools, key=lambda tool: -(tool.secrets + tool.personal))[:_ROWS]
    for place, tool in enumerate(tools):
        y = 380 + place * 34
        yield _text(700, y, tool.title, 17)
        yield _text(1010, y, short(tool.secrets), 17, _RED, 600, "end")
        yield _text(1140, y, short(tool.personal), 17, _AMBER, 600, "end")


def _foot(report: Report) -> Iterator[str]:
    partly = "" if report.complete else " Interrupted: a part of the logs."
    yield _text(
        60, 602, f"Counted on this machine from logs it already had: no value is kept or shown.{partly}", 15, _DIM
    )
    yield _text(1140, 602, "nearloop audit", 17, _INK, 700, "end")
